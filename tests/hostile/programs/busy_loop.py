"""Attack 30: computes for ever."""

from attacker import burn, serve

serve(lambda message: burn(1e9))
