"""Attack 44: turns its ends of the pipes to packets and to not waiting, in case the referee's ends turn too."""

import fcntl
import json
import os

from attacker import plain, serve

for descriptor, flags in (
    (1, os.O_DIRECT | os.O_ASYNC | os.O_APPEND),
    (2, os.O_NONBLOCK | os.O_DIRECT | os.O_ASYNC),
):
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)


def act(message):
    line = json.dumps(plain(message)).encode()
    for byte in line[:-1]:
        os.write(1, bytes([byte]))
    return line[-1:]


serve(act)
