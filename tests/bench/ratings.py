"""Ratings, pairing and trials: how good they are in a model, in the real game, and what they cost.

Everything follows from fixed seeds but the times. `make bench-ratings` writes the rows to `var/bench/ratings.json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from arena.ratings.sequential import SequentialTest
from tests.bench import rating_games, rating_model, rating_speed
from tests.bench.rating_trials import dealt_chances, run_trials
from tests.bench.simulated_ladder import PLACED_GAMES, place_newcomer, play_ladder, play_until_idle

LADDERS, NEWCOMERS = 20, 100
OFFSETS: tuple[int | None, ...] = (None, 0, 100, 200, 300)
# How often the luck of one game is that of the other side in the second, as on a ladder for two.
MIRRORED = 0.23
H0_TRIALS, H1_TRIALS = 1500, 500
PLUS_100 = 1 / (1 + 10 ** (-100 / 400))


def rows() -> Iterator[dict[str, Any]]:
    with threadpool_limits(limits=1, user_api="blas"):
        yield from rating_model.rows()
        yield from ladders()
        yield from newcomers()
        yield from trials()
        yield from rating_speed.rows()
        yield from rating_games.rows()


def under(name: str, value: float, unit: str, goal: float | None = None, digits: int = 2) -> dict[str, Any]:
    """A row whose goal is a ceiling."""
    return {
        "name": name,
        "value": round(value, digits),
        "unit": unit,
        "goal": goal,
        "ok": goal is None or value <= goal,
    }


def ladders() -> Iterator[dict[str, Any]]:
    for luck, mirrored in (("independent games", 0.0), ("duplicate deals", MIRRORED)):
        found = [play_ladder(seed, mirrored=mirrored) for seed in range(LADDERS)]
        yield under(
            f"our pairing, 20,000 games, {luck}, RMSE", float(np.mean([one.rmse for one in found])), "Elo", 14
        )
        worst = [one.worst_error for one in found]
        yield under(
            f"our pairing, {luck}, worst standard error",
            float(np.mean(worst)),
            f"Elo, at most {max(worst)}",
            15.5,
        )
        n_covered = round(sum(one.coverage * 50 for one in found))
        yield rating_model.coverage_row(
            f"our pairing, {luck}, 95 % intervals that hold the truth", n_covered, 50 * LADDERS
        )
    idle = [play_until_idle(seed, mirrored=MIRRORED) for seed in range(2)]
    games = 2 * float(np.mean([one.n_games for one in idle])) / 50
    yield under("games of each of 50 bots until the ladder idles", games, "games", digits=0)


def newcomers() -> Iterator[dict[str, Any]]:
    for luck, mirrored in (("independent games", 0.0), ("duplicate deals", MIRRORED)):
        goal = 30 if mirrored else None
        found = {
            off: [place_newcomer(seed, off, mirrored=mirrored) for seed in range(NEWCOMERS)]
            for off in OFFSETS
        }
        misses = [one.miss for placements in found.values() for one in placements]
        yield under(
            f"newcomer, {luck}, RMSE after {PLACED_GAMES} games",
            float(np.sqrt(np.mean(np.square(misses)))),
            "Elo",
            goal,
        )
        for offset, placements in found.items():
            strength = "of the field's own strength" if offset is None else f"at {offset:+d}"
            yield under(
                f"newcomer {strength}, {luck}, until its published error is 30",
                float(np.mean([one.n_games for one in placements])),
                "games",
                PLACED_GAMES if mirrored else None,
                digits=0,
            )


def trials() -> Iterator[dict[str, Any]]:
    test = SequentialTest()
    equal = run_trials(test, dealt_chances(0.5, MIRRORED), H0_TRIALS, 1)
    yield under(
        f"equal versions taken for better, {H0_TRIALS:,} trials",
        equal.better,
        f"share ± {equal.error:.4f}",
        0.062,
        4,
    )
    yield under("games of a trial between equals", equal.games, "games", digits=0)
    better = run_trials(test, dealt_chances(PLUS_100, MIRRORED), H1_TRIALS, 2)
    yield under("games until +100 Elo is found", better.games, f"games, {better.better:.1%} found", 400, 0)
