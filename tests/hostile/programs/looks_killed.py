"""Attack 55: ends as if it had been killed from outside, which is the arena's fault and never counts."""

import ctypes
import os
import resource
import signal
import threading

from attacker import outcome, serve, system_call


class Notice(ctypes.Structure):  # struct sigevent
    _fields_ = [("value", ctypes.c_void_p), ("signo", ctypes.c_int), ("rest", ctypes.c_int * 13)]


def act(message):
    for limit in (resource.RLIMIT_CPU, 15):  # 15: RLIMIT_RTTIME
        outcome(resource.setrlimit, limit, (1, 1))
    made = ctypes.c_void_p()
    outcome(system_call, 222, 1, ctypes.byref(Notice(None, signal.SIGKILL)), ctypes.byref(made))
    outcome(os.kill, os.getpid(), signal.SIGKILL)
    outcome(os.kill, 0, signal.SIGKILL)
    outcome(signal.pthread_kill, threading.get_ident(), signal.SIGKILL)
    outcome(system_call, 129, os.getpid(), signal.SIGKILL, bytes(128))
    os.write(2, b"Killed\nOut of memory: Killed process 1 (python3)\n")
    os._exit(137)


serve(act)
