"""Short real matches between a hostile program and an innocent house bot, and what must be true of each of them."""

from __future__ import annotations

import functools
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bots.house import house_source
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
from matches.referee import Fault, GameRecord
from matches.replay import PrivateSeat, encode, verify
from tests.matches.referee.tabling import ShortWall, Table, seat_of

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
C = HERE / "c"
JAVASCRIPT = HERE / "javascript"
ATTACKER = (HERE / "attacker.py").read_bytes()
INNOCENT = Program("python", {"main.py": house_source("greedy")}, "main.py")

ROOMY = Limits(decision_ms=5_000, bank_ms=60_000)
"""For what is not about time: a busy host takes a multiple of what an idle one takes."""
HASTY = Limits(decision_ms=100, bank_ms=2000)
"""For what computes for ever."""
SLEEPLESS = ShortWall(decision_wall=500)
"""For what sleeps for ever."""


@functools.cache
def compiled(source: Path) -> bytes:
    """A C source as a static program."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "main")
        subprocess.run(["gcc", "-O1", "-static", "-s", "-pthread", "-o", made, source], check=True)
        return made.read_bytes()


def hostile(name: str) -> Program:
    """A program of this folder, as a bot's author would upload it; `c/…` and `javascript/…` are those of the other
    runtimes."""
    if name.startswith("c/"):
        return Program("executable", {"main": compiled(HERE / f"{name}.c")}, "main")
    if name.startswith("javascript/"):
        source = (HERE / f"{name}.js").read_bytes()
        files = {"main.js": source, "attacker.js": (JAVASCRIPT / "attacker.js").read_bytes()}
        return Program("node", files, "main.js")
    source = (PROGRAMS / f"{name}.py").read_bytes()
    return Program("python", {"main.py": source, "attacker.py": ATTACKER}, "main.py")


@dataclass(frozen=True, slots=True)
class Side:
    """The hostile program's part of one game: its fault if it has one, what is kept for its owner, and its CPU time."""

    game: GameRecord
    seat: int

    @property
    def fault(self) -> Fault | None:
        return self.game.fault_of(self.seat)

    @property
    def private(self) -> PrivateSeat:
        return self.game.private[self.seat]

    @property
    def cpu_ms(self) -> int:
        return self.game.cpu_ms[self.seat]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What the program told, in turn."""
        return [json.loads(line) for line in self.private.stderr.splitlines()]

    @property
    def told(self) -> dict[str, Any]:
        """What the program said that it managed."""
        return {name: value for line in self.lines for name, value in line.items()}


class Duels:
    """Plays hostile programs against the innocent one, each deal from both seats."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def play(
        self, name: str, *, deals: int = 1, limits: Limits = ROOMY, opponent: Program = INNOCENT
    ) -> list[Side]:
        """The hostile side of each game that was played. In each the innocent one has come to a good end, whatever was
        done to it, and nothing is left of any process."""
        record = self.table.play(hostile(name), opponent, deals=deals, limits=limits)
        played = [game for game in record.games if not game.forfeit]
        for game in played:
            ended_well_for(seat_of(game, 1), game)
        assert not any(process.alive for process in self.table.processes)
        return [Side(game, seat_of(game, 0)) for game in played]


def ended_well_for(seat: int, game: GameRecord) -> None:
    """Asserts that a game ended for this seat as against anybody else: without a fault, in a replay that verifies."""
    assert game.fault_of(seat) is None
    assert game.played_to_end(seat)
    assert game.times_ns[seat]
    assert game.private[seat] == PrivateSeat()
    assert all(game.placing[seat] < game.placing[fault.seat] for fault in game.faults)
    verified = verify(encode(game.core, game.timing))
    assert verified.totals == game.totals
    assert verified.placing == game.placing
