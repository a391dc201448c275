"""What an event of some format would cost, and how likely its best entry wins: shown before it is created."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .base import Format
from .rehearsal import Assumptions, Rehearsal
from .settings import Settings
from .words import Template, gettext_noop

DRAWS = 150_000
"""Pairings that are rehearsed in all; more would make the chance more exact and the form slower."""
FEWEST_REHEARSALS, MOST_REHEARSALS = 40, 2000


BEST = Template(gettext_noop("The best of {entries} entries wins about {times} times in 100."))
COST = Template(
    gettext_noop("About {matches} matches with {games} games, {minutes} minutes on {workers} workers.")
)
ASSUMED = Template(
    gettext_noop(
        "Assumed: strengths spread with a standard deviation of {spread} Elo points, seeds known to {error}, "
        "{seconds} s a game, and duplicate deals that take {share} % of the luck out of a pairing."
    )
)
LEFT_OUT = gettext_noop("Extra deals and withdrawals are left out.")


@dataclass(frozen=True, slots=True)
class Estimate:
    """`best_wins` is the chance that the strongest entry wins, known to about twice `standard_error`. `matches`,
    `games` and `minutes` are means; minutes on all workers, without waiting for other matches of the site."""

    best_wins: float
    standard_error: float
    matches: float
    games: float
    minutes: float
    rehearsals: int
    figures: tuple[str, ...]
    """The same in sentences."""
    assumptions: tuple[str, ...]


def estimate(
    format: Format, n_entries: int, settings: Settings, assumptions: Assumptions | None = None
) -> Estimate:
    """Rehearse the event; the same input gives the same estimate. Raises `SettingsError` as `Format.checked` does."""
    checked = format.checked(settings, n_entries)
    return _estimate(format, n_entries, tuple(sorted(checked.items())), assumptions or Assumptions())


@lru_cache(maxsize=256)
def _estimate(
    format: Format, n_entries: int, settings: tuple[tuple[str, Any], ...], assumptions: Assumptions
) -> Estimate:
    rng = random.Random(1)  # noqa: S311 - so that the form shows the same figures again
    played: list[Rehearsal] = []
    wins = 0
    rehearsals = MOST_REHEARSALS
    while len(played) < rehearsals:
        rehearsal = Rehearsal(n_entries, dict(settings), assumptions, rng)
        wins += format.rehearse(rehearsal) == 0
        played.append(rehearsal)
        if len(played) == 1:
            rehearsals = min(max(DRAWS // max(rehearsal.matches, 1), FEWEST_REHEARSALS), MOST_REHEARSALS)
    share = wins / rehearsals
    matches, games, wall_s = (
        sum(getattr(one, name) for one in played) / rehearsals for name in ("matches", "games", "wall_s")
    )
    error = math.sqrt(max(share * (1 - share), 0.01) / rehearsals)
    return Estimate(
        best_wins=round(share, 3),
        standard_error=round(error, 3),
        matches=round(matches, 1),
        games=round(games, 1),
        minutes=round(wall_s / 60, 1),
        rehearsals=rehearsals,
        figures=(
            BEST(entries=n_entries, times=f"{100 * share:.0f}"),
            COST(
                matches=f"{matches:.0f}",
                games=f"{games:.0f}",
                minutes=f"{wall_s / 60:.0f}",
                workers=assumptions.workers,
            ),
        ),
        assumptions=said(assumptions),
    )


def said(assumptions: Assumptions) -> tuple[str, ...]:
    """The assumptions, in sentences."""
    return (
        ASSUMED(
            spread=f"{assumptions.spread_elo:.0f}",
            error=f"{assumptions.seed_error_elo:.0f}",
            seconds=f"{assumptions.game_s:g}",
            share=f"{100 * (1 - assumptions.pair_variance):.0f}",
        ),
        LEFT_OUT,
    )
