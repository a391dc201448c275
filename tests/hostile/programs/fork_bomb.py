"""Attacks 1 and 21: more processes, to take the host's and to outlive the match as a daemon."""

import multiprocessing
import os
import signal
import subprocess
import sys

from attacker import outcome, outcomes, play_after, system_call

SIGCHLD, CLONE_VFORK, CLONE_VM, CLONE_PARENT = 17, 0x4000, 0x100, 0x8000


def fork():
    if os.fork() == 0:
        os._exit(0)


def daemon():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.pause()
        os._exit(0)


def clone(flags):
    if system_call(56, flags, 0, 0, 0, 0) == 0:
        os._exit(0)


def attack():
    return {
        "forks that went through": [outcome(fork) for _ in range(200)].count("done"),
        **outcomes(
            {
                "fork": fork,
                "daemon": daemon,
                "vfork": lambda: system_call(58),
                "clone": lambda: clone(SIGCHLD),
                "clone as vfork": lambda: clone(CLONE_VFORK | CLONE_VM | SIGCHLD),
                "clone as a brother": lambda: clone(CLONE_PARENT | SIGCHLD),
                "clone3": lambda: system_call(435, 0, 0),
                "posix_spawn": lambda: os.posix_spawn(sys.executable, [sys.executable], {}),
                "subprocess": lambda: subprocess.run([sys.executable]),
                "multiprocessing": lambda: multiprocessing.Process(target=fork).start(),
            }
        ),
    }


play_after(attack)
