"""Bradley-Terry strengths from whole matches: how far apart are these players, and how sure is that?

Every game of a table is read as one comparison of each two of its players, equal placings counting half a win. Player
i beats j with probability 1 / (1 + exp(θ_j - θ_i)) (R. A. Bradley, M. E. Terry 1952); an Elo point is ln(10) / 400
nats. Strengths are the maximum of the posterior under a Gaussian prior, so that a player who has lost every game has
a rating too. The prior's width is what the players themselves show (empirical Bayes: B. Efron, C. Morris 1973; the
iteration is that of A. P. Dempster, N. M. Laird, D. B. Rubin 1977), without those far outside the field.

The games of a match are no independent evidence: they share cards, and at a table of n the n(n-1)/2 comparisons
share games. Standard errors therefore come from the sandwich estimator with the match as the cluster (P. J. Huber 1967;
K.-Y. Liang, S. L. Zeger 1986): the inverse Hessian around the sum over matches of s sᵀ, s being a match's gradient.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from matches.differences import ELO_PER_NAT

# Wide beside the differences between programs that play at all: for outliers, and before the field's width is known.
OUTLIER_SD_ELO = 350.0
# What the width of a field is taken for before anything is known of it, and how many players that guess weighs.
USUAL_SD_ELO, USUAL_WEIGHT = 200.0, 2.0
# So many standard deviations from the middle, a player is no part of the field that tells its width.
OUTLYING = 4.0
# From so many players on, Hessians are in single precision. Gradients never are, so strengths lose nothing by it; a
# standard error differs in its fifth figure.
MANY_PLAYERS = 500
# From so many players on, sums by pair have a bin for each pair who met, which takes a sort, and not for all.
MANY_PLAYERS_TO_COUNT = 3000
# The last step that is still taken; what it leaves is its square, or in single precision a thousandth of an Elo point.
TOLERANCE = {np.float64: 1e-5, np.float32: 2e-4}
# What the prior's width, in logarithms of its variance, may still be from where it comes to rest.
WIDTH_TOLERANCE = 1e-5
# A step of that logarithm is at most so long, and at most so many times what one of expectation and maximisation is.
LONGEST_STEP, MOST_STRETCH = 1.0, 20.0
# After a shorter one, strengths that have not settled yet change more than the step did.
TELLING_STEP = 0.02
NEAR_NATS = 0.1
MAX_STEP_NATS = 3.0
MAX_STEPS = 200
# Long columns are worked through by so many rows, whose intermediate results stay in a processor's cache.
BLOCK = 1 << 15

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Matrix = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Tables:
    """m matches between k players each. `players`, k by m, are numbers from 0, ascending in each match; `games`, m, how
    many a match has; `scores`, k(k-1)/2 by m, for each two players in the order (0,1), (0,2), …, (1,2), … the games in
    which the first was placed before the second, ties counting half."""

    players: Ints
    games: Ints
    scores: Floats


@dataclass(frozen=True, slots=True)
class Pairs:
    """Of each two players who met, `low` < `high`: the games, and those that `low` won. Ascending by `cells`, their
    places in the upper triangle, by columns, of a matrix of all players; `columns` says where each column begins that
    is not empty."""

    cells: Ints
    columns: Ints
    low: Ints
    high: Ints
    games: Floats
    won: Floats


@dataclass(frozen=True, slots=True)
class Meetings:
    """Every meeting of two players in a match, by table size, pair of places and match: `bins` says whose meeting it
    is, `met` which of the bins were met at all, `cells` where those belong in a matrix of all players, and `games` how
    many games they met in."""

    bins: Ints
    n_bins: int
    met: Ints
    cells: Ints
    games: Floats

    def sums(self, values: Sequence[NDArray[np.generic]]) -> Floats:
        """By pair who met, the sum of what each of their meetings gives."""
        return binned(self.bins, joined(values), self.n_bins)[self.met]


@dataclass(frozen=True)
class Fit:
    """`strengths` in nats, by player; `prior_sd` in nats is the width found, `outliers` are the players left out of
    it. Strengths and their covariance are about the field's mean, in which one who is hardly known weighs little, and
    so blurs only its own place. `half_meat` and its transpose add to the sandwich's meat: its upper triangle, and half
    of its diagonal."""

    strengths: Floats
    prior_sd: float
    outliers: frozenset[int]
    pairs: Pairs
    model_covariance: Matrix
    half_meat: Matrix

    @cached_property
    def half_sandwich(self) -> Matrix:
        """The inverse Hessian times half of the meat."""
        (trmm,) = get_blas_funcs(("trmm",), dtype=self.half_meat.dtype)
        product: Matrix = trmm(1.0, self.half_meat, self.model_covariance.T, side=1, lower=0)
        return product

    @property
    def model_errors(self) -> Floats:
        """By player, the standard error in nats if all games were independent."""
        return rooted(np.diag(self.model_covariance))

    @property
    def sandwich_errors(self) -> Floats:
        """By player, the standard error in nats with the match as the cluster."""
        return rooted(2 * np.einsum("ij,ij->j", self.half_sandwich.T, self.model_covariance))


@dataclass(frozen=True, slots=True)
class Start:
    """Where to begin: strengths and a prior's width in nats, from an earlier fit. It changes the result only beyond
    the tolerance, and so does not belong where the same input must give the same bits."""

    strengths: Floats
    prior_sd: float


def fit(
    tables: Sequence[Tables],
    n_players: int,
    *,
    outliers: Collection[int] = (),
    prior_sd_elo: float | None = None,
    start: Start | None = None,
) -> Fit:
    """Fit all players. The order of matches decides the last bits: sort them first.

    `outliers` are left out of the prior's width whatever their results; further ones are found. With `prior_sd_elo`
    the prior is that for all players, and nothing is found out about it.
    """
    meetings = meetings_of(tables, n_players)
    pairs = pairs_of(tables, meetings, n_players)
    found = maximise(pairs, n_players, frozenset(outliers), prior_sd_elo, start)
    share = shares(found.information)
    return Fit(
        strengths=found.strengths - share @ found.strengths,
        prior_sd=math.sqrt(found.variance),
        outliers=found.outliers,
        pairs=pairs,
        model_covariance=centred(found.inverse, share),
        half_meat=half_meat_of(tables, meetings, found.strengths, found.inverse.dtype),
    )


def seat_pairs(k: int) -> list[tuple[int, int]]:
    return list(combinations(range(k), 2))


def joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def meetings_of(tables: Sequence[Tables], n: int) -> Meetings:
    cells = joined(
        [
            table.players[two] * n + table.players[one]
            for table in tables
            for one, two in seat_pairs(len(table.players))
        ]
    )
    games = joined([table.games for table in tables for _ in table.scores])
    if n < MANY_PLAYERS_TO_COUNT:
        sums = binned(cells, games, n * n)
        met = np.flatnonzero(sums > 0)
        return Meetings(bins=cells, n_bins=n * n, met=met, cells=met, games=sums[met])
    met, bins = np.unique(cells, return_inverse=True)
    sums = binned(bins, games, len(met))
    return Meetings(bins=bins, n_bins=len(met), met=np.arange(len(met)), cells=met, games=sums)


def pairs_of(tables: Sequence[Tables], meetings: Meetings, n: int) -> Pairs:
    columns = np.searchsorted(meetings.cells, n * np.arange(n + 1))
    lengths = np.diff(columns)
    high = np.repeat(np.arange(n), lengths)
    return Pairs(
        cells=meetings.cells,
        columns=columns[:-1][lengths > 0],
        low=meetings.cells - high * n,
        high=high,
        games=meetings.games,
        won=meetings.sums([scores for table in tables for scores in table.scores]),
    )


def blocks(n_rows: int) -> Iterator[slice]:
    return (slice(first, first + BLOCK) for first in range(0, n_rows, BLOCK))


def chances(differences: Floats) -> Floats:
    """Of winning at these differences in nats, without overflow."""
    return 0.5 * (1 + np.tanh(differences / 2))


@dataclass(frozen=True, slots=True)
class Maximum:
    """Strengths, the prior's variance, who is left out of it, the inverse of minus the Hessian, and by player the
    information in its games (the Hessian's diagonal without the prior)."""

    strengths: Floats
    variance: float
    outliers: frozenset[int]
    inverse: Matrix
    information: Floats


def maximise(
    pairs: Pairs, n: int, outliers: frozenset[int], prior_sd_elo: float | None, start: Start | None
) -> Maximum:
    """Newton's method on the log posterior, which is strictly concave; on the way, once the strengths are near, the
    prior's variance by expectation and maximisation."""
    precision: type[np.floating] = np.float32 if n >= MANY_PLAYERS else np.float64
    tolerance = TOLERANCE[precision]
    potrf, potrs, trtri, lauum = get_lapack_funcs(("potrf", "potrs", "trtri", "lauum"), dtype=precision)
    wide = (OUTLIER_SD_ELO / ELO_PER_NAT) ** 2
    is_given = prior_sd_elo is not None
    in_field = np.ones(n, dtype=bool)
    in_field[list(outliers)] = False
    is_field_known = is_given
    if prior_sd_elo is not None:
        strengths, variance = np.zeros(n), (prior_sd_elo / ELO_PER_NAT) ** 2
    elif start is not None:
        strengths, variance = start.strengths - start.strengths[in_field].mean(), start.prior_sd**2
    else:
        strengths = first_guess(pairs, n)
        variance = spread_of(strengths[in_field]) ** 2 or (USUAL_SD_ELO / ELO_PER_NAT) ** 2
    information: Floats = np.zeros(n)
    inverse: Matrix = np.zeros((n, n), dtype=precision)
    before: WidthStep | None = None
    for _ in range(MAX_STEPS if n else 0):
        weights = np.full(n, 1 / variance) if is_given else 1 / np.where(in_field, variance, wide)
        surprise, curvature = derivatives(pairs, strengths)
        gradient = balance(pairs, surprise, -surprise, n) - weights * strengths
        information = balance(pairs, curvature, curvature, n)
        flat = np.zeros(n * n, dtype=precision)
        flat[pairs.cells] = -curvature
        flat[:: n + 1] = information + weights
        # Upper triangle, by columns: what LAPACK wants, and below it zeros that stay.
        factor, _info = potrf(flat.reshape(n, n).T, lower=0, clean=0, overwrite_a=1)
        step = potrs(factor, gradient.astype(precision), lower=0)[0].astype(np.float64)
        largest = np.abs(step).max()
        strengths = strengths + step * min(1.0, MAX_STEP_NATS / max(largest, tolerance))
        if largest > NEAR_NATS or (is_given and largest > tolerance):
            continue
        unrest = 0.0
        inverse, _info = trtri(factor, lower=0, overwrite_c=1)
        if not is_given:
            errors = np.einsum("ij,ij->i", inverse, inverse).astype(np.float64)
            if not is_field_known:
                in_field &= near_the_middle(strengths, errors, in_field)
                is_field_known = True
            before = width_step(variance, strengths[in_field], errors[in_field], before)
            unrest = abs(before.step) * before.error_share
            variance *= math.exp(before.step)
        if largest < tolerance and unrest < WIDTH_TOLERANCE:
            break
    half, _info = lauum(inverse, lower=0, overwrite_c=1)
    full = half + half.T
    full.ravel()[:: n + 1] /= 2
    return Maximum(strengths, variance, frozenset(np.flatnonzero(~in_field).tolist()), full, information)


def derivatives(pairs: Pairs, strengths: Floats) -> tuple[Floats, Floats]:
    """By pair, the slope of the log likelihood in the strength of `low`, and minus its second derivative."""
    surprise, curvature = np.empty(len(pairs.cells)), np.empty(len(pairs.cells))
    for rows in blocks(len(pairs.cells)):
        games = pairs.games[rows]
        chance = chances(strengths[pairs.low[rows]] - strengths[pairs.high[rows]])
        expected = games * chance
        surprise[rows] = pairs.won[rows] - expected
        curvature[rows] = expected * (1 - chance)
    return surprise, curvature


def first_guess(pairs: Pairs, n: int) -> Floats:
    """By player, the strength that would win its share of games against the average."""
    games = balance(pairs, pairs.games, pairs.games, n)
    won = balance(pairs, pairs.won, pairs.games - pairs.won, n)
    guess: Floats = np.log((won + 1) / (games - won + 1))
    # The average over a field is nearer to even than the game against its middle.
    return guess * math.sqrt(1 + math.pi / 8 * spread_of(guess) ** 2)


def spread_of(strengths: Floats) -> float:
    """The standard deviation as the median absolute deviation tells it, which a few outliers do not move."""
    if not len(strengths):
        return 0.0
    return 1.4826 * float(np.median(np.abs(strengths - np.median(strengths))))


def balance(pairs: Pairs, to_low: Floats, to_high: Floats, n: int) -> Floats:
    """By player, the sum of what its pairs give it."""
    total = binned(pairs.low, to_low, n)
    if len(pairs.cells):
        total[pairs.high[pairs.columns]] += np.add.reduceat(to_high, pairs.columns)
    return total


def binned(bins: Ints, values: NDArray[Any], n_bins: int) -> Floats:
    return np.bincount(bins, weights=values, minlength=n_bins).astype(np.float64, copy=False)


def near_the_middle(strengths: Floats, variances: Floats, in_field: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Who is not far outside, the error of each strength allowed for."""
    if not in_field.any():
        return in_field
    middle, spread = np.median(strengths[in_field]), spread_of(strengths[in_field])
    near: NDArray[np.bool_] = np.abs(strengths - middle) <= OUTLYING * np.sqrt(spread**2 + variances)
    return near


@dataclass(frozen=True, slots=True)
class WidthStep:
    """`change` is what a step of expectation and maximisation makes of the logarithm of the prior's variance, `slope`
    how much smaller that gets for each unit gone, `step` how far to go; `error_share` is the part of the variance that
    is the players' errors."""

    change: float
    slope: float
    step: float
    error_share: float


def width_step(variance: float, strengths: Floats, variances: Floats, before: WidthStep | None) -> WidthStep:
    """Where expectation and maximisation would end, as the last two of its changes tell by the secant method.

    In a field that has played little, each of its steps alone is hardly shorter than the one before.
    """
    found = width(strengths, variances)
    change, share = math.log(found / variance), float(variances.sum()) / (found * max(len(variances), 1))
    # Exact for players whose errors do not depend on each other; then as the last long step has shown.
    slope = (1 - share) ** 2
    if before is not None:
        slope = before.slope
        if abs(before.step) > TELLING_STEP:
            slope = (before.change - change) / before.step
    slope = min(max(slope, 1 / MOST_STRETCH), 1.0)
    step = max(-LONGEST_STEP, min(LONGEST_STEP, change / slope))
    return WidthStep(change, slope, step, share)


def width(strengths: Floats, variances: Floats) -> float:
    """The prior's variance, one step of expectation and maximisation on, with the usual width as a few players more:
    a field of two says nothing of its width."""
    usual = (USUAL_SD_ELO / ELO_PER_NAT) ** 2
    total = float((strengths**2 + variances).sum()) + USUAL_WEIGHT * usual
    return total / (len(strengths) + USUAL_WEIGHT)


def shares(information: Floats) -> Floats:
    """By player, its weight in the mean of the field: as much as its games tell of it, but no more than is usual, so
    that two who meet again and again are not the measure of all others."""
    if not information.any():
        return np.full(len(information), 1 / max(len(information), 1))
    weights: Floats = np.minimum(information, np.median(information))
    if not weights.any():
        weights = information
    share: Floats = weights / weights.sum()
    return share


def centred(inverse: Matrix, share: Floats) -> Matrix:
    """The covariance of strengths about their mean by these shares. What all strengths have in common has an error that
    only the prior bounds; left in, it would drown the rest in rounding."""
    mean = inverse @ share.astype(inverse.dtype)
    inverse -= mean[:, None]
    inverse -= (mean - mean @ share.astype(inverse.dtype))[None, :]
    return inverse


def half_meat_of(
    tables: Sequence[Tables], meetings: Meetings, strengths: Floats, precision: np.dtype[np.floating]
) -> Matrix:
    """Half of the sum over matches of s sᵀ, s being the gradient that one match alone contributes, times C / (C - 1)
    for C matches. Each s adds to zero, and so does each row of the whole: the diagonal follows from the rest."""
    n = len(strengths)
    n_matches = sum(len(table.games) for table in tables)
    sums = meetings.sums([product for table in tables for product in products(table, strengths)])
    sums *= n_matches / max(n_matches - 1, 1)
    flat = np.zeros(n * n, dtype=precision)
    flat[meetings.cells] = sums
    half: Matrix = flat.reshape(n, n).T
    flat[:: n + 1] = -0.5 * (half.sum(axis=0, dtype=np.float64) + half.sum(axis=1, dtype=np.float64))
    return half


def products(table: Tables, strengths: Floats) -> Floats:
    """By pair of places and match, the product of both players' gradients, as `Tables.scores`."""
    pairs = seat_pairs(len(table.players))
    found = np.empty(table.scores.shape)
    for rows in blocks(len(table.games)):
        theta, games = strengths[table.players[:, rows]], table.games[rows]
        gradient = np.zeros(theta.shape)
        for (one, two), scores in zip(pairs, table.scores[:, rows], strict=True):
            surprise = scores - games * chances(theta[one] - theta[two])
            gradient[one] += surprise
            gradient[two] -= surprise
        for number, (one, two) in enumerate(pairs):
            found[number, rows] = gradient[one] * gradient[two]
    return found


def rooted(variances: Matrix) -> Floats:
    """Standard errors; what rounding left below nothing is nothing."""
    errors: Floats = np.sqrt(np.maximum(variances.astype(np.float64), 0.0))
    return errors
