"""The engine alone: uniformly random play with legality checks and the whole history kept.

Rates are over CPU time, so that they tell of one core whatever else the machine does.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from matches.engine import Game, SeededDeal, event_text, parse_seed, rules_from

GOAL = 100_000
"""Decisions a second; the aim is twice that."""
SLICES = 5
SLICE_S = 0.3


def rows() -> list[dict[str, Any]]:
    found = [
        _row("calibration: turns of an empty counting loop", _median(_counting), "turns/s"),
        *(
            _row(f"uniform random, {seats} seats", _median(_random_games(seats)), "decisions/s", GOAL)
            for seats in (2, 4)
        ),
    ]
    told = _median(_random_games(2, told=True))
    found.append(_row("the same, every view and all events made JSON text, 2 seats", told, "decisions/s"))
    return found


def _row(name: str, value: float, unit: str, goal: int | None = None) -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit, "goal": goal, "ok": goal is None or value >= goal}


def _median(work: Callable[[float], float]) -> float:
    """The median rate of some slices of `work`, after one slice to warm up."""
    work(SLICE_S / 5)
    return statistics.median(work(SLICE_S) for _ in range(SLICES))


def _counting(seconds: float) -> float:
    n = 0
    start = time.process_time()
    while (took := time.process_time() - start) < seconds:
        for _ in range(10_000):
            n += 1
    return n / took


def _random_games(seats: int, *, told: bool = False) -> Callable[[float], float]:
    rules = rules_from("official")
    seed = parse_seed("7")
    luck = random.Random(7)

    def play(seconds: float) -> float:
        n = deal = 0
        start = time.process_time()
        while (took := time.process_time() - start) < seconds:
            game = Game(rules, seats, SeededDeal(seed, deal))
            n_told = 0
            while game.outcome is None:
                if told:
                    game.view_text(game.seat)
                    for event in game.events[n_told:]:
                        event_text(event, game.seat)
                    n_told = len(game.events)
                legal = game.legal_actions()
                game.apply(legal[int(luck.random() * len(legal))])
            n += game.n_decisions
            deal += 1
        return n / took

    return play
