"""Ratings in a model whose truth is known: how far off they are, and whether their errors say so.

Two ways to play. `logistic_games`: independent games between two, won by the logistic law. `dealt_matches`: at tables
of any size, a player's result is its strength, the luck of its seat's cards and luck of the moment; every deal is
played from each seating. There the model of the fit is wrong, as it is in the game, and the truth is what the fit comes
to over very many matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import binomtest

from arena.ratings.bradley_terry import Fit, chances, fit
from arena.ratings.sums import Floats, Sums, Tables, seat_pairs
from arena.ratings.table import errors_of
from matches.differences import ELO_PER_NAT

N_BOTS, SD_ELO = 50, 150.0
REPLICAS = 20
# Games by which systems are compared, and the goals of ours there.
RMSE_GOALS = {1000: None, 5000: 30.0, 20_000: 15.0}
ELO_GOALS = {16: 0.40, 32: 0.30}
# By table size: matches, deals of each, and times that all is played.
COVERAGE = {2: (1000, 5), 4: (600, 2), 8: (300, 1)}
COVERAGE_REPLICAS = 200
TRUE_MATCHES = 100_000
DUPLICATE_SEATS = (2, 4)
# Standard deviations of the luck of cards and of the moment. As shares of the variance they are those that give near
# equals the saving of duplicate deals which they have in real games (`rating_games.NEAR_EQUALS`).
CARDS, MOMENT = 1.16, 1.27


def rows() -> Iterator[dict[str, Any]]:
    yield from accuracy()
    yield from coverage()


def logistic_games(rng: np.random.Generator, strengths: Floats, n_games: int) -> Tables:
    n = len(strengths)
    one = rng.integers(0, n, n_games)
    two = (one + rng.integers(1, n, n_games)) % n
    players = np.sort(np.stack([one, two]), axis=0)
    won = rng.random(n_games) < chances(strengths[players[0]] - strengths[players[1]])
    return Tables(players, np.ones(n_games, dtype=np.int64), won[None].astype(np.float64))


def some(tables: Tables, which: Any) -> Tables:
    return Tables(tables.players[:, which], tables.games[which], tables.scores[:, which])


def rmse(ratings: Floats, truth: Floats) -> float:
    """In the unit of both, with their means put together."""
    return float((ratings - truth).std())


def incremental_elo(tables: Tables, k: float) -> Floats:
    """The usual rating of people, in Elo points: after each game K times the surprise."""
    ratings = [0.0] * N_BOTS
    for one, two, won in zip(*tables.players.tolist(), tables.scores[0].tolist(), strict=True):
        change = k * (won - 1 / (1 + 10 ** ((ratings[two] - ratings[one]) / 400)))
        ratings[one] += change
        ratings[two] -= change
    return np.array(ratings)


def accuracy() -> Iterator[dict[str, Any]]:
    ours: dict[int, list[float]] = {n: [] for n in RMSE_GOALS}
    elo: dict[int, list[float]] = {k: [] for k in ELO_GOALS}
    for seed in range(REPLICAS):
        rng = np.random.default_rng(seed)
        truth = rng.normal(0, SD_ELO / ELO_PER_NAT, N_BOTS)
        games = logistic_games(rng, truth, max(RMSE_GOALS))
        for n in RMSE_GOALS:
            found = fit(Sums(N_BOTS, [some(games, slice(n))]))
            ours[n].append(ELO_PER_NAT * rmse(found.strengths, truth))
        for k in ELO_GOALS:
            elo[k].append(rmse(incremental_elo(games, k), ELO_PER_NAT * truth))
    for n, goal in RMSE_GOALS.items():
        value = float(np.mean(ours[n]))
        yield {
            "name": f"{N_BOTS} bots, {n:,} games at random, RMSE",
            "value": round(value, 2),
            "unit": "Elo",
            "goal": goal,
            "ok": goal is None or value <= goal,
        }
    for k, goal in ELO_GOALS.items():
        yield {
            "name": f"incremental Elo with K={k}, RMSE",
            "value": round(float(np.mean(elo[k])), 2),
            "unit": "Elo",
        }
        ratio = float(np.mean(ours[20_000]) / np.mean(elo[k]))
        yield {
            "name": f"our error after 20,000 games beside that of K={k}",
            "value": round(ratio, 3),
            "unit": "share",
            "goal": goal,
            "ok": ratio <= goal,
        }


def dealt_matches(
    rng: np.random.Generator,
    strengths: Floats,
    seats: int,
    n_matches: int,
    deals: int,
    *,
    is_duplicate: bool = True,
) -> Tables:
    """Matches of random tables, every deal from each seating; or as many games with cards of their own."""
    n = len(strengths)
    players = np.sort(rng.random((n, n_matches)).argpartition(seats, axis=0)[:seats], axis=0)
    pairs = seat_pairs(seats)
    scores = np.zeros((len(pairs), n_matches))
    for _ in range(deals):
        cards = rng.normal(0, CARDS, (seats, n_matches))
        for turn in range(seats):
            if not is_duplicate:
                cards = rng.normal(0, CARDS, (seats, n_matches))
            result = strengths[players] + np.roll(cards, turn, axis=0) + rng.normal(0, MOMENT, players.shape)
            for pair, (one, two) in enumerate(pairs):
                scores[pair] += result[one] > result[two]
    return Tables(players, np.full(n_matches, deals * seats), scores)


def published_errors(found: Fit, sums: Sums, tables: Tables) -> Floats:
    """Standard errors in nats as a ladder would publish them."""
    n, pairs = sums.n_players, sums.pairs()
    n_matches = np.bincount(tables.players.ravel(), minlength=n)
    errors, _doubts = errors_of(found, pairs, n_matches, pairs.opponents(n))
    return np.array(errors) / ELO_PER_NAT


def about_mean(strengths: Floats) -> Floats:
    return strengths - strengths.mean()


def coverage_row(name: str, n_covered: int, n: int) -> dict[str, Any]:
    """Met if the 99 % binomial interval of the measured coverage touches [.93, .97]."""
    interval = binomtest(n_covered, n).proportion_ci(0.99)
    return {
        "name": name,
        "value": round(n_covered / n, 4),
        "unit": f"of {n:,}, {interval.low:.3f}–{interval.high:.3f}",
        "goal": "0.93–0.97",
        "ok": interval.low <= 0.97 and interval.high >= 0.93,
    }


def coverage() -> Iterator[dict[str, Any]]:
    for seats, (n_matches, deals) in COVERAGE.items():
        rng = np.random.default_rng(seats)
        strengths = rng.normal(0, SD_ELO / ELO_PER_NAT, N_BOTS)
        truth = about_mean(
            fit(Sums(N_BOTS, [dealt_matches(rng, strengths, seats, TRUE_MATCHES, 1)])).strengths
        )
        covered = naive = 0
        for _ in range(COVERAGE_REPLICAS):
            tables = dealt_matches(rng, strengths, seats, n_matches, deals)
            sums = Sums(N_BOTS, [tables])
            found = fit(sums)
            miss = np.abs(about_mean(found.strengths) - truth)
            covered += int((miss <= 1.96 * published_errors(found, sums, tables)).sum())
            naive += int((miss <= 1.96 * found.model_errors).sum())
        n = COVERAGE_REPLICAS * N_BOTS
        yield coverage_row(
            f"95 % intervals at {seats} seats that hold the truth, duplicate matches", covered, n
        )
        yield {
            "name": f"the same by the model alone, which takes all games for independent, {seats} seats",
            "value": round(naive / n, 4),
            "unit": "share",
        }
        if seats in DUPLICATE_SEATS:
            yield duplicate_row(rng, strengths, seats)


def duplicate_row(rng: np.random.Generator, strengths: Floats, seats: int) -> dict[str, Any]:
    """What duplicate deals save: the standard error beside that of as many games with cards of their own."""
    n_matches, deals = COVERAGE[seats]
    dealt, apart = (
        np.mean(
            [
                fit(
                    Sums(
                        N_BOTS,
                        [dealt_matches(rng, strengths, seats, n_matches, deals, is_duplicate=is_duplicate)],
                    )
                ).sandwich_errors.mean()
                for _ in range(REPLICAS)
            ]
        )
        for is_duplicate in (True, False)
    )
    return {
        "name": f"error of duplicate deals beside independent ones, {seats} seats",
        "value": round(float(dealt / apart), 3),
        "unit": "share",
        "goal": 0.92,
        "ok": bool(dealt <= 0.92 * apart),
    }
