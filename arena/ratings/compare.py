"""How surely one rating is above another, and which ranks are possible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

# Standard errors of a difference from which one is surely better: with a chance of 97.5 %.
SURE_ERRORS = 1.959963984540054


def chance_better(elo: float, error: float, other_elo: float, other_error: float) -> float:
    """That the true strength of the first is above the other's, given both ratings and their standard errors."""
    spread = math.hypot(error, other_error)
    if not spread:
        return 0.5 if elo == other_elo else float(elo > other_elo)
    return 0.5 * (1 + math.erf((elo - other_elo) / (spread * math.sqrt(2))))


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a rating stands in a list, best first: the best and the worst rank that are possible, from 1, and the
    chance that it is truly above the next, None for the last."""

    rank_low: int
    rank_high: int
    better_than_next: float | None


def standings(figures: Sequence[tuple[float, float]], places: Iterable[int]) -> list[Standing]:
    """Of those at these places in a list of ratings and their standard errors, best first."""
    ratings = np.array([elo for elo, _ in figures], dtype=np.float64)
    squares = np.square(np.array([error for _, error in figures], dtype=np.float64))
    found = []
    for place in places:
        ahead = (ratings - ratings[place]) / np.sqrt(np.maximum(squares + squares[place], 1e-12))
        found.append(
            Standing(
                rank_low=1 + int((ahead >= SURE_ERRORS).sum()),
                rank_high=len(ratings) - int((ahead <= -SURE_ERRORS).sum()),
                better_than_next=(
                    chance_better(*figures[place], *figures[place + 1]) if place + 1 < len(figures) else None
                ),
            )
        )
    return found


def rank_ranges(figures: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """Of every rating of a list, best first, the best and the worst rank that are possible: what `standings` says of
    them, in little more than linear time where the errors are small beside the width of the field."""
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
