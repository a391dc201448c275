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
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from arena.ratings.sums import (
    COLUMNS,
    GAMES,
    GAMES_SQUARED,
    TWICE_WON_BY_GAMES,
    WON_SQUARED,
    Floats,
    Sums,
    cells_of,
    seat_pairs,
)
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
# What the prior's width, in logarithms of its variance, may still be from where it comes to rest.
WIDTH_TOLERANCE = 1e-5
# A step of that logarithm is at most so long, and at most so many times what one of expectation and maximisation is.
LONGEST_STEP, MOST_STRETCH = 1.0, 20.0
# After a shorter one, strengths that have not settled yet change more than the step did.
TELLING_STEP = 0.02
# An earlier fit that lies further from the maximum than this is not near it.
NEAR_NATS = 0.1
# Strengths have settled when a step is so short. Where steps get no shorter under the second length, that is rounding.
SETTLED_NATS, ROUNDING_NATS = 1e-9, 1e-5
# Errors are from a Hessian at strengths so near the last ones.
FRESH_NATS = {np.float64: 1e-5, np.float32: 1e-4}
# So many columns of a triangular product at a time are as fast as all.
MANY_COLUMNS = 512
MAX_STEP_NATS = 3.0
MAX_STEPS = 200

Matrix = NDArray[np.floating]
Solve = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Fit:
    """`strengths` in nats, by player; `prior_sd` in nats is the width found, `outliers` are the players left out of
    it. Strengths and their covariance are about the field's mean, in which one who is hardly known weighs little, and
    so blurs only its own place. `half_meat` and its transpose add to the sandwich's meat: its upper triangle, and half
    of its diagonal."""

    strengths: Floats
    prior_sd: float
    outliers: frozenset[int]
    model_covariance: Matrix
    half_meat: Matrix

    @property
    def model_errors(self) -> Floats:
        """By player, the standard error in nats if all games were independent."""
        return rooted(np.diag(self.model_covariance))

    @property
    def sandwich_errors(self) -> Floats:
        """By player, the standard error in nats with the match as the cluster."""
        (trmm,) = get_blas_funcs(("trmm",), dtype=self.half_meat.dtype)
        variances = np.zeros(len(self.strengths), dtype=self.half_meat.dtype)
        # By some columns at a time, since of the product with the meat only the diagonal of the next is wanted.
        for first in range(0, len(variances), MANY_COLUMNS):
            some = slice(first, first + MANY_COLUMNS)
            columns = self.model_covariance[:, some]
            product = trmm(2.0, self.half_meat, columns, side=0, lower=0, trans_a=1)
            np.einsum("ij,ij->j", product, columns, out=variances[some])
        return rooted(variances)


def fit(
    sums: Sums,
    *,
    outliers: Collection[int] = (),
    prior_sd_elo: float | None = None,
    start: Fit | None = None,
) -> Fit:
    """Fit all players. Without `larger` tables the order of matches decides no bit; with them, sort matches first.

    `outliers` are left out of the prior's width whatever their results; further ones are found. With `prior_sd_elo`
    the prior is that for all players, and nothing is found out about it. `start` is a fit of the same players to
    nearly the same results: it spares steps. It changes the result only beyond the tolerance, and so does not belong
    where the same input must give the same bits.
    """
    found = maximise(sums, frozenset(outliers), prior_sd_elo, start)
    share = shares(found.information)
    return Fit(
        strengths=found.strengths - share @ found.strengths,
        prior_sd=math.sqrt(found.variance),
        outliers=found.outliers,
        model_covariance=centred(found.inverse, share),
        half_meat=half_meat_of(sums, found.strengths, found.inverse.dtype),
    )


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


class Ascent:
    """On the way to the maximum of the log posterior, which is strictly concave: strengths, the prior's variance, and
    who tells it. Without a given prior `may_tell` are those who are not left out beforehand.

    A step with the Hessian of before costs a tenth of one with a new Hessian, and near the maximum is nearly as good.
    """

    def __init__(self, sums: Sums, outliers: Collection[int], prior_sd_elo: float | None) -> None:
        self.sums = sums
        self.may_tell = np.ones(sums.n_players, dtype=bool)
        self.may_tell[list(outliers)] = False
        self.in_field = self.may_tell
        self.is_given = prior_sd_elo is not None
        self.strengths = np.zeros(sums.n_players)
        self.variance = ((prior_sd_elo or USUAL_SD_ELO) / ELO_PER_NAT) ** 2
        self.precision: type[np.floating] = np.float32 if sums.n_players >= MANY_PLAYERS else np.float64
        self.fresh = FRESH_NATS[self.precision]

    def weights(self) -> Floats:
        """By player, one over the variance of its prior."""
        wide = (OUTLIER_SD_ELO / ELO_PER_NAT) ** 2
        return 1 / np.where(self.in_field | self.is_given, self.variance, wide)

    def begin(self, start: Fit | None) -> bool:
        """Whether strengths have settled from there."""
        if start is None:
            if not self.is_given:
                self.strengths = first_guess(self.sums.games_of, self.sums.won_by)
                self.variance = spread_of(self.strengths[self.in_field]) ** 2 or self.variance
            return False
        solve = partial(times, start.model_covariance)
        if not self.is_given:
            self.in_field = self.may_tell.copy()
            self.in_field[list(start.outliers)] = False
            self.variance = start.prior_sd**2
        self.strengths = before = start.strengths - np.average(start.strengths, weights=self.weights())
        if not self.settle(solve, self.fresh / 8, NEAR_NATS) or self.is_given:
            return False
        # With errors as they were: those hardly count where so near a start helps.
        wider = (self.strengths**2 - before**2)[self.in_field].sum() / (self.in_field.sum() + USUAL_WEIGHT)
        return self.widen(solve, self.variance + float(wider))

    def settle(self, solve: Solve, rest: float, longest: float = math.inf) -> bool:
        """Go where steps lead that `solve` makes of the gradient, until it is no further than `rest`, while each is at
        most a quarter as long as the one before, and the first at most `longest`; whether that led to a place of rest.
        """
        weights, before = self.weights(), 4 * longest
        while True:
            step = solve(self.sums.won_by - expected(self.sums, self.strengths) - weights * self.strengths)
            length = float(np.abs(step).max())
            if length > before / 4:
                return before < ROUNDING_NATS
            strengths = self.strengths + step * min(1.0, MAX_STEP_NATS / max(length, SETTLED_NATS))
            # At the maximum what games say of all strengths together is nothing, so what the prior says is too.
            self.strengths = strengths - np.average(strengths, weights=weights)
            # What is left is to this step as this one to that before, and at best as Newton's method leaves it.
            if length * length / min(before, 1.0) < rest:
                return True
            before = length

    def widen(self, solve: Solve, variance: float) -> bool:
        """Take this variance, and go where that alone moves strengths; whether it is so near that they are settled."""
        before, self.variance = self.weights(), variance
        shift = solve((before - self.weights()) * self.strengths)
        self.strengths = self.strengths + shift
        return bool(np.abs(shift).max() ** 2 < self.fresh / 100)

    def hessian(self) -> tuple[Matrix, Floats]:
        """Of minus the log posterior, as `curvature`, with its diagonal; and that without the prior."""
        found, information = curvature(self.sums, self.strengths, self.precision)
        found.ravel()[:: len(found) + 1] = information + self.weights()
        return found, information


def maximise(sums: Sums, outliers: frozenset[int], prior_sd_elo: float | None, start: Fit | None) -> Maximum:
    """Newton's method; where strengths have settled, a step of the prior's variance by expectation and maximisation."""
    ascent = Ascent(sums, outliers, prior_sd_elo)
    potrf, trtri, lauum = get_lapack_funcs(("potrf", "trtri", "lauum"), dtype=ascent.precision)
    root: Matrix = np.zeros((sums.n_players, sums.n_players), dtype=ascent.precision)
    information: Floats = np.zeros(sums.n_players)
    is_field_known, is_settled = ascent.is_given, ascent.begin(start)
    step: WidthStep | None = None
    for _ in range(MAX_STEPS if sums.n_players else 0):
        origin, unrest = ascent.strengths, 0.0
        hessian, information = ascent.hessian()
        # Upper triangle, by columns: what LAPACK wants, and below it zeros that stay.
        factor, _info = potrf(hessian.T, lower=0, clean=0, overwrite_a=1)
        root, _info = trtri(factor, lower=0, overwrite_c=1)
        solve = partial(times_its_transpose, root)
        is_settled = is_settled or ascent.settle(solve, ascent.fresh / 100)
        if is_settled and not ascent.is_given:
            errors = np.einsum("ij,ij->i", root, root).astype(np.float64)
            if not is_field_known:
                near = near_the_middle(ascent.strengths, errors, ascent.in_field)
                ascent.in_field, is_field_known = ascent.may_tell & near, True
            field = ascent.in_field
            step = width_step(ascent.variance, ascent.strengths[field], errors[field], step)
            unrest = abs(step.step) * step.error_share
            is_settled = ascent.widen(solve, ascent.variance * math.exp(step.step))
        if is_settled and unrest < WIDTH_TOLERANCE and np.abs(ascent.strengths - origin).max() < ascent.fresh:
            is_settled = ascent.settle(solve, SETTLED_NATS)
            if is_settled and not ascent.is_given:
                ascent.widen(solve, width(ascent.strengths[field], errors[field]))
            if is_settled:
                break
    inverse, _info = lauum(root, lower=0, overwrite_c=1)
    mirror(inverse)
    found = frozenset(np.flatnonzero(~ascent.in_field).tolist())
    return Maximum(ascent.strengths, ascent.variance, found, inverse, information)


def times(matrix: Matrix, vector: Floats) -> Floats:
    product: Floats = (matrix @ vector.astype(matrix.dtype)).astype(np.float64)
    return product


def times_its_transpose(root: Matrix, vector: Floats) -> Floats:
    """Its product with its transpose, times the vector."""
    return times(root, times(root.T, vector))


def powers(strengths: Floats) -> Floats:
    """By player, e to the strength, about the middle of all: i beats j with probability eᵢ / (eᵢ + eⱼ)."""
    if not len(strengths):
        return strengths
    powers: Floats = np.exp(strengths - (strengths.min() + strengths.max()) / 2)
    return powers


def expected(sums: Sums, strengths: Floats) -> Floats:
    """By player, the games that these strengths would win."""
    power, ones = powers(strengths), np.ones(sums.n_players)
    won = np.zeros(sums.n_players)
    for columns in sums.blocks():
        stop = columns.stop
        share = power[:stop] + power[columns, None]
        np.divide(sums.block(sums.values[GAMES], columns), share, out=share)
        won[:stop] += ones[columns] @ share
        won[columns] += share @ ones[:stop]
    return won * power


def curvature(sums: Sums, strengths: Floats, precision: type[np.floating]) -> tuple[Matrix, Floats]:
    """Of minus the log likelihood, the second derivatives by each two players, one row for each column of the upper
    triangle and none on the diagonal; and by player that by itself."""
    n = sums.n_players
    power, ones = powers(strengths), np.ones(n)
    by_two, by_one = np.zeros((n, n), dtype=precision), np.zeros(n)
    for columns in sums.blocks():
        stop = columns.stop
        both = power[:stop] + power[columns, None]
        found = sums.block(sums.values[GAMES], columns) / both
        found /= both
        found *= power[:stop]
        found *= power[columns, None]
        by_one[:stop] += ones[columns] @ found
        by_one[columns] += found @ ones[:stop]
        np.negative(found, out=by_two[columns, :stop], casting="same_kind")
    return by_two, by_one


def mirror(upper: Matrix) -> None:
    """Write the upper triangle into the lower."""
    for first in range(0, len(upper), COLUMNS):
        last = first + COLUMNS
        upper[first:last, :first] = upper[:first, first:last].T
        square = upper[first:last, first:last]
        square += np.triu(square, 1).T


def first_guess(games: Floats, won: Floats) -> Floats:
    """By player, the strength that would win its share of games against the average."""
    guess: Floats = np.log((won + 1) / (games - won + 1))
    # The average over a field is nearer to even than the game against its middle.
    return guess * math.sqrt(1 + math.pi / 8 * spread_of(guess) ** 2)


def spread_of(strengths: Floats) -> float:
    """The standard deviation as the median absolute deviation tells it, which a few outliers do not move."""
    if not len(strengths):
        return 0.0
    return 1.4826 * float(np.median(np.abs(strengths - np.median(strengths))))


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


def half_meat_of(sums: Sums, strengths: Floats, precision: np.dtype[np.floating]) -> Matrix:
    """Half of the sum over matches of s sᵀ, s being the gradient that one match alone contributes, times C / (C - 1)
    for C matches. Each s adds to zero, and so does each row of the whole: the diagonal follows from the rest."""
    n = sums.n_players
    power, ones = powers(strengths), np.ones(n)
    scale = sums.n_matches / max(sums.n_matches - 1, 1)
    of_larger = products_of_larger(sums, strengths)
    below, diagonal = np.zeros((n, n), dtype=precision), np.zeros(n)
    for columns in sums.blocks():
        stop = columns.stop
        squared, twice_by_games, games_squared = (
            sums.block(sums.values[row], columns) for row in (WON_SQUARED, TWICE_WON_BY_GAMES, GAMES_SQUARED)
        )
        # Between two, the one's gradient is won - games p, and the other's is minus that.
        chance = power[:stop] + power[columns, None]
        np.divide(power[:stop], chance, out=chance)
        found = chance * games_squared
        found -= twice_by_games
        found *= chance
        found += squared
        if of_larger is not None:
            found -= sums.block(of_larger, columns)
        found *= -scale
        diagonal[:stop] += ones[columns] @ found
        diagonal[columns] += found @ ones[:stop]
        below[columns, :stop] = found
    below.ravel()[:: n + 1] = -0.5 * diagonal
    return below.T


def products_of_larger(sums: Sums, strengths: Floats) -> Floats | None:
    """By place, the sum over matches of more than two of the products of both players' gradients; None without any."""
    if not sums.larger:
        return None
    found = np.zeros(len(sums.values[GAMES]))
    for table, often in sums.larger:
        pairs = seat_pairs(len(table.players))
        theta, gradient = strengths[table.players], np.zeros(table.players.shape)
        for (one, two), scores in zip(pairs, table.scores, strict=True):
            surprise = scores - table.games * chances(theta[one] - theta[two])
            gradient[one] += surprise
            gradient[two] -= surprise
        for (one, two), cells in zip(pairs, cells_of(table, sums.n_players), strict=True):
            np.add.at(found, sums.places(cells), often * gradient[one] * gradient[two])
    return found


def rooted(variances: Matrix) -> Floats:
    """Standard errors; what rounding left below nothing is nothing."""
    errors: Floats = np.sqrt(np.maximum(variances.astype(np.float64), 0.0))
    return errors
