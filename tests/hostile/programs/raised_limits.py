"""Attack 24: raises each of its limits."""

import resource

from attacker import outcome, play_after

LIMITS = (
    "AS",
    "NPROC",
    "NOFILE",
    "FSIZE",
    "CORE",
    "STACK",
    "MEMLOCK",
    "MSGQUEUE",
    "SIGPENDING",
    "RTPRIO",
    "NICE",
    "CPU",
)


def raised(limit):
    """Whether the kernel let one be raised."""
    before = resource.getrlimit(limit)
    more = before[1] + 1 if before[1] != resource.RLIM_INFINITY else before[1] - 1
    outcome(resource.setrlimit, limit, (more, more))
    return int(resource.getrlimit(limit) != before)


def attack():
    return {"raised": {name: outcome(raised, getattr(resource, f"RLIMIT_{name}")) for name in LIMITS}}


play_after(attack)
