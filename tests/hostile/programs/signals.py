"""Attack 22: stops and kills itself, everything that it can see, and whoever started it."""

import os
import signal
import threading

from attacker import outcomes, play_after, system_call


def attack():
    found = outcomes(
        {
            "everything": lambda: os.kill(-1, signal.SIGKILL),
            "the parent": lambda: os.kill(2, signal.SIGKILL),
            "stop the parent": lambda: os.kill(2, signal.SIGSTOP),
            "the parent's group": lambda: os.killpg(2, signal.SIGKILL),
        }
    )
    own = (
        signal.SIGKILL,
        signal.SIGSTOP,
        signal.SIGTSTP,
        signal.SIGTTIN,
        signal.SIGTERM,
        signal.SIGHUP,
        signal.SIGQUIT,
    )
    for number in own:
        os.kill(os.getpid(), number)
        os.kill(0, number)
        signal.pthread_kill(threading.get_ident(), number)
        system_call(234, os.getpid(), threading.get_native_id(), number)
    return {**found, "still": "alive"}


play_after(attack)
