"""Attack 14: looks into other processes, its parent and itself, by every call that there is for it."""

import os

from attacker import outcomes, play_after, system_call

PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE = 0, 16, 0x4206


def attack():
    found = outcomes(
        {
            "trace me": lambda: system_call(101, PTRACE_TRACEME, 0, 0, 0),
            "attach": lambda: system_call(101, PTRACE_ATTACH, os.getppid(), 0, 0),
            "seize": lambda: system_call(101, PTRACE_SEIZE, 1, 0, 0),
            "read memory": lambda: system_call(310, 1, 0, 0, 0, 0, 0),
            "write memory": lambda: system_call(311, 1, 0, 0, 0, 0, 0),
            "pidfd_open": lambda: os.pidfd_open(1),
            "pidfd_getfd": lambda: system_call(438, 0, 0, 0),
            "kcmp": lambda: system_call(312, 1, 1, 0, 0, 0),
            "process_madvise": lambda: system_call(440, 0, 0, 0, 21, 0),
            "limits of another": lambda: system_call(302, 2, 7, 0, 0),
            "another's clock": lambda: __import__("time").clock_gettime(~2 << 3 | 2),
        }
    )
    seen = [number for number in range(2, 5000) if _exists(number)]
    return {**found, "parent": os.getppid(), "others": seen}


def _exists(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


play_after(attack)
