"""Attack 45: is ready and reads nothing more, so that whoever writes to it would wait."""

import time

from attacker import messages

next(messages())
time.sleep(1e6)
