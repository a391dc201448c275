"""Attack 33: answers at once and goes on thinking in a thread while it is the opponent's turn."""

import sys
import threading
import time

from attacker import burn, plain, serve, tell

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


def act(message):
    mine.set()
    if message["phase"] == "reveal":
        threading.Thread(target=ponder, daemon=True).start()
    tell(thought_ms=others_s * 1000)
    answer = plain(message)
    mine.clear()
    return answer


serve(act)
