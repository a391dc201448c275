"""Attack 73: long answers and standard error, both byte by byte, to make the referee slow."""

import json
import os

from attacker import plain, serve

BYTES = 16 * 1024


def act(message):
    answer = json.dumps(plain(message)).encode()
    if message["phase"] == "reveal":
        for _ in range(BYTES):
            os.write(2, b".")
            os.write(1, b" ")
    return answer


serve(act)
