"""Where the lines and bars of a chart lie: coordinates of inline SVG pictures, which templates draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from arena.selectors.histories import Moment

# The size of a drawing in its own units; the page scales it. The margins hold the labels.
WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 28, 32
# Room for the name of a version.
NAME = 48
FRAME = {
    "width": WIDTH,
    "height": HEIGHT,
    "left": LEFT,
    "right": WIDTH - RIGHT,
    "top": TOP,
    "bottom": HEIGHT - BOTTOM,
}
# Rows of the table behind a history; the JSON has all.
MOMENTS_LISTED = 50
# A bar is as wide as one of so many at most.
BARS = 12
# How many lines a scale has at most.
TICKS = 6


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """One version's part of a history: `points` of the line and `outline` of its band, as SVG wants them, where the
    version begins, and whether that is too far right for its name to stand behind it."""

    version: int
    start: float
    is_late: bool
    points: str
    outline: str


@dataclass(frozen=True, slots=True)
class HistoryChart:
    stretches: list[Stretch]
    ratings: list[Tick]
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class Column:
    """A bar; `colour` is a card's (`neg` to `high`), or empty."""

    label: str
    colour: str
    x: float
    y: float
    width: float
    height: float
    middle: float
    is_labelled: bool


@dataclass(frozen=True, slots=True)
class BarChart:
    columns: list[Column]
    counts: list[Tick]


def round_step(span: float, n_ticks: int = TICKS) -> float:
    """The smallest of 1, 2, 5, 10, 20, … that divides a span into at most so many parts."""
    rough = max(span / n_ticks, 1e-9)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough - 1e-12)


def short_count(count: float) -> str:
    """A round number in at most five characters, which is what fits beside a scale: `9000`, `50 k`, `2.5 M`."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= max(unit, 10_000):
            return f"{count / unit:g} {name}"
    return f"{count:.0f}"


def scale(low: float, high: float, start: float, end: float, value: float) -> float:
    share = 0.5 if high == low else (value - low) / (high - low)
    return round(start + share * (end - start), 1)


def history_chart(moments: Sequence[Moment]) -> HistoryChart | None:
    """None where there is no line to draw yet."""
    if len(moments) < 2:
        return None
    low = min(moment.elo - moment.half_width for moment in moments)
    high = max(moment.elo + moment.half_width for moment in moments)
    step = max(round_step(high - low), 1)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    began, ended = moments[0].at.timestamp(), moments[-1].at.timestamp()

    def x(moment: Moment) -> float:
        return scale(began, ended, LEFT, WIDTH - RIGHT, moment.at.timestamp())

    def y(elo: float) -> float:
        return scale(low, high, HEIGHT - BOTTOM, TOP, elo)

    stretches = []
    for version, group in groupby(moments, key=lambda moment: moment.version):
        mine = list(group)
        upper = [f"{x(moment)},{y(moment.elo + moment.half_width)}" for moment in mine]
        lower = [f"{x(moment)},{y(moment.elo - moment.half_width)}" for moment in reversed(mine)]
        stretches.append(
            Stretch(
                version=version,
                start=x(mine[0]),
                is_late=x(mine[0]) > WIDTH - RIGHT - NAME,
                points=" ".join(f"{x(moment)},{y(moment.elo)}" for moment in mine),
                outline=" ".join([*upper, *lower]),
            )
        )
    n_steps = round((high - low) / step)
    return HistoryChart(
        stretches=stretches,
        ratings=[Tick(y(low + number * step), f"{low + number * step:.0f}") for number in range(n_steps + 1)],
        first=moments[0].at,
        last=moments[-1].at,
    )


def points_colour(points: int) -> str:
    """The card's colour for the points of a whole game: what is good to hold for few, what is bad for many."""
    steps = ((0, "neg"), (25, "zero"), (50, "low"), (75, "mid"))
    return next((name for end, name in steps if points < end), "high")


def bar_chart(counts: Sequence[tuple[str, int]], colours: Sequence[str] = ()) -> BarChart:
    """A bar for each label, as high as its count."""
    step = max(round_step(max(count for _label, count in counts)), 1)
    top = math.ceil(max(count for _label, count in counts) / step) * step
    width = (WIDTH - LEFT - RIGHT) / max(len(counts), BARS)
    every = math.ceil(len(counts) / 15)
    columns = []
    for number, (label, count) in enumerate(counts):
        y = scale(0, top, HEIGHT - BOTTOM, TOP, count)
        x = LEFT + number * width
        columns.append(
            Column(
                label=label,
                colour=colours[number] if colours else "",
                x=round(x + 1, 1),
                y=y,
                width=round(max(width - 2, 1), 1),
                height=round(HEIGHT - BOTTOM - y, 1),
                middle=round(x + width / 2, 1),
                is_labelled=number % every == 0,
            )
        )
    ticks = [
        Tick(scale(0, top, HEIGHT - BOTTOM, TOP, number * step), short_count(number * step))
        for number in range(round(top / step) + 1)
    ]
    return BarChart(columns=columns, counts=ticks)
