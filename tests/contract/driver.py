"""Plays kit bots against each other in this process: the engine and the bots, no referee and no clocks.

Fast enough for thousands of games. The bots are the very files that the arena runs, loaded by the kit.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from bots.house import HOUSE
from bots.kit.skyjo import Bot, View, load_bot
from matches.engine import Action, Game, SeededDeal, rules_from
from matches.engine.deal import Deal
from matches.engine.rules import Rules

NAMES = tuple(bot.name for bot in HOUSE)
DETERMINISTIC = tuple(name for name in NAMES if name != "random")


@cache
def bot_class(name: str) -> type[Bot]:
    return load_bot(next(bot.path for bot in HOUSE if bot.name == name))


def play_game(
    bots: Sequence[Bot],
    rules: Rules,
    deal: Deal,
    *,
    random_seed: int = 0,
    on_decision: Callable[[Game, View], None] | None = None,
) -> Game:
    """The finished game of these bots, by seat. An illegal action raises."""
    flags = rules.as_dict()
    random.seed(random_seed)
    for seat, bot in enumerate(bots):
        bot.rules, bot.seats, bot.seat = flags, len(bots), seat
        bot.game_start()
    game = Game(rules, len(bots), deal)
    while (seat := game.seat) is not None:
        view = View(game.view(seat), game.phase, (), None, flags)
        if on_decision is not None:
            on_decision(game, view)
        action = bots[seat].decide(view)
        game.apply(Action(action.kind, action.cells))
    return game


def house_table(names: Sequence[str]) -> list[Bot]:
    """A fresh bot for each seat."""
    return [bot_class(name)() for name in names]


@dataclass(frozen=True, slots=True)
class Duel:
    """What the first of two bots reached: its share of wins (a shared placing is half a win) over duplicate
    deals, and its standard error, taken over the deals.
    """

    share: float
    error: float
    n_games: int


def duel(first: str, second: str, seed: bytes, deals: Sequence[int]) -> list[float]:
    """For each deal, played from both seatings under the official rules: the first bot's share of the two wins."""
    rules = rules_from("official")
    one, other = house_table([first, second])
    shares = []
    for number in deals:
        wins = 0.0
        for seat, bots in enumerate(([one, other], [other, one])):
            game = play_game(bots, rules, SeededDeal(seed, number), random_seed=number)
            own, rival = game.totals[seat], game.totals[1 - seat]
            wins += 0.5 if own == rival else float(own < rival)
        shares.append(wins / 2)
    return shares


def summary(shares: Sequence[float]) -> Duel:
    return Duel(statistics.fmean(shares), statistics.stdev(shares) / math.sqrt(len(shares)), 2 * len(shares))
