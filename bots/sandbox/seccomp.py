"""The system calls that a sandboxed bot may make, as a seccomp filter for x86-64.

An allow-list, assembled by hand so that no library is needed: what CPython's standard library uses and a process
without files to write, children and network has a use for. Everything else answers an error:

- fork and vfork EPERM, and clone without CLONE_THREAD or with a namespace flag: threads, but no processes;
- socket EACCES (socketpair for AF_UNIX alone, which asyncio needs);
- clone3, io_uring and numbers unknown when this was written ENOSYS, so that the C library falls back;
- ioctl, fcntl, prctl, madvise and the options of sockets by lists of harmless requests;
- the rest EPERM. Another architecture's calls and the x32 ones kill the process.

Bots of one table, and the processes of a bot in two seatings, must not talk to each other. So what several sandboxes
would share is closed as far as a filter can: futexes that are not the process's own (its keys would be the host's
library files), the page cache's switches and its oracle (fadvise64, readahead, sync_file_range; preadv2 tells whether
a page is there), the load and the memory of the host (sysinfo), and descriptors in flight (sendmsg), which the kernel
counts by user.

No bot may continue itself where the referee has stopped it: SIGCONT can be sent by no call, and timers that
send a signal of one's choice (timer_create) are denied; the kernel would wake the process before asking whether the
signal is ignored.

Where a runtime sets aside more address space than its memory (`has_reserve`), its memory is limited by what the kernel
counts as private and writable. So whatever is memory and would not be counted is denied: mappings of nothing that are
shared, and those that grow downwards like a stack.

Two rules keep the exit status honest. The status 137 must mean that the process was killed from outside, which is the
arena's fault and not the bot's: so exiting with 137 kills with SIGSYS, and no bot may set its own CPU limit, which
would end in SIGKILL too.
"""

from __future__ import annotations

import errno
import platform
import struct
from typing import Final

ALLOWED: Final = {
    "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8,
    "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14,
    "rt_sigreturn": 15, "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20, "access": 21, "pipe": 22,
    "select": 23, "sched_yield": 24, "mremap": 25, "msync": 26, "dup": 32, "dup2": 33, "pause": 34,
    "nanosleep": 35, "getitimer": 36, "alarm": 37, "setitimer": 38, "getpid": 39, "sendfile": 40, "sendto": 44,
    "recvfrom": 45, "recvmsg": 47, "shutdown": 48,
    "execve": 59, "wait4": 61, "uname": 63, "fsync": 74, "fdatasync": 75, "truncate": 76,
    "ftruncate": 77, "getdents": 78, "getcwd": 79, "chdir": 80, "fchdir": 81, "rename": 82, "mkdir": 83,
    "rmdir": 84, "creat": 85, "unlink": 87, "readlink": 89, "chmod": 90, "fchmod": 91, "umask": 95,
    "gettimeofday": 96, "getrlimit": 97, "getrusage": 98, "times": 100, "getuid": 102,
    "getgid": 104, "geteuid": 107, "getegid": 108, "getppid": 110, "getpgrp": 111, "getgroups": 115,
    "getresuid": 118, "getresgid": 120, "getpgid": 121, "getsid": 124, "capget": 125, "rt_sigpending": 127,
    "rt_sigtimedwait": 128, "rt_sigsuspend": 130, "sigaltstack": 131, "getpriority": 140, "sched_getparam": 143,
    "sched_getscheduler": 145, "sched_get_priority_max": 146, "sched_get_priority_min": 147, "arch_prctl": 158,
    "gettid": 186, "time": 201, "sched_getaffinity": 204,
    "epoll_create": 213, "getdents64": 217, "set_tid_address": 218, "restart_syscall": 219,
    "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230, "epoll_wait": 232,
    "epoll_ctl": 233, "waitid": 247, "openat": 257, "mkdirat": 258, "newfstatat": 262,
    "unlinkat": 263, "renameat": 264, "readlinkat": 267, "fchmodat": 268, "faccessat": 269, "pselect6": 270,
    "ppoll": 271, "set_robust_list": 273, "get_robust_list": 274, "epoll_pwait": 281,
    "timerfd_create": 283, "eventfd": 284, "fallocate": 285, "timerfd_settime": 286, "timerfd_gettime": 287,
    "eventfd2": 290, "epoll_create1": 291, "dup3": 292, "pipe2": 293, "preadv": 295, "pwritev": 296,
    "getcpu": 309, "renameat2": 316, "getrandom": 318, "membarrier": 324, "copy_file_range": 326,
    "pkey_mprotect": 329, "pkey_alloc": 330, "pkey_free": 331, "statx": 332,
    "rseq": 334, "close_range": 436, "openat2": 437, "faccessat2": 439, "epoll_pwait2": 441, "futex_waitv": 449,
}  # fmt: skip

# By request: everything outside the list answers the error.
IOCTLS: Final = {
    "TCGETS": 0x5401,
    "TIOCGWINSZ": 0x5413,
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIONCLEX": 0x5450,
    "FIOCLEX": 0x5451,
}
FCNTLS: Final = {
    "F_DUPFD": 0,
    "F_GETFD": 1,
    "F_SETFD": 2,
    "F_GETFL": 3,
    "F_SETFL": 4,
    "F_DUPFD_CLOEXEC": 1030,
    "F_GETPIPE_SZ": 1032,
}
# What may be asked of a pair of sockets; nothing may be set. Others would number the socket by a count that all
# sandboxes share, and a larger buffer is the kernel's memory, which no limit of the bot covers.
SOCKET_OPTIONS: Final = {
    "SO_TYPE": 3,
    "SO_ERROR": 4,
    "SO_SNDBUF": 7,
    "SO_RCVBUF": 8,
    "SO_PROTOCOL": 38,
    "SO_DOMAIN": 39,
}
# What allocators and stacks of threads use. Others would merge equal memory of all processes, or push the pages of
# shared libraries out of memory.
ADVICE: Final = {
    "MADV_NORMAL": 0,
    "MADV_RANDOM": 1,
    "MADV_SEQUENTIAL": 2,
    "MADV_WILLNEED": 3,
    "MADV_DONTNEED": 4,
    "MADV_FREE": 8,
    "MADV_HUGEPAGE": 14,
    "MADV_NOHUGEPAGE": 15,
    "MADV_DONTDUMP": 16,
    "MADV_DODUMP": 17,
    "MADV_POPULATE_READ": 22,
    "MADV_POPULATE_WRITE": 23,
    "MADV_GUARD_INSTALL": 102,
    "MADV_GUARD_REMOVE": 103,
}
PRCTLS: Final = {"PR_SET_NAME": 15, "PR_GET_NAME": 16, "PR_CAPBSET_READ": 23, "PR_SET_VMA": 0x53564D41}

_MMAP, _IOCTL, _CLONE, _FORK, _EXIT, _FCNTL, _PRCTL, _EXIT_GROUP, _PRLIMIT64 = (
    9,
    16,
    56,
    57,
    60,
    72,
    157,
    231,
    302,
)
_FUTEX = 202
_SOCKET, _SOCKETPAIR, _CLONE3 = 41, 53, 435
_MADVISE, _GETSOCKOPT = 28, 55
_KILL_CALL, _TKILL, _TGKILL = 62, 200, 234
_IO_URING = range(425, 428)
_GAP = range(335, 424)  # no x86-64 call has these numbers
_LAST_KNOWN = 450
_X32 = 0x40000000
_AUDIT_ARCH_X86_64 = 0xC000003E
_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020000
_STATUS_OF_SIGKILL = 137
_SIGCONT = 18
_AF_UNIX = 1
_MAP_SHARED, _MAP_ANONYMOUS, _MAP_GROWSDOWN = 0x01, 0x20, 0x0100
_RLIMIT_CPU = 0
_FUTEX_PRIVATE = 128
_FUTEX_COMMAND = 0x7F
# The C library waits with these for the end of a thread, which the kernel tells as to any process.
_FUTEX_WAITS = (0, 9)

_LOAD, _JEQ, _JGE, _JSET, _AND, _RET = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000

_Instruction = tuple[int, int, int, int]


class UnsupportedArchitecture(Exception):
    """The filter knows the system calls of x86-64 alone; the text says so in words."""


def assemble(*, has_reserve: bool = False) -> bytes:
    """The filter as an array of `struct sock_filter`, for bubblewrap's `--seccomp`; see above for `has_reserve`.

    Raises UnsupportedArchitecture on any machine but x86-64.
    """
    machine = platform.machine()
    if machine != "x86_64":
        raise UnsupportedArchitecture(
            f"The sandbox's system-call filter is written for x86-64; this machine is {machine}, so no bot runs here."
        )
    verdicts: dict[int, list[_Instruction]] = {number: _allow() for number in ALLOWED.values()}
    verdicts |= {number: _fail(errno.ENOSYS) for number in (_CLONE3, *_IO_URING, *_GAP)}
    verdicts[_SOCKET] = _fail(errno.EACCES)
    verdicts[_SOCKETPAIR] = _if_argument_in(0, [_AF_UNIX], errno.EACCES)
    verdicts[_IOCTL] = _if_argument_in(1, IOCTLS.values(), errno.ENOTTY)
    verdicts[_FCNTL] = _if_argument_in(1, FCNTLS.values(), errno.EINVAL)
    verdicts[_PRCTL] = _if_argument_in(0, PRCTLS.values(), errno.EPERM)
    verdicts[_MADVISE] = _if_argument_in(2, ADVICE.values(), errno.EINVAL)
    verdicts[_GETSOCKOPT] = _if_argument_in(2, SOCKET_OPTIONS.values(), errno.EPERM)
    for call, index in ((_KILL_CALL, 1), (_TKILL, 1), (_TGKILL, 2)):
        verdicts[call] = [(_LOAD, 0, 0, _low(index)), (_JEQ, 0, 1, _SIGCONT), *_fail(errno.EPERM), *_allow()]
    verdicts[_CLONE] = [
        (_LOAD, 0, 0, _high(0)), (_JEQ, 0, 4, 0),
        (_LOAD, 0, 0, _low(0)), (_JSET, 2, 0, _CLONE_NAMESPACES), (_JSET, 0, 1, _CLONE_THREAD),
        *_allow(), *_fail(errno.EPERM),
    ]  # fmt: skip
    verdicts[_EXIT] = verdicts[_EXIT_GROUP] = [
        (_LOAD, 0, 0, _low(0)), (_AND, 0, 0, 0xFF), (_JEQ, 0, 1, _STATUS_OF_SIGKILL),
        (_RET, 0, 0, _KILL), *_allow(),
    ]  # fmt: skip
    verdicts[_FUTEX] = [
        (_LOAD, 0, 0, _low(1)), (_JSET, 4, 0, _FUTEX_PRIVATE), (_AND, 0, 0, _FUTEX_COMMAND),
        *((_JEQ, len(_FUTEX_WAITS) - at, 0, command) for at, command in enumerate(_FUTEX_WAITS)),
        *_fail(errno.EPERM), *_allow(),
    ]  # fmt: skip
    verdicts[_PRLIMIT64] = [
        (_LOAD, 0, 0, _low(1)), (_JEQ, 0, 4, _RLIMIT_CPU),
        (_LOAD, 0, 0, _low(2)), (_JEQ, 0, 3, 0), (_LOAD, 0, 0, _high(2)), (_JEQ, 0, 1, 0),
        *_allow(), *_fail(errno.EPERM),
    ]  # fmt: skip
    if has_reserve:
        # Of the types of a mapping, MAP_SHARED (1) and MAP_SHARED_VALIDATE (3) have the bit, MAP_PRIVATE (2) has not.
        verdicts[_MMAP] = [
            (_LOAD, 0, 0, _low(3)), (_JSET, 2, 0, _MAP_GROWSDOWN),
            (_JSET, 0, 2, _MAP_ANONYMOUS), (_JSET, 0, 1, _MAP_SHARED),
            *_fail(errno.EPERM), *_allow(),
        ]  # fmt: skip

    starts: list[int] = []
    bodies: list[list[_Instruction]] = []
    for number in range(_LAST_KNOWN + 1):
        body = verdicts.get(number) or _fail(errno.EPERM)
        if not bodies or bodies[-1] != body:
            starts.append(number)
            bodies.append(body)
    starts += [_LAST_KNOWN + 1, _X32]
    bodies += [_fail(errno.ENOSYS), [(_RET, 0, 0, _KILL)]]

    program = [
        (_LOAD, 0, 0, 4), (_JEQ, 1, 0, _AUDIT_ARCH_X86_64), (_RET, 0, 0, _KILL),
        (_LOAD, 0, 0, 0), *_search(starts, bodies),
    ]  # fmt: skip
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _search(starts: list[int], bodies: list[list[_Instruction]]) -> list[_Instruction]:
    """A binary search for the number: the kernel runs the filter for every number when it is loaded."""
    if len(bodies) == 1:
        return bodies[0]
    middle = len(bodies) // 2
    below = _search(starts[:middle], bodies[:middle])
    return [(_JGE, len(below), 0, starts[middle]), *below, *_search(starts[middle:], bodies[middle:])]


def _allow() -> list[_Instruction]:
    return [(_RET, 0, 0, _ALLOW)]


def _fail(error: int) -> list[_Instruction]:
    return [(_RET, 0, 0, _ERRNO | error)]


def _if_argument_in(index: int, values: object, error: int) -> list[_Instruction]:
    numbers = list(values)  # type: ignore[call-overload]
    checks = [(_JEQ, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    return [(_LOAD, 0, 0, _low(index)), *checks, *_fail(error), *_allow()]


def _low(index: int) -> int:
    return 16 + 8 * index


def _high(index: int) -> int:
    return 20 + 8 * index
