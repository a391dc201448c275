"""Attack 6: standard error without end."""

import os

from attacker import serve


def act(message):
    os.write(2, b"the beginning\n")
    while True:
        os.write(2, b"x" * 65536)


serve(act)
