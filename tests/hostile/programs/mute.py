"""Attack 7: closes standard output and stays alive."""

import os
import time

from attacker import serve


def act(message):
    os.close(1)
    time.sleep(1000)


serve(act)
