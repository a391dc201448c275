"""Attacks 4, 15, 25 and 26: writes wherever it might, makes a huge file, and a thousand empty ones."""

import os

from attacker import outcome, outcomes, play_after

PLACES = (
    "/",
    "/bot",
    "/kit",
    "/tmp",
    "/dev",
    "/dev/shm",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/etc",
    "/run",
    "/var/tmp",
)


def make(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def grow(path, by):
    descriptor = os.open(path, os.O_RDWR)
    try:
        by(descriptor)
    finally:
        os.close(descriptor)


def attack():
    return {
        "written": {place: outcome(make, f"{place}/mine") for place in PLACES},
        "empty files": sum(outcome(make, f"/tmp/{number}") == "done" for number in range(1000)),
        **outcomes(
            {
                "own source": lambda: make("/bot/main.py"),
                "interpreter": lambda: make("/usr/bin/python3"),
                "unlink": lambda: os.unlink("/bot/main.py"),
                "rename": lambda: os.rename("/bot", "/tmp/bot"),
                "mkdir": lambda: os.mkdir("/tmp/folder"),
                "symlink": lambda: os.symlink("/", "/tmp/link"),
                "hard link": lambda: os.link("/bot/main.py", "/tmp/link"),
                "chmod": lambda: os.chmod("/bot/main.py", 0o777),
                "sparse file": lambda: grow("/bot/main.py", lambda fd: os.truncate(fd, 1 << 40)),
                "truncate by name": lambda: os.truncate("/bot/main.py", 1 << 40),
                "fallocate": lambda: grow("/dev/null", lambda fd: os.posix_fallocate(fd, 0, 1 << 40)),
                "truncate /dev/null": lambda: grow("/dev/null", lambda fd: os.truncate(fd, 1 << 40)),
            }
        ),
    }


play_after(attack)
