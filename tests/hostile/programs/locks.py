"""Attack 29: locks, leases and watches on files that all sandboxes share, to talk to another bot or to spy on it."""

import fcntl
import os

from attacker import outcomes, play_after

SHARED = "/usr/bin/python3"
F_OFD_SETLK, F_SETLEASE, F_NOTIFY, F_SETSIG, F_SETOWN, F_ADD_SEALS, F_SET_RW_HINT = (
    37,
    1024,
    1026,
    10,
    8,
    1033,
    1036,
)
LOCK = b"\0" * 32


def attack():
    with (
        open(SHARED, "rb") as file,
        open("/usr/lib/os-release" if os.path.exists("/usr/lib/os-release") else SHARED, "rb"),
    ):
        folder = os.open("/usr/bin", os.O_RDONLY)
        return outcomes(
            {
                "flock": lambda: fcntl.flock(file, fcntl.LOCK_SH),
                "lockf": lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
                "is locked": lambda: fcntl.fcntl(file, fcntl.F_GETLK, LOCK),
                "open file lock": lambda: fcntl.fcntl(file, F_OFD_SETLK, LOCK),
                "lease": lambda: fcntl.fcntl(file, F_SETLEASE, fcntl.F_RDLCK),
                "who has a lease": lambda: fcntl.fcntl(file, fcntl.F_GETLEASE),
                "watch": lambda: fcntl.fcntl(folder, F_NOTIFY, 1),
                "signal": lambda: fcntl.fcntl(file, F_SETSIG, 10),
                "owner": lambda: fcntl.fcntl(file, F_SETOWN, 1),
                "seal": lambda: fcntl.fcntl(file, F_ADD_SEALS, 1),
                "hint": lambda: fcntl.fcntl(file, F_SET_RW_HINT, bytes(8)),
            }
        )


play_after(attack)
