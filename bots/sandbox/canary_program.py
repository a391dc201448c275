"""What the canary of a program of the processor's own code tries, call by call, and what must come of each."""

from __future__ import annotations

import errno
from typing import Any

from bots.sandbox.limits import MIB, Limits
from bots.sandbox.prober import outcomes, prober
from bots.sandbox.runtimes import EXECUTABLE, RUNTIMES, Program

_READ_WRITE, _NOTHING = 3, 0
_SHARED, _PRIVATE, _ANONYMOUS, _GROWS_DOWN = 0x01, 0x02, 0x20, 0x100
_AT_FDCWD = -100
_SIGCONT = 18
_NPROC_LIMIT, _DATA_LIMIT, _CPU_LIMIT = 6, 2, 0
_TWO_WORDS_OF_ONES = b"\xff" * 16


def expected(limits: Limits) -> dict[str, tuple[tuple[int | bytes, ...], str | int]]:
    """By what is tried, the call and its result: the name of an error, or a number."""
    space_mib = limits.memory_mib + RUNTIMES[EXECUTABLE].reserve_mib
    whole = (limits.memory_mib + 1) * MIB
    anonymous = (-1, 0)
    denied: dict[str, tuple[int | bytes, ...]] = {
        "fork": (57,),
        "clone": (56, 17),
        "clone with namespaces": (56, 0x10000000 | 17),
        "execveat": (322, _AT_FDCWD, b"/bot/nothing", 0, 0, 0),
        "ptrace": (101, 16, 999999, 0, 0),
        "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
        "unshare": (272, 0x10000000),
        "setns": (308, 0, 0),
        "mount": (165, 0, 0, 0, 0, 0),
        "bpf": (321, 0, 0, 0),
        "keyctl": (250, 0, 0, 0, 0, 0),
        "userfaultfd": (323, 0),
        "perf_event_open": (298, 0, 0, -1, -1, 0),
        "memfd_create": (319, b"canary", 0),
        "shmget": (29, 0, 4096, 0o1600),
        "personality": (135, 0xFFFFFFFF),
        "seccomp": (317, 0, 0, 0),
        "setuid": (105, 0),
        "continue itself": (62, 1, _SIGCONT),
        "timer_create": (222, 1, 0, 0),
        "raise the limit of threads": (302, 0, _NPROC_LIMIT, _TWO_WORDS_OF_ONES, 0),
        "raise the limit of memory": (302, 0, _DATA_LIMIT, _TWO_WORDS_OF_ONES, 0),
        "set the CPU limit": (302, 0, _CPU_LIMIT, _TWO_WORDS_OF_ONES, 0),
        "shared memory": (9, 0, 4096, _READ_WRITE, _SHARED | _ANONYMOUS, *anonymous),
        "validated shared memory": (9, 0, 4096, _READ_WRITE, 3 | _ANONYMOUS, *anonymous),
        "a second stack": (9, 0, 4096, _READ_WRITE, _PRIVATE | _ANONYMOUS | _GROWS_DOWN, *anonymous),
    }
    return {
        **{name: (call, "EPERM") for name, call in denied.items()},
        "clone3": ((435, 0, 0), "ENOSYS"),
        "io_uring_setup": ((425, 1, 0), "ENOSYS"),
        "socket inet": ((41, 2, 1, 0), "EACCES"),
        "socket unix": ((41, 1, 1, 0), "EACCES"),
        "read /etc/passwd": ((2, b"/etc/passwd", 0), "ENOENT"),
        "read /proc/self/status": ((2, b"/proc/self/status", 0), "ENOENT"),
        "read /usr/bin/python3": ((2, b"/usr/bin/python3", 0), "ENOENT"),
        "write /bot": ((83, b"/bot/canary", 0o700), "EROFS"),
        "write /tmp": ((83, b"/tmp/canary", 0o700), "EROFS"),
        "write itself": ((2, b"/bot/main", 1), "EACCES"),
        "a descriptor left open": ((72, 3, 1), "EBADF"),
        "memory": ((9, 0, whole, _READ_WRITE, _PRIVATE | _ANONYMOUS, *anonymous), "ENOMEM"),
        "address space": (
            (9, 0, space_mib * MIB, _NOTHING, _PRIVATE | _ANONYMOUS, *anonymous),
            "ENOMEM",
        ),
        "uid": ((102,), 65534),
        "gid": ((104,), 65534),
        "pid": ((39,), 1),
    }


def program(limits: Limits) -> Program:
    return Program(EXECUTABLE, {"main": prober([call for call, _ in expected(limits).values()])}, "main")


def seen(line: bytes, limits: Limits) -> dict[str, Any]:
    """What the program saw, by what it tried. Raises ValueError for a line that is none of it."""
    return {
        name: errno.errorcode.get(-number, str(number)) if number < 0 else number
        for name, number in zip(expected(limits), outcomes(line), strict=True)
    }
