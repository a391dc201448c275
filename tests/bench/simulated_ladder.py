"""A ladder in a model: bots of known strength, paired by `arena.pairing` and rated by `arena.ratings` as they play.

Games are won by the logistic law. A deal is played from both seatings; `mirrored` is the chance that the second game
has the luck of the first for the other side, 0 for independent games. Everything follows from the seed. `play_ladder`
says how far ratings are from the truth after so many games, `place_newcomer` how many games one more bot needs in a
field that is known.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.pairing.field import Contender, Record
from arena.pairing.ladder import pick_tables
from arena.ratings.bradley_terry import Fit, fit
from arena.ratings.sums import Sums, Tables
from arena.ratings.table import errors_of
from matches.differences import ELO_PER_NAT

TRUE_SD_ELO = 150.0
GAMES_A_MATCH = 10
# Matches that are paired before the results of any of them are rated, as on two workers.
QUEUE = 8
# The ladder's anchor is the bot in the middle.
ANCHOR_ELO = 1500.0
PLACED_GAMES = 150


@dataclass(frozen=True, slots=True)
class Accuracy:
    """After `n_games`: RMSE and worst standard error in Elo points, and the share of 95 % intervals that hold the
    truth, all about the mean of the field."""

    n_games: int
    rmse: float
    worst_error: float
    coverage: float


class SimulatedLadder:
    """Bots 0 to n-1, two each of an owner, and all that they have played."""

    def __init__(self, strengths: Sequence[float], rng: random.Random, mirrored: float) -> None:
        self.strengths = list(strengths)
        self.rng = rng
        self.mirrored = mirrored
        self.players: list[tuple[int, int]] = []
        self.scores: list[float] = []
        self.met: list[Counter[int]] = [Counter() for _ in self.strengths]
        self.wins = [0.0] * len(self.strengths)
        self.compared = [0] * len(self.strengths)
        self.elo = np.zeros(0)
        self.errors = np.zeros(0)
        self.sums = Sums(len(self.strengths))
        self.n_summed = 0
        self.fitted: Fit | None = None
        middle = sorted(range(len(self.strengths)), key=lambda bot: self.strengths[bot])
        self.anchor = middle[len(middle) // 2]

    @property
    def n_games(self) -> int:
        return GAMES_A_MATCH * len(self.scores)

    def add(self, strength: float) -> int:
        """A newcomer's number."""
        self.strengths.append(strength)
        self.met.append(Counter())
        self.wins.append(0.0)
        self.compared.append(0)
        self.sums, self.n_summed, self.fitted = Sums(len(self.strengths)), 0, None
        return len(self.strengths) - 1

    def play(self, one: int, two: int) -> None:
        chance = 1 / (1 + 10 ** ((self.strengths[two] - self.strengths[one]) / 400))
        won = float(sum(self.deal(chance) for _ in range(GAMES_A_MATCH // 2)))
        self.players.append((one, two))
        self.scores.append(won)
        for bot, other, score in ((one, two, won), (two, one, GAMES_A_MATCH - won)):
            self.met[bot][other] += 1
            self.wins[bot] += score
            self.compared[bot] += GAMES_A_MATCH

    def deal(self, chance: float) -> int:
        """The games that the first of two wins of one deal, played from both seatings: what luck gave it in one is now
        and then the other's in the other."""
        luck = self.rng.random()
        mirrored = 1 - luck if self.rng.random() < self.mirrored else self.rng.random()
        return (luck < chance) + (mirrored < chance)

    def rate(self) -> None:
        since = self.scores[self.n_summed :]
        tables = Tables(
            players=np.array(self.players[self.n_summed :], dtype=np.int64).T,
            games=np.full(len(since), GAMES_A_MATCH),
            scores=np.array(since)[None],
        )
        self.sums.add([tables])
        self.n_summed = len(self.scores)
        fitted = self.fitted = fit(self.sums, start=self.fitted)
        n_matches, n_met = (np.array([count(met) for met in self.met]) for count in (Counter.total, len))
        errors, _doubts = errors_of(fitted, self.sums.pairs(), n_matches, n_met)
        self.elo = ANCHOR_ELO + ELO_PER_NAT * (fitted.strengths - fitted.strengths[self.anchor])
        self.errors = np.array(errors)

    def owner(self, bot: int) -> int:
        return bot // 2

    def history(self, bot: int) -> Record:
        owners: Counter[int] = Counter()
        for other, n in self.met[bot].items():
            owners[self.owner(other)] += n
        return Record(self.met[bot].total(), dict(self.met[bot]), dict(owners))

    def contenders(self) -> list[Contender]:
        rated = {bot for bot in range(len(self.elo)) if self.met[bot]}
        return [
            Contender(
                version=bot,
                owner=self.owner(bot),
                n_rated=self.met[bot].total(),
                n_opponents=len(self.met[bot]),
                elo=float(self.elo[bot]) if bot in rated else None,
                standard_error=float(self.errors[bot]) if bot in rated else None,
                is_one_sided=self.wins[bot] in (0.0, self.compared[bot]),
            )
            for bot in range(len(self.strengths))
        ]

    def pair_and_play(self) -> int:
        """One queue of matches, then a new rating; how many matches."""
        tables = pick_tables(self.contenders(), seats=2, n_tables=QUEUE, history=self.history, rng=self.rng)
        for table in tables:
            one, two = table.versions
            self.play(one, two)
        if tables:
            self.rate()
        return len(tables)

    def accuracy(self) -> Accuracy:
        truth = np.array(self.strengths)
        error = self.elo - self.elo.mean() - (truth - truth.mean())
        return Accuracy(
            n_games=self.n_games,
            rmse=float(np.sqrt(np.mean(error**2))),
            worst_error=float(self.errors.max()),
            coverage=float(np.mean(np.abs(error) <= 1.96 * self.errors)),
        )


def strengths(n_bots: int, rng: random.Random) -> list[float]:
    return [rng.gauss(ANCHOR_ELO, TRUE_SD_ELO) for _ in range(n_bots)]


def play_ladder(seed: int, *, n_games: int = 20_000, n_bots: int = 50, mirrored: float = 0.0) -> Accuracy:
    """A ladder from its beginning to so many games, or until it idles."""
    rng = random.Random(f"ladder {seed}")
    ladder = SimulatedLadder(strengths(n_bots, rng), rng, mirrored)
    while ladder.n_games < n_games and ladder.pair_and_play():
        pass
    return ladder.accuracy()


def play_until_idle(
    seed: int, *, n_bots: int = 50, most_games: int = 200_000, mirrored: float = 0.0
) -> Accuracy:
    """A ladder from its beginning until it has nothing more to ask."""
    return play_ladder(seed, n_games=most_games, n_bots=n_bots, mirrored=mirrored)


@dataclass(frozen=True, slots=True)
class Placement:
    """Of a newcomer: the games after which its published standard error is at most 30, and how far its rating then was
    from the truth, about the mean of the field, after `PLACED_GAMES`."""

    n_games: int
    miss: float


def place_newcomer(
    seed: int, offset: float | None, *, n_bots: int = 50, n_games: int = 20_000, mirrored: float = 0.0
) -> Placement:
    """A bot `offset` Elo points above the middle, or drawn as the others were, in a field that has played `n_games` at
    random."""
    rng = random.Random(f"newcomer {seed} {offset}")
    if offset is None:
        offset = rng.gauss(0, TRUE_SD_ELO)
    ladder = SimulatedLadder(strengths(n_bots, rng), rng, mirrored)
    while ladder.n_games < n_games:
        ladder.play(*sorted(rng.sample(range(n_bots), 2)))
    newcomer = ladder.add(ANCHOR_ELO + offset)
    ladder.rate()
    placed, miss = 0, math.nan
    while not placed or math.isnan(miss):
        ladder.pair_and_play()
        n_played = ladder.compared[newcomer]
        if not placed and n_played and (ladder.errors[newcomer] <= 30.0 or n_played >= 1000):
            placed = n_played
        if math.isnan(miss) and n_played >= PLACED_GAMES:
            rated = ladder.elo[newcomer] - ladder.elo[:n_bots].mean()
            miss = float(rated - (ANCHOR_ELO + offset) + np.mean(ladder.strengths[:n_bots]))
    return Placement(placed, miss)
