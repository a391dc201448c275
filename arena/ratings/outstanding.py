"""Pairs whose results against each other stand out from what all others say of them, as when one lets the other win.

For each pair of groups (the bots, or their owners) a score test asks whether one more parameter is needed: a shift of
all chances between the two. With residuals r = won − expected of their matches at the fitted strengths, weights
w = n p (1 − p) and the information M of the fit, the sum of r has the variance φ (Σw − gᵀM⁻¹g), where g gathers w at
the versions with its sign (Rao 1948). The second term matters: a bot that plays much against one other has its rating
from there, which hides part of the shift. φ is the spread of whole matches beside that of independent games, found in
all matches, the strangest tenth left out, so that those who are looked for do not hide themselves.

Whoever is let win is rated too high, and then seems to fail against everybody else. So the strangest pair is set aside
and all others are fitted anew without its matches, until none stands out. Those set aside are last judged by that fit,
which knows nothing of their matches: there the variance is φ (Σw + gᵀM⁻¹g).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from arena.ratings import bradley_terry
from arena.ratings.sums import Floats, Ints, Sums, Tables
from arena.ratings.table import Outcome, columns_of
from matches.differences import ELO_PER_NAT

Pair = tuple[int, int]

FALSE_ALARMS = 0.01
"""The chance that any pair of a field without such pairs stands out."""
FEWEST_MATCHES = 5
LEAST_INFORMATION = 2.0
"""In games of even chances, times four: sums of so few and so sure games are far from normal."""
LEAST_SHIFT = 0.1
"""Of the share won. Styles suit each other more or less; that is no reason to look."""
PRIOR_SD_ELO = 500.0
"""Strengths are known so well without any match; it joins parts of the field that have not met."""
KEPT = 0.9
LARGEST_KEPT = NormalDist().inv_cdf((1 + KEPT) / 2)
MEAN_KEPT = 1 - 2 * LARGEST_KEPT * NormalDist().pdf(LARGEST_KEPT) / KEPT
"""The mean of the smallest part of squares of normal variables: ∫ x² φ(x) dx between −c and c is KEPT − 2 c φ(c)."""
FEWEST_FOR_SPREAD = 30
MOST_SET_ASIDE = 12


@dataclass(frozen=True, slots=True)
class Encounter:
    """What two groups have come to against each other: the shares that the first has won, and was expected to win (ties
    are halves), and how many standard errors lie between."""

    one: int
    other: int
    n_matches: int
    n_games: int
    expected: float
    won: float
    z: float
    stands_out: bool


@dataclass(frozen=True, slots=True)
class Survey:
    """All pairs that have met often enough, those first that lie farthest from their ratings; `threshold` is the z from
    which a pair stands out if its shift is large enough too."""

    encounters: tuple[Encounter, ...]
    threshold: float
    spread: float


@dataclass(frozen=True, slots=True)
class _Meetings:
    """Every two versions in every match: the place of the match, both versions, the games, and what the first one won
    of them."""

    match: Ints
    one: Ints
    other: Ints
    games: Ints
    won: Floats


@dataclass(frozen=True, slots=True)
class _Fit:
    """What the matches that are not set aside say: points expected in every meeting, weights, M⁻¹, φ, and whether a
    meeting was fitted, and could be judged."""

    expected: Floats
    weights: Floats
    inverse: Floats
    spread: float
    is_fitted: NDArray[np.bool_]
    is_known: NDArray[np.bool_]


def survey(outcomes: Iterable[Outcome], *, group: Mapping[int, int]) -> Survey:
    """Compare all groups' results with the strengths of their versions; `group` is by version."""
    outcomes = list(outcomes)
    versions = sorted({version for outcome in outcomes for version in outcome.versions})
    if not versions:
        return Survey((), math.inf, 1.0)
    index = {version: number for number, version in enumerate(versions)}
    meetings = _meetings(outcomes, index)
    groups = np.array([group[version] for version in versions], dtype=np.int64)
    parts = dict(_parts(meetings, groups))
    sums = Sums(len(versions), _tables(outcomes, index))
    fitted: bradley_terry.Fit | None = None
    aside: list[Pair] = []
    is_aside = np.zeros(len(outcomes), dtype=bool)
    while True:
        # The fit before differs by one pair's matches.
        with threadpool_limits(limits=1, user_api="blas"):
            fitted = bradley_terry.fit(sums, start=fitted)
            fit = _fit(meetings, fitted.strengths, is_aside)
        found = [
            encounter
            for pair, rows in parts.items()
            if (encounter := _encounter(meetings, groups, fit, pair, rows)) is not None
        ]
        threshold = -NormalDist().inv_cdf(FALSE_ALARMS / 2 / max(len(found), 1))
        found = [_judged(each, threshold) for each in found]
        found.sort(key=lambda each: (not each.stands_out, -abs(each.z)))
        further = [
            pair for each in found if each.stands_out and (pair := (each.one, each.other)) not in aside
        ]
        if not further or len(aside) == MOST_SET_ASIDE:
            return Survey(tuple(found), threshold, fit.spread)
        aside.append(further[0])
        matches = np.unique(meetings.match[parts[further[0]]])
        matches = matches[~is_aside[matches]]
        sums.take_back(_tables([outcomes[row] for row in matches], index))
        is_aside[matches] = True


def _tables(outcomes: Sequence[Outcome], index: dict[int, int]) -> list[Tables]:
    return [columns.tables for columns in columns_of(outcomes, index)]


def _meetings(outcomes: Sequence[Outcome], index: Mapping[int, int]) -> _Meetings:
    rows = [
        (row, index[one], index[other], outcome.games, won)
        for row, outcome in enumerate(outcomes)
        for (one, other), won in zip(combinations(outcome.versions, 2), outcome.pairs, strict=True)
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    match, one, other, games = (table[:, column].astype(np.int64) for column in range(4))
    return _Meetings(match, one, other, games, table[:, 4])


def _parts(meetings: _Meetings, groups: Ints) -> Iterator[tuple[Pair, Ints]]:
    """The meetings of each pair of groups that has met often enough; the smaller number is the first of the pair."""
    one, other = groups[meetings.one], groups[meetings.other]
    low, high = np.minimum(one, other), np.maximum(one, other)
    order = np.lexsort((high, low))
    edges = np.flatnonzero(np.diff(low[order]) | np.diff(high[order])) + 1
    for rows in np.split(order, edges):
        pair = int(low[rows[0]]), int(high[rows[0]])
        if pair[0] != pair[1] and len(rows) >= FEWEST_MATCHES:
            yield pair, rows


def _fit(meetings: _Meetings, strengths: Floats, is_aside: NDArray[np.bool_]) -> _Fit:
    """What strengths say that were fitted to all matches but those in these places."""
    is_fitted = ~is_aside[meetings.match]
    has_played = np.zeros(len(strengths), dtype=bool)
    has_played[meetings.one[is_fitted]] = has_played[meetings.other[is_fitted]] = True
    is_known = has_played[meetings.one] & has_played[meetings.other]
    chances = bradley_terry.chances(strengths[meetings.one] - strengths[meetings.other])
    expected, weights = meetings.games * chances, meetings.games * chances * (1 - chances)
    spread = _spread((meetings.won - expected)[is_fitted], weights[is_fitted])
    inverse = _inverse(meetings, np.where(is_fitted, weights, 0.0), len(strengths))
    return _Fit(expected, weights, inverse, spread, is_fitted, is_known)


def _spread(residuals: Floats, weights: Floats) -> float:
    """φ: the mean square of the matches' standardised residuals but the largest, and what it would be of independent
    games. Matches that one side is sure to win say little of it and are left out."""
    says_much = weights >= 1
    if says_much.sum() < FEWEST_FOR_SPREAD:
        return 1.0
    squares = np.sort(residuals[says_much] ** 2 / weights[says_much])
    trimmed = squares[: math.ceil(KEPT * len(squares))].mean()
    return float(trimmed / MEAN_KEPT)


def _inverse(meetings: _Meetings, weights: Floats, n: int) -> Floats:
    """M⁻¹: the inverse of the information that these weights and the prior hold of the n strengths."""
    information = np.zeros((n, n), dtype=np.float64)
    np.add.at(information, (meetings.one, meetings.other), -weights)
    np.add.at(information, (meetings.other, meetings.one), -weights)
    np.add.at(information, (meetings.one, meetings.one), weights)
    np.add.at(information, (meetings.other, meetings.other), weights)
    information[np.diag_indices(n)] += (ELO_PER_NAT / PRIOR_SD_ELO) ** 2
    inverse: Floats = np.linalg.inv(information).astype(np.float64)
    return inverse


def _encounter(meetings: _Meetings, groups: Ints, fit: _Fit, pair: Pair, rows: Ints) -> Encounter | None:
    """What this pair came to; None where that says too little. `stands_out` is not judged yet."""
    rows = rows[fit.is_known[rows]]
    if len(rows) < FEWEST_MATCHES:
        return None
    is_first = groups[meetings.one[rows]] == pair[0]
    games, weights = meetings.games[rows], fit.weights[rows]
    expected = np.where(is_first, fit.expected[rows], games - fit.expected[rows]).sum()
    won = np.where(is_first, meetings.won[rows], games - meetings.won[rows]).sum()
    pulls = np.where(is_first, weights, -weights)
    ends, where = np.unique(np.concatenate([meetings.one[rows], meetings.other[rows]]), return_inverse=True)
    g = np.bincount(where, weights=np.concatenate([pulls, -pulls]))
    told = float(g @ fit.inverse[np.ix_(ends, ends)] @ g)
    information = float(weights.sum()) + (-told if fit.is_fitted[rows].all() else told)
    if information < LEAST_INFORMATION:
        return None
    n_games = int(games.sum())
    z = float((won - expected) / math.sqrt(fit.spread * information))
    return Encounter(*pair, len(rows), n_games, float(expected) / n_games, float(won) / n_games, z, False)


def _judged(each: Encounter, threshold: float) -> Encounter:
    is_far = abs(each.z) >= threshold and abs(each.won - each.expected) >= LEAST_SHIFT
    return replace(each, stands_out=is_far)
