"""The log likelihood ratio of a trial on its way between the bounds, as a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.ratings.sequential import SequentialTest

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT = 8, 632
# How far above and below the bounds the drawing goes, as a share of their distance.
MARGIN = 0.18


@dataclass(frozen=True, slots=True)
class Chart:
    """Coordinates in a drawing of WIDTH by HEIGHT: the bounds and zero by their heights, the path as an SVG
    polyline's points, and its end. Values are of the ratio and its bounds."""

    upper_y: float
    lower_y: float
    zero_y: float
    points: str
    end: tuple[float, float]
    upper: float
    lower: float
    last: float
    n_pairs: int


def drawn(path: Sequence[Sequence[float]], test: SequentialTest) -> Chart:
    """`path`: pairs played and the ratio then, in order; before any the ratio is 0."""
    distance = test.upper - test.lower
    top, bottom = test.upper + MARGIN * distance, test.lower - MARGIN * distance
    whole = [(0.0, 0.0), *((float(n), float(ratio)) for n, ratio in path)]
    n_pairs, last = whole[-1]

    def height(ratio: float) -> float:
        held = min(max(ratio, bottom), top)
        return round(HEIGHT * (top - held) / (top - bottom), 1)

    def place(n: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * n / max(n_pairs, 1.0), 1)

    return Chart(
        upper_y=height(test.upper),
        lower_y=height(test.lower),
        zero_y=height(0.0),
        points=" ".join(f"{place(n)},{height(ratio)}" for n, ratio in whole),
        end=(place(n_pairs), height(last)),
        upper=test.upper,
        lower=test.lower,
        last=last,
        n_pairs=round(n_pairs),
    )
