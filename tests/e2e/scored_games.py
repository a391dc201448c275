"""Games as the engine scores them, told round by round, for the score pad to be measured by."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import Any

from matches.engine import DECK, PRESETS, Game, Rules, SeededDeal, parse_seed
from matches.engine.rules import WORDS

SPREADS = ((-3, 3), (-17, 20), (0, 40), (5, 142))
"""From rounds full of ties and of points below zero to games that are over at once."""


class UnshuffledDeal:
    """No card of these games is looked at."""

    def pack(self, round: int, /) -> list[int]:
        return list(DECK)

    def reshuffle(self, round: int, k: int, pile: list[int], /) -> list[int]:
        return pile


@dataclass(frozen=True)
class Told:
    """What was written down (sums before doubling, the closer), and what the engine made of it after each round."""

    rules: dict[str, Any]
    n: int
    rounds: list[dict[str, Any]]
    after: list[dict[str, Any]]


def games_of_drawn_points(n: int, rng: random.Random) -> list[Told]:
    """`n` games of each preset, and as many of flags that are drawn, with drawn points."""
    named = [preset.rules for preset in PRESETS.values() for _ in range(n)]
    return [_of_drawn_points(rules, rng) for rules in [*named, *(_drawn_rules(rng) for _ in named)]]


def games_played(n: int, rng: random.Random) -> list[Told]:
    """`n` games of each preset, really played with random decisions."""
    games = []
    for number in range(n):
        for preset in PRESETS.values():
            game = Game(preset.rules, rng.randint(2, 4), SeededDeal(parse_seed(str(number)), 0))
            told = _begin(game)
            while game.outcome is None:
                n_rounds = len(game.rounds)
                game.apply(rng.choice(game.legal_actions()))
                if len(game.rounds) > n_rounds:
                    _tell(game, told)
            games.append(told)
    return games


def _drawn_rules(rng: random.Random) -> Rules:
    return Rules(
        target=rng.choice((1, 5, 60)),
        round_cap=rng.choice((1, 3, 50)),
        tie_doubles=rng.random() < 0.5,
        double_only_positive=rng.random() < 0.5,
        next_start=rng.choice(WORDS["next_start"]),
        final_tie=rng.choice(WORDS["final_tie"]),
    )


def _of_drawn_points(rules: Rules, rng: random.Random) -> Told:
    """The engine plays all but the cards: each round is ended by hand, with points, starter and closer."""
    game = Game(rules, rng.randint(2, 8), UnshuffledDeal())
    told = _begin(game)
    spread = rng.choice(SPREADS)
    while game.outcome is None:
        round = game.current
        round.points_now = [rng.randint(*spread) if seat in round.table else 0 for seat in range(game.seats)]
        if round.starter is None:
            round.starter = rng.choice(round.table)
        round.cut = rng.random() < 0.05
        round.closer = None if round.cut else rng.choice(round.table)
        round.seat = None
        game._end_round(round.result())
        _tell(game, told)
    return told


def _begin(game: Game) -> Told:
    return Told(asdict(game.rules), game.seats, [], [])


def _tell(game: Game, told: Told) -> None:
    result = game.rounds[-1]
    sums = [each if seat in result.table else None for seat, each in enumerate(result.points_before)]
    told.rounds.append({"points": sums, "closer": result.closer})
    told.after.append(
        {
            "points": list(result.points),
            "doubled": result.doubled,
            "totals": list(game.totals),
            "outcome": game.outcome
            and {"reason": game.outcome.reason, "placing": list(game.outcome.placing)},
            "table": list(game.current.table),
            "starter": None if game.outcome else game.current.starter,
        }
    )
