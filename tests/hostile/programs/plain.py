"""No attack: what the others are compared with."""

from attacker import plain, serve

serve(plain)
