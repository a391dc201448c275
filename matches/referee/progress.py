"""Word of a match's progress, often enough for a lease to be renewed by it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .record import Fault, GameRecord

EVERY_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a match has come: how many games are over, and how many rounds of the game in play.

    `is_begun`: its bots have started, or faulted. `faults`: of the game in play, so far. `record` is the game that is
    over now, on that occasion alone.
    """

    n_games: int
    n_finished: int
    deal: int
    seating: int
    round: int
    is_begun: bool
    faults: tuple[Fault, ...]
    record: GameRecord | None = None


class Pulse:
    """Calls `on_progress` when told to. What it raises ends the match.

    `due` is the time, by time.monotonic, by which `beat` should be called again.
    """

    __slots__ = (
        "_n_games",
        "_on_progress",
        "deal",
        "due",
        "faults",
        "is_begun",
        "n_finished",
        "round",
        "seating",
    )

    def __init__(self, n_games: int, on_progress: Callable[[Progress], object] | None) -> None:
        self._n_games = n_games
        self._on_progress = on_progress
        self.n_finished = 0
        self.deal = 0
        self.seating = 0
        self.round = 0
        self.is_begun = False
        self.faults: tuple[Fault, ...] = ()
        self.due = time.monotonic() + EVERY_S

    def begin_game(self, deal: int, seating: int) -> None:
        """Nothing of this game has been played."""
        self.deal = deal
        self.seating = seating
        self.round = 0
        self.is_begun = False
        self.faults = ()

    def beat(self, record: GameRecord | None = None) -> None:
        """The match is getting on; `record` is a game that has just been finished."""
        self.due = time.monotonic() + EVERY_S
        if self._on_progress is not None:
            self._on_progress(
                Progress(
                    self._n_games,
                    self.n_finished,
                    self.deal,
                    self.seating,
                    self.round,
                    self.is_begun,
                    self.faults,
                    record,
                )
            )
