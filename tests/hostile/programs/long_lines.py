"""Attack 62: legal answers of 64 KiB each, and notes as long as a line, to make the referee slow."""

import json

from attacker import plain, serve


def act(message):
    answer = json.dumps(plain(message)).encode()
    if message["id"] % 2:
        return answer + b" " * (65536 - len(answer))
    return answer[:-1] + b',"note":"' + b"\\u00e9" * 10_000 + b'"}'


serve(act)
