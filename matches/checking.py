"""What a bot must pass before it plays: its package, its start, and a qualification match against a house bot.

The same for a worker of the arena, which writes down each stage, and for an author at home, who reads it in the
terminal. A bot is rejected for its own doing alone; what is ours raises InfrastructureFault or SandboxError.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from bots.house import house_source
from bots.packages import PackageError, check_syntax, read_package, to_program
from bots.sandbox.faults import placed
from bots.sandbox.launcher import Launcher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import PYTHON, Program, Startable

from .engine.rules import rules_from
from .referee import Fault, GameRecord, InfrastructureFault, MatchRecord, MatchSpec, Progress, play_match
from .replay import PrivateSeat

PACKAGE: Final = "package"
START: Final = "start"
QUALIFICATION: Final = "qualification"

OPPONENT: Final = "greedy"
PRESET: Final = "official"
SEATS: Final = 2
DEALS: Final = 1
# The bot's place among the programs of its qualification match.
CHECKED: Final = 0
STDERR_TAIL: Final = 4000


class Rejected(Exception):
    """The bot failed at this stage by its own doing; the sentence is for everybody, the report for its owner."""

    def __init__(self, stage: str, sentence: str, **report: Any) -> None:
        super().__init__(sentence)
        self.stage = stage
        self.sentence = sentence
        self.report = {"stage": stage, "sentence": sentence, **report}


class Watcher(Protocol):
    """Is told how a check goes on. What it raises ends the check and passes through."""

    def begin(self, stage: str) -> None:
        """A stage begins."""

    def passed(self, stage: str, facts: Mapping[str, Any]) -> None:
        """A stage is passed; `facts` are what it came to."""

    def beat(self) -> None:
        """The check makes progress: at least every 30 s."""


def read(
    filename: str, content: bytes, *, runtime: str | None = None, launcher: Launcher, watcher: Watcher
) -> Program:
    """Stage one: the package can be read and compiled; without a `runtime`, as what it looks like.

    Raises Rejected, with the author's sentence as `cause`.
    """
    watcher.begin(PACKAGE)
    try:
        package = read_package(filename, content, runtime)
        check_syntax(package, launcher, Limits())
    except PackageError as error:
        raise Rejected(PACKAGE, error.public_sentence, code=error.code, facts=error.facts) from error
    watcher.passed(PACKAGE, {"n": len(package.files)})
    return to_program(package)


def qualify(program: Startable, *, sha256: str, launcher: Launcher, watcher: Watcher, command: str) -> None:
    """Stages two and three: the bot starts, and plays one deal from both seats without a fault.

    `sha256` is the upload's, in hex: it fixes the deal. `command` plays the same match at home. Raises Rejected.
    """
    spec = MatchSpec(seed_of_package(sha256), rules_from(PRESET), SEATS, DEALS, Limits())
    opponent = house_source(OPPONENT)
    watcher.begin(START)
    record = play_match(
        spec,
        [program, Program(PYTHON, {"main.py": opponent}, "main.py")],
        launcher,
        sha256s=[sha256, hashlib.sha256(opponent).hexdigest()],
        on_progress=_judge(spec, watcher, command),
    )
    watcher.passed(QUALIFICATION, _achieved(record))


def seed_of_package(sha256: str) -> bytes:
    """The same in every attempt, so that what happened once happens again."""
    return hashlib.sha256(b"skyjo-arena check" + sha256.encode()).digest()


def _judge(spec: MatchSpec, watcher: Watcher, command: str) -> Callable[[Progress], None]:
    """Tells that the bot has started, and ends the match with the first game that has a fault."""
    is_started = False

    def judge(progress: Progress) -> None:
        nonlocal is_started
        watcher.beat()
        seat = spec.participants(progress.deal, progress.seating).index(CHECKED)
        fault = _own_fault(progress, seat)
        if not is_started and progress.is_begun and (fault is None or fault.phase != START):
            is_started = True
            watcher.passed(START, {})
            watcher.begin(QUALIFICATION)
        if fault is not None and progress.record is not None:
            raise _rejection(progress.record, fault, command)

    return judge


def _own_fault(progress: Progress, seat: int) -> Fault | None:
    """The bot's fault in the game in play, if any. Raises InfrastructureFault if the house bot has one."""
    for fault in progress.faults:
        if fault.seat != seat:
            raise InfrastructureFault("house", f"{OPPONENT} faulted: {fault.sentence}")
    return progress.faults[0] if progress.faults else None


def _rejection(game: GameRecord, fault: Fault, command: str) -> Rejected:
    private = game.private[fault.seat] if game.private else PrivateSeat()
    facts = fault.as_dict()
    return Rejected(
        START if fault.phase == START else QUALIFICATION,
        placed(facts),
        fault=facts,
        exchange=[{"to": one.sent, "from": one.received} for one in private.exchanges],
        offending=private.offending,
        stderr=private.stderr[-STDERR_TAIL:],
        command=command,
    )


def _achieved(record: MatchRecord) -> dict[str, Any]:
    """What a qualification match came to: games won and played, the opponent, the points in each game."""
    games = [(game, game.participants.index(CHECKED)) for game in record.games]
    return {
        "won": sum(game.placing[seat] == 1 for game, seat in games),
        "n": len(games),
        "opponent": OPPONENT,
        "totals": [game.totals[seat] for game, seat in games if game.totals],
    }
