"""The published table of a ladder: a pure function of its complete matches, whatever order they come in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from threadpoolctl import threadpool_limits

from arena.ratings.bradley_terry import Fit, fit
from arena.ratings.sums import Floats, Ints, Pairs, Sums, Tables, seat_pairs
from matches.differences import ELO_PER_NAT

# Rises with every change that would publish other numbers for the same matches.
ALGORITHM = "bradley-terry-5"
ANCHOR_ELO = 1500.0
# Elo points are published so fine: far finer than any error, far coarser than the noise of floating point.
DECIMALS = 2
SHARE_DECIMALS = 6
# An error over this, or fewer opponents than these (or than the field has), make a rating provisional.
PROVISIONAL_ERROR = 30.0
ENOUGH_OPPONENTS = 8
# Over fewer clusters than these the sandwich is too small on average, and itself hardly known.
FEW_MATCHES = 30


class Doubt(StrEnum):
    """Why a rating is provisional."""

    OPPONENTS = "opponents"
    ERROR = "error"
    CONNECTION = "connection"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A complete match; the lists of its tally (docs: `matches.tally.Tally`), by participant or by pair."""

    match: int
    versions: tuple[int, ...]
    games: int
    pairs: tuple[float, ...]
    totals: tuple[int, ...]
    clean: tuple[int, ...]
    rounds: tuple[int, ...]
    faults: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One version's rating. `standard_error` is about the mean of the field, so that two versions' errors add in
    squares to that of their difference; `doubts` say why the rating is provisional, if it is. `win_share` is over all
    pairs; `mean_points` a game and `round_points` a round are over games without an own fault, None without any."""

    version: int
    rank: int
    elo: float
    standard_error: float
    doubts: tuple[Doubt, ...]
    n_matches: int
    n_games: int
    n_opponents: int
    win_share: float
    mean_points: float | None
    round_points: float | None
    n_faults: int


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` by rank; `input_sha256` is of every outcome in the order of matches, of the anchor, of those named as
    outliers and of the algorithm's name; `prior_sd` is the width of the field in Elo points."""

    rows: tuple[Row, ...]
    input_sha256: str
    prior_sd: float
    n_matches: int
    n_games: int


@dataclass(frozen=True, slots=True)
class Columns:
    """All matches between k versions as arrays, matches along the last axis: indices of versions, ascending in each
    match, and what the tallies say of each."""

    tables: Tables
    totals: Ints
    clean: Ints
    rounds: Ints
    faults: Ints


def rate(outcomes: Iterable[Outcome], *, anchor: int | None, outliers: Collection[int] = ()) -> Table:
    """Rate all versions of these matches, the anchor at 1500, or their mean there if it has not played.

    `outliers` are versions that shall not tell how wide the field is. A match given twice counts once.
    """
    matches = [outcome for _, outcome in sorted({outcome.match: outcome for outcome in outcomes}.items())]
    versions = sorted({version for outcome in matches for version in outcome.versions})
    index = {version: number for number, version in enumerate(versions)}
    columns = columns_of(matches, index)
    # Sums of products come in another order on several threads.
    with threadpool_limits(limits=1, user_api="blas"):
        sums = Sums(len(versions), [column.tables for column in columns])
        fitted = fit(sums, outliers=[index[version] for version in outliers if version in index])
        origin = index.get(anchor) if anchor is not None else None
        rows = rows_of(versions, fitted, sums, columns, origin)
    return Table(
        rows=tuple(rows),
        input_sha256=input_sha256(matches, anchor, outliers),
        prior_sd=round(fitted.prior_sd * ELO_PER_NAT, DECIMALS),
        n_matches=len(matches),
        n_games=sum(outcome.games for outcome in matches),
    )


def input_sha256(matches: Iterable[Outcome], anchor: int | None, outliers: Collection[int]) -> str:
    """Of lines of compact JSON: algorithm, anchor and outliers, then each match."""
    lines: list[list[object]] = [[ALGORITHM, anchor, sorted(outliers)]]
    lines += [
        [
            one.match,
            one.versions,
            one.games,
            [float(score) for score in one.pairs],
            one.totals,
            one.clean,
            one.rounds,
            one.faults,
        ]
        for one in matches
    ]
    digest = hashlib.sha256()
    for line in lines:
        digest.update(json.dumps(line, separators=(",", ":")).encode() + b"\n")
    return digest.hexdigest()


def columns_of(matches: Sequence[Outcome], index: dict[int, int]) -> list[Columns]:
    """Of each table size that occurs, its matches in their order."""

    def size(one: Outcome) -> int:
        return len(one.versions)

    columns = []
    for k, group in groupby(sorted(matches, key=size), key=size):
        same = list(group)
        players = np.array([[index[version] for version in one.versions] for one in same], dtype=np.int64).T
        games = np.array([one.games for one in same], dtype=np.int64)
        scores = np.array([one.pairs for one in same], dtype=np.float64).reshape(len(same), -1).T
        order = np.argsort(players, axis=0, kind="stable")

        def ascending(values: list[tuple[int, ...]], order: Ints = order) -> Ints:
            taken: Ints = np.take_along_axis(np.array(values, dtype=np.int64).T, order, axis=0)
            return taken

        columns.append(
            Columns(
                tables=Tables(
                    players=np.take_along_axis(players, order, axis=0),
                    games=games,
                    scores=reordered(scores, games, order, k),
                ),
                totals=ascending([one.totals for one in same]),
                clean=ascending([one.clean for one in same]),
                rounds=ascending([one.rounds for one in same]),
                faults=ascending([one.faults for one in same]),
            )
        )
    return columns


def reordered(scores: Floats, games: Ints, order: Ints, k: int) -> Floats:
    """The scores of all pairs when each match's players are taken in this order."""
    number = np.zeros((k, k), dtype=np.int64)
    for pair, (one, two) in enumerate(seat_pairs(k)):
        number[one, two] = number[two, one] = pair
    taken = np.empty_like(scores)
    for pair, (one, two) in enumerate(seat_pairs(k)):
        first, second = order[one], order[two]
        score = np.take_along_axis(scores, number[first, second][None, :], axis=0)[0]
        taken[pair] = np.where(first < second, score, games - score)
    return taken


def rows_of(
    versions: Sequence[int], fitted: Fit, sums: Sums, columns: Sequence[Columns], anchor: int | None
) -> list[Row]:
    n = len(versions)
    n_matches, n_games = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    totals, clean, rounds, faults = (np.zeros(n, dtype=np.int64) for _ in range(4))
    for column in columns:
        for seat, players in enumerate(column.tables.players):
            np.add.at(n_matches, players, 1)
            np.add.at(n_games, players, column.tables.games)
            np.add.at(totals, players, column.totals[seat])
            np.add.at(clean, players, column.clean[seat])
            np.add.at(rounds, players, column.rounds[seat])
            np.add.at(faults, players, column.faults[seat])
    pairs = sums.pairs()
    opponents = pairs.opponents(n)
    origin = 0.0 if anchor is None else float(fitted.strengths[anchor])
    if anchor is None and n:
        origin = float(fitted.strengths.mean())
    elo = (ANCHOR_ELO + ELO_PER_NAT * (fitted.strengths - origin)).round(DECIMALS).tolist()
    errors, doubts = errors_of(fitted, pairs, n_matches, opponents)
    by_rank = sorted(range(n), key=lambda number: (-elo[number], versions[number]))
    return [
        Row(
            version=versions[number],
            rank=rank,
            elo=elo[number],
            standard_error=errors[number],
            doubts=doubts[number],
            n_matches=int(n_matches[number]),
            n_games=int(n_games[number]),
            n_opponents=int(opponents[number]),
            win_share=round(float(sums.won_by[number] / sums.games_of[number]), SHARE_DECIMALS),
            mean_points=mean(totals[number], clean[number]),
            round_points=mean(totals[number], rounds[number]),
            n_faults=int(faults[number]),
        )
        for rank, number in enumerate(by_rank, 1)
    ]


def mean(total: int, count: int) -> float | None:
    return round(float(total / count), SHARE_DECIMALS) if count else None


def errors_of(
    fitted: Fit, pairs: Pairs, n_matches: Ints, opponents: Ints
) -> tuple[list[float], list[tuple[Doubt, ...]]]:
    """By version, the published standard error in Elo points, and why the rating is provisional.

    The larger of both estimates while it is, or while there are few matches; then the sandwich's. How much a version's
    matches scatter more or less than the model says is hardly known from few: so far it is taken to be as in
    the field. Among few versions errors about the mean hang together; widened by n / (n - 1), those of two add to that
    of their difference.
    """
    n = len(n_matches)
    if not n:
        return [], []
    scale = ELO_PER_NAT * (n / max(n - 1, 1)) ** 0.5
    model = scale * fitted.model_errors
    scatter = (scale * fitted.sandwich_errors / model) ** 2
    own = np.minimum(n_matches / FEW_MATCHES, 1.0)
    sandwich = model * np.sqrt(own * scatter + (1 - own) * np.average(scatter, weights=n_matches))
    larger = np.maximum(sandwich, model)
    connected = best_connected(pairs, n)
    doubts = []
    for number in range(n):
        checks = {
            Doubt.OPPONENTS: opponents[number] < min(ENOUGH_OPPONENTS, n - 1),
            Doubt.ERROR: larger[number] > PROVISIONAL_ERROR,
            Doubt.CONNECTION: not connected[number],
        }
        doubts.append(tuple(doubt for doubt, holds in checks.items() if holds))
    cautious = (n_matches < FEW_MATCHES) | np.array([bool(found) for found in doubts], dtype=bool)
    return np.where(cautious, larger, sandwich).round(DECIMALS).tolist(), doubts


def best_connected(pairs: Pairs, n: int) -> NDArray[np.bool_]:
    """Who belongs to the largest group in which everybody is linked to everybody by wins, in both directions.

    Without the prior a rating beyond it would have no end (D. R. Hunter, "MM algorithms for generalized Bradley-Terry
    models", 2004, assumption 1).
    """
    if not n:
        return np.zeros(0, dtype=bool)
    ahead, behind = pairs.won > 0, pairs.won < pairs.games
    winners = np.concatenate([pairs.low[ahead], pairs.high[behind]])
    losers = np.concatenate([pairs.high[ahead], pairs.low[behind]])
    graph = coo_array((np.ones(len(winners)), (winners, losers)), shape=(n, n))
    _count, group = connected_components(graph, directed=True, connection="strong")
    sizes = np.bincount(group)[group]
    # Of groups equally large, that of the version which came first.
    main: NDArray[np.bool_] = (group == group[int(sizes.argmax())]) & (sizes > 1)
    return main
