"""Attack 5: standard output without end and without a line."""

import os

from attacker import serve


def act(message):
    while True:
        os.write(1, b"x" * 65536)


serve(act)
