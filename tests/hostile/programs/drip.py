"""Attack 32: sends its answer a byte at a time, so that something always comes and the whole never does."""

import os
import time

from attacker import serve


def act(message):
    os.write(1, b'{"id":')
    while True:
        os.write(1, b" ")
        time.sleep(0.02)


serve(act)
