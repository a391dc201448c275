"""Attack 57: becomes another program in the middle of a game, to shed its limits, its filter and the
time that it has used."""

import os
import resource
import sys
import threading

from attacker import burn, messages, outcome, plain, serve, tell, write

AGAIN = "again"
USED_S = 0.1


def become_another(answer):
    """From a thread, so that the process loses its first one as well."""
    argv = [sys.executable, "-s", "-B", "-u", "/bot/main.py", AGAIN, answer]
    threading.Thread(target=os.execve, args=(sys.executable, argv, {"PYTHONPATH": "/kit"})).start()
    threading.Event().wait()


def act(message):
    if message["id"] == 2:
        burn(USED_S)
        become_another(repr(message["id"]))
    return plain(message)


if AGAIN in sys.argv:
    tell(
        fork=outcome(os.fork),
        memory=resource.getrlimit(resource.RLIMIT_AS)[1],
        threads=resource.getrlimit(resource.RLIMIT_NPROC)[1],
        pid=os.getpid(),
    )
    write({"id": int(sys.argv[-1]), "take": "draw"})
    for message in messages():
        if message["type"] == "act":
            write(plain(message))
else:
    serve(act)
