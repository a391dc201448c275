"""How surely one rating is above another, and which ranks are possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from matches.differences import Z95

# Standard errors of a difference from which one is surely better: with a chance of 97.5 %.
SURE_ERRORS = Z95


def chance_better(elo: float, error: float, other_elo: float, other_error: float) -> float:
    """That the true strength of the first is above the other's, given both ratings and their standard errors."""
    spread = math.hypot(error, other_error)
    if not spread:
        return 0.5 if elo == other_elo else float(elo > other_elo)
    return 0.5 * (1 + math.erf((elo - other_elo) / (spread * math.sqrt(2))))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row of a published table stands: the ranks that are possible among all rows; and for a version that plays
    its place, from 1, the possible ones, and the chance that it is truly above the next, among those that play."""

    rank_low: int
    rank_high: int
    place: int | None = None
    place_low: int | None = None
    place_high: int | None = None
    better_than_next: float | None = None


def rank_ranges(figures: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """Of every rating of a list with its standard error, best first, the best and the worst rank that are possible,
    from 1; in little more than linear time where the errors are small beside the width of the field."""
    ratings = np.array([elo for elo, _ in figures], dtype=np.float64)
    squares = np.square(np.array([error for _, error in figures], dtype=np.float64))
    widest = squares.max(initial=0.0)
    ranges = []
    for place, (rating, square) in enumerate(zip(ratings, squares, strict=True)):
        # Who is further away than that is surely above or below; of the others each has to be looked at.
        reach = SURE_ERRORS * np.sqrt(max(widest + square, 1e-12)) * (1 + 1e-9)
        first, last = np.searchsorted(-ratings, [-(rating + reach), -(rating - reach)], side="right")
        near = slice(min(first, place), max(last, place + 1))
        ahead = (ratings[near] - rating) / np.sqrt(np.maximum(squares[near] + square, 1e-12))
        n_above = near.start + int((ahead >= SURE_ERRORS).sum())
        n_below = len(ratings) - near.stop + int((ahead <= -SURE_ERRORS).sum())
        ranges.append((1 + n_above, len(ratings) - n_below))
    return ranges


def placed(figures: Sequence[tuple[float, float]], plays: Sequence[bool]) -> list[Place]:
    """Where each of these ratings and standard errors stands, best first, and those that play among themselves."""
    found = [Place(low, high) for low, high in rank_ranges(figures)]
    playing = [number for number, does in enumerate(plays) if does]
    among_them = [figures[number] for number in playing]
    for index, (number, (low, high)) in enumerate(zip(playing, rank_ranges(among_them), strict=True)):
        is_last = index + 1 == len(playing)
        found[number] = replace(
            found[number],
            place=index + 1,
            place_low=low,
            place_high=high,
            better_than_next=None if is_last else chance_better(*among_them[index], *among_them[index + 1]),
        )
    return found
