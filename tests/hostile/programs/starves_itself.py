"""Attack 66: fifteen threads that keep each other from running, so that it looks like a host that lags."""

import hashlib
import threading

from attacker import burn, serve


def act(message):
    for _ in range(14):
        threading.Thread(target=work, daemon=True).start()
    burn(1e9)


def work():
    while True:
        hashlib.sha256(bytes(1_000_000)).digest()


serve(act)
