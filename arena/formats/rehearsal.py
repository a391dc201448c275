"""An event played in short by bots of made-up strength, again and again: what a format costs and how well it finds
the best.

Assumptions, all of them said beside the estimate: true strengths are normal with a standard deviation of
`spread_elo`; a pairing's share of games is normal around the chance that Elo gives, with the variance of games won
by chance times `pair_variance` (playing every deal from both seats takes some luck out of it); seeds come from
ratings with a standard error of `seed_error_elo`. Extra deals are left out: level pairings fall by chance here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matches.differences import ELO_PER_NAT

from .settings import Settings


@dataclass(frozen=True, slots=True)
class Assumptions:
    """`game_s`: wall time of a game on one worker. The strengths, and how much duplicate deals even out, were
    measured with bots of this arena's kind; they are no promise about other bots."""

    spread_elo: float = 96.0
    pair_variance: float = 0.77
    table_variance: float = 0.7
    seed_error_elo: float = 25.0
    game_s: float = 1.0
    workers: int = 2


class Rehearsal:
    """One event in short. Entries are indices of strength: 0 is the best of the field."""

    def __init__(self, n: int, settings: Settings, assumptions: Assumptions, rng: random.Random) -> None:
        self.n, self.settings, self.assumptions, self.rng = n, settings, assumptions, rng
        self.elo = sorted((rng.gauss(0, assumptions.spread_elo) for _ in range(n)), reverse=True)
        rated = [elo + rng.gauss(0, assumptions.seed_error_elo) for elo in self.elo]
        self.by_seed = sorted(range(n), key=lambda i: -rated[i])
        self.seed_of = {who: number for number, who in enumerate(self.by_seed)}
        self.matches = 0
        self.games = 0
        self.wall_s = 0.0

    def step(self, matches: int, deals: int, seats: int = 2) -> None:
        """So many matches that are played side by side."""
        self.tables([seats] * matches, deals)

    def tables(self, sizes: Sequence[int], deals: int) -> None:
        """Matches of these sizes, side by side on all workers."""
        if not sizes:
            return
        games = [size * deals for size in sizes]
        self.matches += len(games)
        self.games += sum(games)
        # One match is played by one worker.
        turns = math.ceil(len(games) / self.assumptions.workers)
        self.wall_s += self.assumptions.game_s * turns * max(games)

    def duel(self, one: int, two: int, deals: int | None = None) -> int:
        """Who wins a pairing."""
        return one if self.share(one, two, deals) > 0.5 else two

    def share(self, one: int, two: int, deals: int | None = None) -> float:
        """The first one's share of a pairing's games."""
        chance = 1 / (1 + math.exp((self.elo[two] - self.elo[one]) / ELO_PER_NAT))
        games = 2 * (deals or self.settings["deals"])
        deviation = math.sqrt(self.assumptions.pair_variance * chance * (1 - chance) / games)
        return self.rng.gauss(chance, deviation)

    def circle(self, who: Sequence[int]) -> dict[int, float]:
        """The points of all of these who meet all."""
        times = 2 if self.settings["twice"] else 1
        by_games = self.settings["scoring"] == "games"
        points = dict.fromkeys(who, 0.0)
        for index, one in enumerate(who):
            for two in list(who[index + 1 :]) * times:
                share = self.share(one, two)
                points[one] += share if by_games else float(share > 0.5)
                points[two] += 1 - share if by_games else float(share <= 0.5)
        self.step(times * len(who) * (len(who) - 1) // 2, self.settings["deals"])
        return points

    def pod(self, who: Sequence[int], deals: int) -> dict[int, float]:
        """For each at a table the share of the others that it beats."""
        games = len(who) * deals
        # Near an even chance an Elo point is worth a quarter of a nat's share; two deviations make one of a
        # difference.
        deviation = math.sqrt(self.assumptions.table_variance / 4 / games / 2)
        shown = {i: self.elo[i] / ELO_PER_NAT / 4 + self.rng.gauss(0, deviation) for i in who}
        if self.settings["scoring"] == "games":
            return shown
        return {i: sum(shown[i] > shown[j] for j in who if j != i) / (len(who) - 1) for i in who}

    def ordered(self, points: Mapping[int, float]) -> list[int]:
        """By points, who shares them in the order of chance."""
        return sorted(points, key=lambda i: (-points[i], self.rng.random()))

    def best(self, points: Mapping[int, float]) -> int:
        """Who has most points; who shares them plays it out."""
        most = max(points.values())
        tied = [i for i, found in points.items() if found == most]
        winner = tied[0]
        for other in tied[1:]:
            winner = self.duel(winner, other, self.settings["extra_deals"])
        return winner
