"""Attack 34: computes in four threads at once, which a wall clock would take for one."""

import hashlib
import threading

from attacker import serve


def act(message):
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def work():
    while True:
        hashlib.sha256(bytes(1_000_000)).digest()  # outside the interpreter's lock


serve(act)
