"""A ladder in a model: bots of known strength, paired by `arena.pairing` and rated by `arena.ratings` as they play.

Games are independent and won by the logistic law: what duplicate deals save is left out. Everything follows from
the seed. `play_ladder` says how far ratings are from the truth after so many games, `place_newcomer` how many games one
more bot needs in a field that is known.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.pairing.field import Contender, Record
from arena.pairing.ladder import pick_tables
from arena.ratings.bradley_terry import ELO_PER_NAT, Comparison, Fit, fit

TRUE_SD_ELO = 150.0
GAMES_A_MATCH = 10
# Matches that are paired before the results of any of them are rated, as on two workers.
QUEUE = 8
# The ladder's anchor is the bot in the middle.
ANCHOR_ELO = 1500.0


@dataclass(frozen=True, slots=True)
class Accuracy:
    """After `n_games`: RMSE and worst standard error in Elo points about the mean, worst standard error against the
    anchor, and the share of 95 % intervals (about the mean) that hold the truth."""

    n_games: int
    rmse: float
    worst_error: float
    worst_error_to_anchor: float
    coverage: float


class SimulatedLadder:
    """Bots 0 to n-1, two each of an owner, and all that they have played."""

    def __init__(self, strengths: Sequence[float], rng: random.Random) -> None:
        self.strengths = list(strengths)
        self.rng = rng
        self.matches: list[Comparison] = []
        self.met: list[Counter[int]] = [Counter() for _ in self.strengths]
        self.wins = [0.0] * len(self.strengths)
        self.compared = [0] * len(self.strengths)
        self.fitted: Fit | None = None
        middle = sorted(range(len(self.strengths)), key=lambda bot: self.strengths[bot])
        self.anchor = middle[len(middle) // 2]

    @property
    def n_games(self) -> int:
        return GAMES_A_MATCH * len(self.matches)

    def add(self, strength: float) -> int:
        """A newcomer's number."""
        self.strengths.append(strength)
        self.met.append(Counter())
        self.wins.append(0.0)
        self.compared.append(0)
        return len(self.strengths) - 1

    def play(self, one: int, two: int) -> None:
        chance = 1 / (1 + 10 ** ((self.strengths[two] - self.strengths[one]) / 400))
        won = float(sum(self.rng.random() < chance for _ in range(GAMES_A_MATCH)))
        self.matches.append(Comparison((one, two), GAMES_A_MATCH, (won,)))
        for bot, other, score in ((one, two, won), (two, one, GAMES_A_MATCH - won)):
            self.met[bot][other] += 1
            self.wins[bot] += score
            self.compared[bot] += GAMES_A_MATCH

    def rate(self) -> Fit:
        self.fitted = fit(self.matches)
        return self.fitted

    def owner(self, bot: int) -> int:
        return bot // 2

    def history(self, bot: int) -> Record:
        owners: Counter[int] = Counter()
        for other, n in self.met[bot].items():
            owners[self.owner(other)] += n
        return Record(self.met[bot].total(), dict(self.met[bot]), dict(owners))

    def contenders(self) -> list[Contender]:
        elo: dict[int, float] = {}
        errors: dict[int, float] = {}
        if self.fitted is not None:
            players = self.fitted.players
            elo = dict(zip(players, self.fitted.elo(self.anchor, ANCHOR_ELO).tolist(), strict=True))
            errors = dict(zip(players, self.fitted.standard_errors(self.anchor).tolist(), strict=True))
        return [
            Contender(
                version=bot,
                owner=self.owner(bot),
                is_anchor=bot == self.anchor,
                n_rated=self.met[bot].total(),
                n_opponents=len(self.met[bot]),
                elo=elo.get(bot),
                standard_error=errors.get(bot),
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
        fitted = self.fitted or self.rate()
        truth = np.array([self.strengths[bot] for bot in fitted.players])
        error = fitted.strengths * ELO_PER_NAT
        error = error - error.mean() - (truth - truth.mean())
        errors = fitted.standard_errors(None)
        return Accuracy(
            n_games=self.n_games,
            rmse=float(np.sqrt(np.mean(error**2))),
            worst_error=float(errors.max()),
            worst_error_to_anchor=float(fitted.standard_errors(self.anchor).max()),
            coverage=float(np.mean(np.abs(error) <= 1.96 * errors)),
        )


def strengths(n_bots: int, rng: random.Random) -> list[float]:
    return [rng.gauss(ANCHOR_ELO, TRUE_SD_ELO) for _ in range(n_bots)]


def play_ladder(seed: int, *, n_games: int = 20_000, n_bots: int = 50) -> Accuracy:
    """A ladder from its beginning to so many games, or until it idles."""
    rng = random.Random(f"ladder {seed}")
    ladder = SimulatedLadder(strengths(n_bots, rng), rng)
    while ladder.n_games < n_games and ladder.pair_and_play():
        pass
    return ladder.accuracy()


def play_until_idle(seed: int, *, n_bots: int = 50, most_games: int = 200_000) -> Accuracy:
    """A ladder from its beginning until it has nothing more to ask."""
    return play_ladder(seed, n_games=most_games, n_bots=n_bots)


def place_newcomer(seed: int, offset: float, *, n_bots: int = 50, n_games: int = 20_000) -> int | None:
    """The games that a bot `offset` Elo points above the middle needs for a standard error of 30, in a field that has
    played `n_games` at random. None if it is not placed in 1,000."""
    rng = random.Random(f"newcomer {seed} {offset}")
    ladder = SimulatedLadder(strengths(n_bots, rng), rng)
    while ladder.n_games < n_games:
        ladder.play(*sorted(rng.sample(range(n_bots), 2)))
    newcomer = ladder.add(ANCHOR_ELO + offset)
    ladder.rate()
    while ladder.compared[newcomer] < 1000:
        ladder.pair_and_play()
        fitted = ladder.fitted
        if fitted is not None and newcomer in fitted.players:
            error = fitted.standard_errors(ladder.anchor)[fitted.players.index(newcomer)]
            if error <= 30.0:
                return ladder.compared[newcomer]
    return None
