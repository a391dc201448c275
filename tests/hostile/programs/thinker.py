"""Attack 33: answers at once and goes on thinking in a thread while it is the opponent's turn."""

import sys
import threading
import time

from attacker import burn, messages, plain, tell, write

sys.setswitchinterval(0.0001)  # so that its answers are not late themselves
mine = threading.Event()
others_s = 0.0


def ponder():
    global others_s
    while True:
        before = time.thread_time()
        burn(0.001)
        if not mine.is_set():
            others_s += time.thread_time() - before


for message in messages():
    if message["type"] == "act":
        mine.set()
        if message["id"] == 1:
            threading.Thread(target=ponder, daemon=True).start()
        tell(thought_ms=others_s * 1000)
        write(plain(message))
        mine.clear()
