"""What the points mean: doubling, who starts next, and the placing. Pure functions of points and rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .rules import Rules


def doubles(rules: Rules, points: Sequence[int], closer: int, table: Iterable[int]) -> bool:
    """Whether the closer's points are to be doubled, compared with those of the other seats at the table."""
    own = points[closer]
    if rules.double_only_positive and own <= 0:
        return False
    best = min(points[seat] for seat in table if seat != closer)
    return best <= own if rules.tie_doubles else best < own


def next_clockwise(seat: int, among: Iterable[int], seats: int) -> int:
    """`seat` itself when it is `among` them, else the next of them clockwise."""
    return min(among, key=lambda other: (other - seat) % seats)


def round_winner(points: Sequence[int], closer: int) -> int:
    """The seat with the lowest points after doubling; of several the closer, else the next clockwise after it."""
    lowest = min(points)
    return next_clockwise(closer, (s for s, p in enumerate(points) if p == lowest), len(points))


def placing(totals: Sequence[int], extra_tables: Sequence[Iterable[int]] = ()) -> tuple[int, ...]:
    """Each seat's place in standard competition ranking (1, 1, 3), lowest total first.

    `extra_tables` are the seats of each extra round that was played: they stay ahead of all others, and among
    them the last extra round that each took part in decides. They entered it level, so that totals tell its
    points.
    """
    last = [0] * len(totals)
    for number, table in enumerate(extra_tables, start=1):
        for seat in table:
            last[seat] = number
    keys = [(-last[seat], total) for seat, total in enumerate(totals)]
    return tuple(1 + sum(other < key for other in keys) for key in keys)
