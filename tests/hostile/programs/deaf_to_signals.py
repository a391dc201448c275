"""Attack 22: ignores and blocks every signal, and keeps ten threads at work, to be hard to stop and to kill."""

import signal
import threading

from attacker import outcome, serve


def act(message):
    for number in signal.valid_signals():
        outcome(signal.signal, number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    for _ in range(10):
        threading.Thread(target=spin).start()
    spin()


def spin():
    while True:
        pass


serve(act)
