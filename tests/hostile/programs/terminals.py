"""Attack 20: types into a terminal, and opens the devices that a host has."""

import fcntl
import os

from attacker import outcome, play_after

TIOCSTI, TIOCLINUX, TIOCSCTTY, FIOASYNC, FS_IOC_GETFLAGS = 0x5412, 0x541C, 0x540E, 0x5452, 0x80086601
DEVICES = (
    "tty",
    "ptmx",
    "pts/0",
    "console",
    "mem",
    "kmem",
    "port",
    "vda",
    "sda",
    "loop0",
    "kvm",
    "fuse",
    "net/tun",
    "kmsg",
    "full",
)


def attack():
    return {
        "requests": {
            str(request): outcome(fcntl.ioctl, 0, request, b"x" * 8)
            for request in (TIOCSTI, TIOCLINUX, TIOCSCTTY, FIOASYNC, FS_IOC_GETFLAGS)
        },
        "devices": {name: outcome(os.open, f"/dev/{name}", os.O_RDWR) for name in DEVICES},
        "there": os.listdir("/dev"),
    }


play_after(attack)
