"""How much memory a worker's matches may use on this host, and what needs more. Every bot may use its whole limit."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from arena.models import Ladder
from bots.sandbox.host import total_memory_mib
from bots.sandbox.limits import Limits
from matches import checking

# What the bots of one check may use, and what a worker for checks of one process therefore needs.
CHECK_MIB = checking.SEATS * Limits().memory_mib


def share_mib(n_processes: int, *, beside_checks: bool) -> int:
    """What each of so many processes has for its match, if one process for checks stands on the host as well."""
    there = total_memory_mib() - (CHECK_MIB if beside_checks else 0)
    return max(there, 0) // n_processes


def match_problems(share: int) -> Iterator[str]:
    """A sentence for each open ladder whose matches need more than a process has."""
    for ladder in Ladder.objects.filter(is_open=True):
        needed = ladder.seats * ladder.memory_mib
        if needed > share:
            yield _(
                "A match of %(seats)d seats × %(limit)d MiB needs %(needed)d MiB, and a process has %(share)d MiB: "
                "run fewer processes, or give the host more memory."
            ) % {"seats": ladder.seats, "limit": ladder.memory_mib, "needed": needed, "share": share}


def check_problems(share: int) -> Iterator[str]:
    """A sentence if a check needs more than a process has."""
    if share < CHECK_MIB:
        yield _(
            "A check needs %(needed)d MiB, and a process has %(share)d MiB: give the host more memory."
        ) % {
            "needed": CHECK_MIB,
            "share": share,
        }


def fitting_processes(most: int) -> int:
    """How many processes for matches fit beside one for checks: at most so many, at least one."""
    for n_processes in range(most, 1, -1):
        if not any(match_problems(share_mib(n_processes, beside_checks=True))):
            return n_processes
    return 1
