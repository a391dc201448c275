"""What a version's games came to and took: its points, what the seat does, how long it thinks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from arena.ratings.compare import SURE_ERRORS
from matches.models import GameSeat

# Width in points of a bar of the distribution.
BAR_POINTS = 10


@dataclass(frozen=True, slots=True)
class Bar:
    """How many games ended with points from `low` to `high`, both included."""

    low: int
    high: int
    n_games: int


@dataclass(frozen=True, slots=True)
class Points:
    """The totals of the games without a fault of the version's own."""

    n_games: int
    mean: float
    sd: float
    quartiles: tuple[int, int, int]
    bars: list[Bar]


@dataclass(frozen=True, slots=True)
class SeatFigures:
    """What the version came to in one seat. Its points and their standard error leave out games with its fault."""

    seat: int
    n_games: int
    first_share: float
    mean_placing: float
    mean_points: float | None
    points_error: float | None

    @property
    def half_width(self) -> float | None:
        """Half the width of the 95 % interval of the mean points."""
        return None if self.points_error is None else SURE_ERRORS * self.points_error


@dataclass(frozen=True, slots=True)
class ThinkBar:
    """How many decisions were charged less than `below_ms` of CPU time, and no less than half of that; the first bar
    has all below 1 ms."""

    below_ms: int
    n_decisions: int


@dataclass(frozen=True, slots=True)
class Thinking:
    """The CPU time of the decisions that the version made itself. Half of them, and 99 of 100, took less than
    `half_below_ms` and `most_below_ms`, to the next bar."""

    n_decisions: int
    half_below_ms: int
    most_below_ms: int
    bars: list[ThinkBar]


@dataclass(frozen=True, slots=True)
class GameGroup:
    """Equal outcomes of the version's games: how often each came."""

    seat: int
    placing: int
    total: int | None
    has_fault: bool
    n: int


def game_groups(version: int, matches: Sequence[int]) -> list[GameGroup]:
    seats = GameSeat.objects.filter(version=version, game__match__in=matches).order_by()
    groups = seats.values_list("seat", "placing", "total", "fault").annotate(n=Count("pk"))
    return [
        GameGroup(seat, placing, total, has_fault=bool(fault), n=n)
        for seat, placing, total, fault, n in groups
    ]


def totals_of(groups: Iterable[GameGroup]) -> Counter[int]:
    """How often each total came, games with a fault of the version aside."""
    totals: Counter[int] = Counter()
    for group in groups:
        if group.total is not None and not group.has_fault:
            totals[group.total] += group.n
    return totals


def mean_and_sd(counts: Mapping[int, int]) -> tuple[float, float]:
    n = sum(counts.values())
    mean = sum(value * times for value, times in counts.items()) / n
    return mean, math.sqrt(sum(times * (value - mean) ** 2 for value, times in counts.items()) / n)


def points_of(groups: Sequence[GameGroup]) -> Points | None:
    totals = totals_of(groups)
    if not totals:
        return None
    n = totals.total()
    mean, sd = mean_and_sd(totals)
    in_order = sorted(totals.elements())
    bars = Counter[int]()
    for total, times in totals.items():
        bars[total // BAR_POINTS] += times
    return Points(
        n_games=n,
        mean=mean,
        sd=sd,
        quartiles=(in_order[n // 4], in_order[n // 2], in_order[3 * n // 4]),
        bars=[
            Bar(number * BAR_POINTS, (number + 1) * BAR_POINTS - 1, bars[number])
            for number in range(min(bars), max(bars) + 1)
        ],
    )


def seats_of(groups: Sequence[GameGroup]) -> list[SeatFigures]:
    found = []
    for seat in sorted({group.seat for group in groups}):
        mine = [group for group in groups if group.seat == seat]
        n = sum(group.n for group in mine)
        totals = totals_of(mine)
        mean, sd = mean_and_sd(totals) if totals else (None, None)
        found.append(
            SeatFigures(
                seat=seat,
                n_games=n,
                first_share=sum(group.n for group in mine if group.placing == 1) / n,
                mean_placing=sum(group.n * group.placing for group in mine) / n,
                mean_points=mean,
                points_error=None if sd is None else sd / math.sqrt(totals.total()),
            )
        )
    return found


def thinking_of(
    version: int, results: Iterable[tuple[Mapping[str, Any], Sequence[Sequence[int]]]]
) -> Thinking | None:
    """Of tallies and times; None where no match tells, as those do not that were played before times were kept."""
    counts: Counter[int] = Counter()
    for tally, times in results:
        if times:
            counts.update(dict(enumerate(times[tally["versions"].index(version)])))
    n = counts.total()
    if not n:
        return None
    last = max(number for number, times in counts.items() if times)
    bars = [ThinkBar(1 << number, counts[number]) for number in range(last + 1)]
    return Thinking(n, below(bars, 0.5 * n), below(bars, 0.99 * n), bars)


def below(bars: Iterable[ThinkBar], n: float) -> int:
    """The end of the first bar by which so many decisions are counted."""
    reached = 0
    for bar in bars:
        reached += bar.n_decisions
        if reached >= n:
            break
    return bar.below_ms
