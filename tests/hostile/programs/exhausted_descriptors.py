"""Attack 72: uses up all descriptors, and queues signals without end."""

import os
import select
import signal

from attacker import outcome, play_after, system_call


def count(make, most=1000):
    made = []
    try:
        while len(made) < most:
            made.append(make())
    except OSError:
        pass
    return len(made)


def attack():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    return {
        "pipes": count(os.pipe),
        "files": count(lambda: open("/bot/main.py")),
        "watches": count(select.epoll),
        "a high number": outcome(lambda: os.dup2(0, 5000)),
        "signals": count(lambda: system_call(129, os.getpid(), signal.SIGRTMIN, bytes(128))),
        "timers": count(lambda: system_call(222, 1, 0, bytes(8))),
    }


play_after(attack)
