"""Attacks 12 and 13: sockets of every family, and to the host's own."""

import socket

from attacker import outcome, outcomes, play_after

FAMILIES = {
    "unix": 1,
    "inet": 2,
    "inet6": 10,
    "netlink": 16,
    "packet": 17,
    "bluetooth": 31,
    "alg": 38,
    "vsock": 40,
    "xdp": 44,
}
KINDS = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)


def connect_unix(name):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(name)


def attack():
    return {
        "families": {
            name: sorted({outcome(socket.socket, family, kind) for kind in KINDS})
            for name, family in FAMILIES.items()
        },
        "pairs": {
            name: outcome(socket.socketpair, family) for name, family in FAMILIES.items() if name != "unix"
        },
        **outcomes(
            {
                "loopback": lambda: socket.create_connection(("127.0.0.1", 80), timeout=1),
                "name": lambda: socket.getaddrinfo("example.org", 80),
                "abstract": lambda: connect_unix("\0/tmp/.X11-unix/X0"),
                "path": lambda: connect_unix("/run/docker.sock"),
                "packet filter": lambda: socket.socketpair()[0].setsockopt(1, 26, bytes(16)),
            }
        ),
    }


play_after(attack)
