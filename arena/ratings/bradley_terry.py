"""Bradley-Terry strengths from whole matches: how far apart are these players, and how sure is that?

Every game of a table is read as one comparison of each two of its players, equal placings counting half a win.
Strengths are the maximum of the posterior under a Gaussian prior of mean zero, so that a player who has lost every
game has a rating too. Player i beats j with probability 1 / (1 + exp(θ_j - θ_i)); an Elo point is ln(10) / 400 nats.

The games of a match are no independent evidence: they share cards, and at a table of n the n(n-1)/2 comparisons
share games. Standard errors therefore come from the sandwich estimator with the match as the cluster. Over few
clusters it is too small; there the model's own error is used where that is larger.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ELO_PER_NAT = 400 / math.log(10)
# Wide beside the differences between programs that play at all: it decides only where the games do not.
PRIOR_SD_ELO = 350.0
FEW_CLUSTERS = 30
TOLERANCE = 1e-10
MAX_STEPS = 100
MAX_STEP_NATS = 3.0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One match: its players, how many games they played, and for each two i < j of them, in the order (0,1), (0,2),
    …, (1,2), …, the games that i won against j, ties counting half."""

    players: tuple[int, ...]
    games: int
    pairs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths in nats, with mean zero, by player as listed in `players` (ascending), and their covariances."""

    players: tuple[int, ...]
    strengths: Floats
    model_covariance: Floats
    sandwich_covariance: Floats
    n_matches: Ints

    def elo(self, anchor: int | None, anchor_elo: float) -> Floats:
        """Ratings with the anchor at `anchor_elo`, or their mean there if the anchor has not played."""
        index = self.index(anchor)
        origin = 0.0 if index is None else float(self.strengths[index])
        ratings: Floats = anchor_elo + ELO_PER_NAT * (self.strengths - origin)
        return ratings

    def standard_errors(self, anchor: int | None) -> Floats:
        """Elo points, of the difference to the anchor (to the mean if it has not played)."""
        model = errors_of(self.model_covariance, self.index(anchor))
        sandwich = errors_of(self.sandwich_covariance, self.index(anchor))
        errors: Floats = np.where(self.n_matches < FEW_CLUSTERS, np.maximum(model, sandwich), sandwich)
        return ELO_PER_NAT * errors

    def index(self, player: int | None) -> int | None:
        return self.players.index(player) if player in self.players else None


@dataclass(frozen=True, slots=True)
class Tables:
    """All matches of one table size: rows are matches. `seated` indexes players, `scores` are by pair."""

    seated: Ints
    games: Ints
    scores: Floats
    first: Ints
    second: Ints


def fit(comparisons: Sequence[Comparison], prior_sd_elo: float = PRIOR_SD_ELO) -> Fit:
    """Fit all players of these matches. The order of the matches decides the last bits: sort them first."""
    players = tuple(sorted({player for comparison in comparisons for player in comparison.players}))
    n = len(players)
    tables = by_size(comparisons, {player: index for index, player in enumerate(players)})
    wins, games = np.zeros((n, n)), np.zeros((n, n))
    n_matches = np.zeros(n, dtype=np.int64)
    for table in tables:
        one, two = table.seated[:, table.first], table.seated[:, table.second]
        played = np.broadcast_to(table.games[:, None], one.shape)
        wins += added(one, two, table.scores, n) + added(two, one, played - table.scores, n)
        games += added(one, two, played, n) + added(two, one, played, n)
        n_matches += np.bincount(table.seated.ravel(), minlength=n)
    precision = (ELO_PER_NAT / prior_sd_elo) ** 2
    strengths, hessian = maximise(wins, games, precision)
    model: Floats = np.linalg.inv(hessian).astype(np.float64)
    meat = np.zeros((n, n))
    for table in tables:
        meat += cluster_meat(table, strengths)
    n_clusters = len(comparisons)
    small_sample = n_clusters / (n_clusters - 1) if n_clusters > 1 else 1.0
    return Fit(
        players=players,
        strengths=strengths - strengths.mean() if n else strengths,
        model_covariance=model,
        sandwich_covariance=model @ meat @ model * small_sample,
        n_matches=n_matches,
    )


def by_size(comparisons: Iterable[Comparison], index: dict[int, int]) -> list[Tables]:
    sizes: dict[int, list[Comparison]] = {}
    for comparison in comparisons:
        sizes.setdefault(len(comparison.players), []).append(comparison)
    tables = []
    for size, group in sorted(sizes.items()):
        first, second = np.triu_indices(size, 1)
        tables.append(
            Tables(
                seated=np.array([[index[player] for player in one.players] for one in group], dtype=np.int64),
                games=np.array([one.games for one in group], dtype=np.int64),
                scores=np.array([one.pairs for one in group], dtype=np.float64),
                first=first.astype(np.int64),
                second=second.astype(np.int64),
            )
        )
    return tables


def added(rows: Ints, columns: Ints, values: NDArray[np.generic], n: int) -> Floats:
    """An n × n matrix with each value added at its row and column."""
    cells = (rows * n + columns).ravel()
    sums: Floats = np.bincount(cells, weights=values.ravel(), minlength=n * n).astype(np.float64)
    return sums.reshape(n, n)


def probabilities(differences: Floats) -> Floats:
    """Of winning at these differences in nats, without overflow."""
    return 0.5 * (1 + np.tanh(differences / 2))


def maximise(wins: Floats, games: Floats, precision: float) -> tuple[Floats, Floats]:
    """Newton's method on the log posterior, which is strictly concave; the maximum and minus the Hessian there."""
    n = len(wins)
    strengths = np.zeros(n)
    hessian = np.eye(n) * precision
    for _ in range(MAX_STEPS):
        chances = probabilities(strengths[:, None] - strengths[None, :])
        gradient = (wins - games * chances).sum(axis=1) - precision * strengths
        weights = games * chances * (1 - chances)
        hessian = np.diag(weights.sum(axis=1) + precision) - weights
        step = np.linalg.solve(hessian, gradient)
        largest = np.abs(step).max(initial=0.0)
        strengths = strengths + step * min(1.0, MAX_STEP_NATS / max(largest, TOLERANCE))
        if largest < TOLERANCE:
            break
    return strengths, hessian


def cluster_meat(table: Tables, strengths: Floats) -> Floats:
    """The sum over matches of s sᵀ, s being the gradient that one match alone contributes."""
    n, size = len(strengths), table.seated.shape[1]
    theta = strengths[table.seated]
    surprise = table.scores - table.games[:, None] * probabilities(
        theta[:, table.first] - theta[:, table.second]
    )
    gradient = np.zeros(table.seated.shape)
    for pair, (one, two) in enumerate(zip(table.first, table.second, strict=True)):
        gradient[:, one] += surprise[:, pair]
        gradient[:, two] -= surprise[:, pair]
    meat = np.zeros((n, n))
    for one in range(size):
        for two in range(size):
            meat += added(table.seated[:, one], table.seated[:, two], gradient[:, one] * gradient[:, two], n)
    return meat


def errors_of(covariance: Floats, anchor: int | None) -> Floats:
    """Standard errors of the differences to the anchor, or to the mean."""
    n = len(covariance)
    if anchor is None:
        centring = np.eye(n) - np.full((n, n), 1 / max(n, 1))
        variances = np.diag(centring @ covariance @ centring)
    else:
        own = np.diag(covariance)
        variances = own + own[anchor] - 2 * covariance[:, anchor]
    return np.sqrt(np.maximum(variances, 0.0))
