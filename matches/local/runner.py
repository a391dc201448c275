"""A match on one's own machine, by the same engine, referee, clocks and seed as on the arena."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bots.sandbox.launcher import Launcher
from bots.sandbox.limits import Limits
from matches.engine import Rules
from matches.referee import GameRecord, MatchRecord, MatchSpec, Progress, play_match

from .entrants import Entrant
from .tally import Tally


def play_local(
    entrants: Sequence[Entrant],
    *,
    seed: bytes,
    rules: Rules,
    deals: int,
    limits: Limits,
    launcher: Launcher,
    tally: Tally,
    on_game: Callable[[GameRecord], object] | None = None,
) -> MatchRecord:
    """Play `deals` duplicate deals between the entrants.

    Each game goes to `tally` as soon as it is over, and to `on_game`; whatever ends the match early, an interrupt
    too, leaves there what was played until then. Raises what `MatchSpec` and `play_match` raise.
    """
    spec = MatchSpec(seed, rules, len(entrants), deals, limits)

    def progress(progress: Progress) -> None:
        if progress.record is not None:
            tally.add(progress.record)
            if on_game is not None:
                on_game(progress.record)

    return play_match(
        spec,
        [entrant.program for entrant in entrants],
        launcher,
        sha256s=[entrant.sha256 for entrant in entrants],
        on_progress=progress,
    )
