"""Attacks 3 and 4: takes all the memory that can be had, by every way to it, and keeps it while it plays on."""

import mmap
import os

from attacker import outcome, play_after, system_call

MIB = 1 << 20
hoard = []


def take(make):
    """How many MiB one way gives."""
    before = len(hoard)
    try:
        while len(hoard) - before < 2000:
            hoard.append(make())
    except (OSError, MemoryError):
        pass
    return len(hoard) - before


def attack():
    found = {
        "shared": take(lambda: mmap.mmap(-1, MIB, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)),
        "private": take(lambda: bytearray(MIB)),
        "memfd": outcome(lambda: os.memfd_create("hoard")),
        "memfd_secret": outcome(lambda: system_call(447, 0)),
        "shmget": outcome(lambda: system_call(29, 0, MIB, 0o1600)),
        "mlock": outcome(lambda: system_call(149, id(hoard), 4096)),
        "huge pages": outcome(
            lambda: mmap.mmap(-1, 2 * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
        ),
    }
    del hoard[-8:]  # to play with
    return found


play_after(attack)
