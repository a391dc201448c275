"""Attack 46: gives two answers at once, the second to a question that is not asked yet."""

import json

from attacker import plain, serve


def act(message):
    return b"\n".join(json.dumps({**plain(message), "id": message["id"] + more}).encode() for more in (0, 1))


serve(act)
