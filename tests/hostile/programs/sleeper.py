"""Attack 31: sleeps for ever."""

import time

from attacker import serve

serve(lambda message: time.sleep(1e6))
