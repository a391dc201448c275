"""What the referee hands over: the games of a match, and their faults."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

from matches.engine import RoundResult
from matches.replay import Core, PrivateSeat, Timing


class InfrastructureFault(Exception):
    """The attempt failed and no bot is to blame: the match has to be played again, with the same seed.

    `cause` is one word for statistics, `detail` a text for operators. `lag`: the host was too slow to judge a bot by
    its time; `sandbox`, `memory`: the machinery or the host's memory failed; `start`: not even a house bot starts;
    `worker`: a playing process of a local run ended; `house`: the house bot of a check faulted.
    """

    def __init__(self, cause: str, detail: str) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause = cause
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Fault:
    """A bot fault. Everything here is public and holds nothing that the bot wrote.

    `decision`: how many decisions of the game were made before it. `phase` is `start` or the phase of the question;
    `round` and `turn` count as in the rules and are 0 before the first question. `expected`: what would have been
    right. `cpu_ms`, `wall_ms`: used for the failed answer; `memory_mib`: the process's peak, None if unknown.
    `exit_status` or `signal` (its name) of a process that ended by itself.
    """

    seat: int
    kind: str
    sentence: str
    decision: int
    phase: str
    round: int
    turn: int
    expected: str
    cpu_ms: float = 0.0
    wall_ms: float = 0.0
    memory_mib: float | None = None
    exit_status: int | None = None
    signal: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """All of it but the seat, as JSON values."""
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "decision": self.decision,
            "phase": self.phase,
            "round": self.round,
            "turn": self.turn,
            "expected": self.expected,
            "cpu_ms": self.cpu_ms,
            "wall_ms": self.wall_ms,
            "memory_mib": self.memory_mib,
            "exit_status": self.exit_status,
            "signal": self.signal,
        }


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game of a match. All tuples but `rounds`, `faults` and `forfeiters` are by seat.

    `participants`: who sat there, as an index into the match's programs. `placing`: faulted seats share the place
    behind all others. A forfeit was not played: it has no core, timing, totals or rounds, its `faults` are empty, and
    `forfeiters` are the seats whose bots are to blame. `times_ns`: CPU time charged for each decision that the seat's
    bot made itself.
    """

    deal: int
    seating: int
    participants: tuple[int, ...]
    placing: tuple[int, ...]
    core: Core | None = None
    timing: Timing | None = None
    totals: tuple[int, ...] | None = None
    rounds: tuple[RoundResult, ...] = ()
    faults: tuple[Fault, ...] = ()
    private: tuple[PrivateSeat, ...] = ()
    cpu_ms: tuple[int, ...] = ()
    times_ns: tuple[array[int], ...] = ()
    forfeiters: tuple[int, ...] = ()

    @property
    def forfeit(self) -> bool:
        return self.core is None

    @property
    def n_decisions(self) -> int:
        return 0 if self.core is None else len(self.core.decisions)

    def fault_of(self, seat: int) -> Fault | None:
        """The fault that ended the game for this seat's bot, if any."""
        return next((fault for fault in self.faults if fault.seat == seat), None)

    def played_to_end(self, seat: int) -> bool:
        """Whether the seat neither faulted nor forfeited: only then its points count, and it can have won."""
        return seat not in self.forfeiters and self.fault_of(seat) is None


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A complete match: its games, first all deals of the first seating, then those of the next, and so on.

    `cpu_ms`: by participant, charged for decisions in all games. `wall_ms`: how long the match took.
    """

    games: tuple[GameRecord, ...]
    cpu_ms: tuple[int, ...]
    wall_ms: int
