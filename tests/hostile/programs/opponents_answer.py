"""Attack 46: answers for the opponent, with every field that might say who speaks."""

from attacker import plain, serve

serve(lambda message: {**plain(message), "seat": 1 - message["view"]["seat"]})
