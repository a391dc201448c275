"""What went wrong with one question to a bot, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bots.sandbox.faults import BotFault
from bots.sandbox.limits import Limits
from matches.engine.actions import DRAW_PHASE, PLACE_PHASE, REVEAL_PHASE

START_PHASE: Final = "start"

EXPECTED: Final = {
    START_PHASE: '{"type": "ready"}',
    REVEAL_PHASE: '{"cells": [A, B]}, two face-down cells; one cell, {"cells": [A]}, in a tie-break',
    DRAW_PHASE: '{"take": "draw"}, or {"take": "discard", "cell": C} with a cell that has a card',
    PLACE_PHASE: '{"swap": C} with a cell that has a card, or {"flip": C} with a face-down cell',
}
"""What would have been right, by phase; each answer to a question also carries its id."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed answer. `sentence` is public; `line` is what the bot wrote, quoted, `sent` the message to it."""

    kind: str
    sentence: str
    sent: bytes
    stderr: bytes
    line: str | None = None
    cpu_ms: float = 0.0
    wall_ms: float = 0.0
    memory_mib: float | None = None
    exit_status: int | None = None
    signal: str | None = None


def from_process(fault: BotFault, kind: str, sentence: str, sent: bytes, stderr: bytes) -> Failure:
    """The failure that the process itself showed, as `kind` and in the words of the one who asked."""
    return Failure(
        kind,
        sentence,
        sent,
        stderr,
        fault.line,
        fault.cpu_ms,
        fault.wall_ms,
        fault.memory_mib or None,
        fault.exit_status,
        fault.signal,
    )


def seconds(ms: float) -> str:
    return f"{ms / 1000:g} s"


def timeout_sentence(fault: BotFault, limits: Limits, bank_ms: float, wall_left_ms: float) -> str:
    """Which limit of a question a time-out broke. `bank_ms` and `wall_left_ms` were left of the game's."""
    if fault.limit == "wall":
        if wall_left_ms < limits.decision_wall_ms:
            return (
                f"The answers of this game took more than {seconds(limits.game_wall_ms)} by the wall clock."
            )
        return (
            f"No answer came within {seconds(limits.decision_wall_ms)} by the wall clock "
            f"({fault.cpu_ms:.0f} ms of CPU time used)."
        )
    if bank_ms < limits.decision_ms:
        return f"The game's bank of {limits.bank_ms} ms of CPU time is used up."
    return f"The decision took more than {limits.decision_ms} ms of CPU time."


def start_sentence(fault: BotFault, limits: Limits) -> str:
    """Why a program was not ready."""
    if fault.kind != "timeout":
        return f"While starting: {fault.sentence}"
    if fault.limit == "wall":
        return f"The program was not ready within {seconds(limits.start_wall_ms)} by the wall clock."
    return f"The program was not ready within {limits.start_ms} ms of CPU time."
