"""Attack 17: a new namespace of each kind, where it would be root, by every call that makes or enters one."""

import os

from attacker import outcome, outcomes, play_after, system_call

KINDS = {
    "time": 0x80,
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
CLONE_THREAD_FLAGS = 0x10000 | 0x800 | 0x100


def clone(flags):
    if system_call(56, flags, 0, 0, 0, 0) == 0:
        os._exit(0)


def attack():
    return {
        "unshare": {name: outcome(system_call, 272, flag) for name, flag in KINDS.items()},
        "clone": {name: outcome(clone, flag | 17) for name, flag in KINDS.items()},
        "as a thread": {
            name: outcome(clone, flag | CLONE_THREAD_FLAGS) for name, flag in KINDS.items() if name != "time"
        },
        **outcomes(
            {
                "high bits": lambda: clone(CLONE_THREAD_FLAGS | 1 << 40),
                "clone3": lambda: system_call(435, 0, 88),
                "setns": lambda: system_call(308, 0, 0),
            }
        ),
    }


play_after(attack)
