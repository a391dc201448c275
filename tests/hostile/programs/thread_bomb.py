"""Attack 2: three hundred threads."""

import threading

from attacker import play_after


def attack():
    threading.stack_size(64 * 1024)
    gate, count = threading.Event(), 0
    try:
        for _ in range(300):
            threading.Thread(target=gate.wait, daemon=True).start()
            count += 1
    except RuntimeError:
        pass
    return {"threads": count}


play_after(attack)
