"""Attack 40: bytes that are no UTF-8, or another encoding which a lenient reader would guess."""

import json

from attacker import plain, serve


def act(message):
    text = json.dumps(plain(message))
    return text.encode("utf-16") if message["view"]["seat"] else b"\xef\xbb\xbf" + text.encode()


serve(act)
