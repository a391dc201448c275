"""Attack 60: gives a whole answer and is gone, with standard output closed before."""

import json
import os

from attacker import plain, serve


def act(message):
    os.write(1, json.dumps(plain(message)).encode() + b"\n")
    os.close(1)
    os._exit(9)


serve(act)
