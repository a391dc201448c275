"""Takes down a game while it is played; the referee calls it once a decision, so it does little."""

from __future__ import annotations

from collections.abc import Sequence

from matches.engine.actions import Action
from matches.engine.rules import Rules

from .codes import CODES
from .core import FAULT_KINDS, Core, Fault
from .private import Note
from .timing import AUTOPILOT, Timing, bucket


class Recorder:
    """One game. `seed`: 32 bytes; `deal`: from 0; `sha256s`: of the versions by seat, hex."""

    def __init__(self, rules: Rules, seed: bytes, deal: int, sha256s: Sequence[str]) -> None:
        self._rules = rules
        self._seed = seed
        self._deal = deal
        self._sha256s = tuple(sha256s)
        self._decisions: list[str] = []
        self._cpu: list[str] = []
        self._seat_cpu_ns = [0] * len(self._sha256s)
        self._faults: list[Fault] = []
        self._notes: list[list[Note]] = [[] for _ in self._sha256s]

    @property
    def n_decisions(self) -> int:
        return len(self._decisions)

    @property
    def last(self) -> str:
        """The character of the newest decision."""
        return self._decisions[-1]

    def decision(
        self, seat: int, action: Action, *, autopilot: bool = False, cpu_ns: int = 0, note: str | None = None
    ) -> None:
        """The seat's action, in the order of the game. The autopilot's cost no time."""
        if note is not None:
            self._notes[seat].append(Note(len(self._decisions), note))
        self._decisions.append(CODES[action])
        if autopilot:
            self._cpu.append(AUTOPILOT)
        else:
            self._cpu.append(bucket(cpu_ns))
            self._seat_cpu_ns[seat] += cpu_ns

    def fault(self, seat: int, decision: int, kind: str, *, cpu_ns: int = 0) -> None:
        """The seat's only fault. `decision`: how many decisions of the game were made before it; `cpu_ns`:
        what the seat was charged for the answer that it failed to give."""
        if kind not in FAULT_KINDS:
            raise ValueError(f"{kind!r} is no kind of fault")
        if any(fault.seat == seat for fault in self._faults):
            raise ValueError(f"seat {seat} has faulted before")
        self._faults.append(Fault(seat, decision, kind))
        self._seat_cpu_ns[seat] += cpu_ns

    def core(self) -> Core:
        return Core(
            rules=self._rules,
            seed=self._seed,
            deal=self._deal,
            seats=self._sha256s,
            decisions="".join(self._decisions),
            faults=tuple(sorted(self._faults, key=lambda fault: (fault.decision, fault.seat))),
        )

    def timing(self) -> Timing:
        return Timing("".join(self._cpu), tuple(cpu_ns // 1_000_000 for cpu_ns in self._seat_cpu_ns))

    def notes(self, seat: int) -> tuple[Note, ...]:
        """What the seat's bot noted with its decisions: its owner's alone (`PrivateSeat.notes`)."""
        return tuple(self._notes[seat])
