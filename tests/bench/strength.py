"""How strong the house bots are: two seats, official rules, full games over duplicate deals, in process.

Seed and bots are fixed, so a share comes out the same every time. Its standard error says what it tells of other deals.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any

from matches.engine import SeededDeal, parse_seed, rules_from
from tests.contract.driver import Duel, duel, house_table, play_game, summary

DEALS = 1000
PAIRS = (
    ("threshold", "greedy", 0.75),
    ("ev", "threshold", 0.75),
    ("ev", "greedy", 0.97),
    ("collector", "greedy", None),
    ("ev", "collector", None),
    ("greedy", "random", None),
)
SEED = parse_seed("7")
_SLICE = 25
_TIMED_GAMES = 20


def rows() -> list[dict[str, Any]]:
    return [*_strengths(), *_speeds()]


def _strengths() -> Iterator[dict[str, Any]]:
    jobs = [
        (first, second, range(start, start + _SLICE))
        for first, second, _ in PAIRS
        for start in range(0, DEALS, _SLICE)
    ]
    # Fresh interpreters: what else the bench has loaded must not slow the bots down.
    with get_context("spawn").Pool(len(os.sched_getaffinity(0))) as pool:
        slices = pool.starmap(_slice, jobs, chunksize=1)
    for first, second, goal in PAIRS:
        found = [
            one
            for job, played in zip(jobs, slices, strict=True)
            if job[:2] == (first, second)
            for one in played
        ]
        yield _row(first, second, goal, summary(found))


def _slice(first: str, second: str, deals: range) -> list[float]:
    return duel(first, second, SEED, deals)


def _row(first: str, second: str, goal: float | None, result: Duel) -> dict[str, Any]:
    return {
        "name": f"{first} wins against {second}, {result.n_games:,} games",
        "value": round(result.share, 4),
        "unit": f"share ± {result.error:.3f}",
        "goal": goal,
        "ok": goal is None or result.share >= goal,
    }


def _speeds() -> Iterator[dict[str, Any]]:
    """The median CPU time of a decision, the bot alone."""
    rules = rules_from("official")
    for name in ("random", "greedy", "threshold", "collector", "ev"):
        times: list[int] = []
        bots = house_table([name, name])
        for bot in bots:
            decide = bot.decide

            def timed(view: Any, decide: Any = decide, times: list[int] = times) -> Any:
                start = time.process_time_ns()
                action = decide(view)
                times.append(time.process_time_ns() - start)
                return action

            bot.decide = timed  # type: ignore[method-assign]
        for number in range(_TIMED_GAMES):
            play_game(bots, rules, SeededDeal(SEED, number))
        yield {"name": f"{name}, median decision", "value": statistics.median(times) / 1000, "unit": "µs"}
