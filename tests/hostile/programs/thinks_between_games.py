"""Attack 68: computes when a game is over, when it believes nobody counts."""

from attacker import burn, plain, serve

serve(plain, over=lambda message: burn(1e9))
