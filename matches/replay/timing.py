"""How long each decision took: public, outside the hash, and coarse, as no host measures the same twice.

A decision's charged CPU time is kept as the next power of two in milliseconds: `0` below 1 ms, `1` below
2 ms, `2` below 4 ms, … one character from `0` to `z` in base 36. `-` marks the autopilot, which costs none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

AUTOPILOT = "-"
BUCKETS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Timing:
    """`cpu`: one character a decision. `seat_cpu_ms`: what each seat was charged in all, rounded down."""

    cpu: str
    seat_cpu_ms: tuple[int, ...]


def bucket_number(cpu_ns: int) -> int:
    """Where a decision that was charged `cpu_ns` nanoseconds belongs: below 1, 2, 4, … ms, from 0."""
    return min((cpu_ns // 1_000_000).bit_length(), len(BUCKETS) - 1)


def bucket(cpu_ns: int) -> str:
    """The character for a decision that was charged `cpu_ns` nanoseconds."""
    return BUCKETS[bucket_number(cpu_ns)]


def below_ms(character: str) -> int | None:
    """The time in milliseconds that the decision stayed below; None for the autopilot."""
    return None if character == AUTOPILOT else 1 << BUCKETS.index(character)


def from_below_ms(bounds: Iterable[int | None]) -> str:
    """The inverse of `below_ms` for a whole game. Raises ValueError for a bound that is no bucket's."""
    return "".join(AUTOPILOT if bound is None else BUCKETS[_BOUNDS.index(bound)] for bound in bounds)


_BOUNDS = [1 << power for power in range(len(BUCKETS))]
