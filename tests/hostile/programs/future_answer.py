"""Attack 46: answers the next question instead of this one."""

from attacker import plain, serve

serve(lambda message: {**plain(message), "id": message["id"] + 1})
