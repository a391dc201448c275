"""No attack: leaves at the first question, so that the autopilot plays the whole game."""

import sys

from attacker import serve

serve(lambda message: sys.exit(3))
