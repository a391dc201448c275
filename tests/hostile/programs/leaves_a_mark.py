"""Attack 64: leaves marks for the process of its next seating wherever something is shared, and looks for one."""

import ctypes
import fcntl
import mmap
import os
import socket

from attacker import outcome, outcomes, play_after, system_call

SHARED = "/usr/bin/python3"
FUTEX_WAKE, SO_COOKIE, POSIX_FADV_DONTNEED, RWF_NOWAIT = 1, 57, 4, 8
MADV_MERGEABLE, MADV_PAGEOUT = 12, 21


def looks(path):
    found = os.stat(path)
    return [
        found.st_atime_ns,
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_size,
        found.st_mode,
        found.st_nlink,
    ]


def use(path):
    """To change when it was last read or written."""
    with open(path, "rb") as file:
        file.read(100)
    outcome(lambda: os.write(os.open(path, os.O_WRONLY), b"x"))


def write_through():
    with open(SHARED, "rb") as file:
        mmap.mmap(file.fileno(), 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)


def wake_by_a_library():
    word = ctypes.cast(ctypes.CDLL(None).puts, ctypes.c_void_p).value & ~4095
    system_call(202, word, FUTEX_WAKE, 1, 0, 0, 0)


def attack():
    places = (SHARED, "/dev/null")
    found = {
        "looks": [looks(path) for path in places],
        "files": [os.listdir(path) for path in ("/tmp", "/dev", "/bot", "/kit")],
        "host": list(os.uname()),
        "pid": os.getpid(),
    }
    marks = outcomes(
        {
            "file": lambda: os.close(os.open("/tmp/mark", os.O_CREAT | os.O_WRONLY)),
            "unnamed file": lambda: os.close(os.open("/tmp", os.O_TMPFILE | os.O_RDWR)),
            "time of a file": lambda: os.utime(SHARED, (1, 1)),
            "time of a device": lambda: os.utime("/dev/null", (1, 1)),
            "attribute": lambda: os.setxattr("/dev/null", "user.mark", b"1"),
            "lock": lambda: fcntl.flock(os.open(SHARED, os.O_RDONLY), fcntl.LOCK_EX),
            "key": lambda: system_call(248, b"user\0", b"mark\0", b"1", 1, -3),
            "shared memory": lambda: system_call(29, 4711, 4096, 0o1666),
            "message queue": lambda: system_call(68, 4711, 0o1666),
            "posix queue": lambda: system_call(240, b"mark\0", 0x40, 0o666, 0),
            "socket": lambda: socket.socket(socket.AF_UNIX).bind("\0mark"),
            "number of a socket": lambda: socket.socketpair()[0].getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8),
            "memory of a program": write_through,
            "waiting in a library": wake_by_a_library,
            "drop from memory": lambda: system_call(221, 0, 0, 0, POSIX_FADV_DONTNEED),
            "read ahead": lambda: system_call(187, 0, 0, 4096),
            "is it in memory": lambda: system_call(27, 0, 4096, 0),
            "read what is in memory": lambda: system_call(327, 0, 0, 0, 0, 0, RWF_NOWAIT),
            "merged memory": lambda: system_call(28, 0, 4096, MADV_MERGEABLE),
            "push out of memory": lambda: system_call(28, 0, 4096, MADV_PAGEOUT),
            "load": os.getloadavg,
            "memory that is left": lambda: system_call(99, bytes(128)),
            "name of the host": lambda: system_call(170, b"mark", 4),
            "priority": lambda: os.nice(5),
        }
    )
    for path in places:
        use(path)
    return {"found": found, "marks": marks, "changed": [looks(path) for path in places] != found["looks"]}


play_after(attack)
