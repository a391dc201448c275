"""Attack 59: leaves in the middle of its answer."""

import os

from attacker import serve


def act(message):
    os.write(1, b'{"id":%d,"cells":[0,' % message["id"])
    os._exit(0)


serve(act)
