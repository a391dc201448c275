"""Attack 40: half a character in a note, which Python reads from JSON and no encoding can write."""

from attacker import plain, serve

serve(lambda message: {**plain(message), "note": "\ud800"})
