"""Results for tests of the fit, from few words or from a simulated field."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from arena.ratings.bradley_terry import chances
from arena.ratings.sums import Floats, Tables
from matches.differences import ELO_PER_NAT


def of_two(matches: Sequence[tuple[int, int, int, float]]) -> list[Tables]:
    """Matches between two: the players, ascending, the games, and those that the first won."""
    rows = np.array(matches, dtype=np.float64).reshape(-1, 4)
    return [
        Tables(
            players=rows[:, :2].T.astype(np.int64), games=rows[:, 2].astype(np.int64), scores=rows[:, 3][None]
        )
    ]


def one_game_each(rng: np.random.Generator, strengths: Floats, n_games: int) -> list[Tables]:
    """Independent games between two, everybody equally likely to meet everybody."""
    n = len(strengths)
    one = rng.integers(0, n, n_games)
    two = (one + rng.integers(1, n, n_games)) % n
    players = np.sort(np.stack([one, two]), axis=0)
    won = rng.random(n_games) < chances(strengths[players[0]] - strengths[players[1]])
    return [
        Tables(players=players, games=np.ones(n_games, dtype=np.int64), scores=won[None].astype(np.float64))
    ]


def field(rng: np.random.Generator, n: int, sd_elo: float = 150.0) -> Floats:
    return rng.normal(0, sd_elo / ELO_PER_NAT, n)


def four_at_a_table(rng: random.Random, strengths: Sequence[float], n_matches: int) -> list[Tables]:
    """Matches of one game each, by what each player draws for the game."""
    players, scores = [], []
    for _ in range(n_matches):
        seated = sorted(rng.sample(range(len(strengths)), 4))
        drawn = [strengths[player] + rng.gauss(0, 1.7) for player in seated]
        players.append(seated)
        scores.append([float(drawn[i] > drawn[j]) for i in range(4) for j in range(i + 1, 4)])
    return [
        Tables(
            players=np.array(players).T,
            games=np.ones(n_matches, dtype=np.int64),
            scores=np.array(scores).T,
        )
    ]
