"""A recorded game once more, with a bot in one of its seats, as far as the bot decides as recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NoReturn

from bots.kit.skyjo import KIT_VERSION
from bots.sandbox.launcher import Launcher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Startable
from matches.engine import Action
from matches.referee.messages import hello
from matches.referee.play import GamePlay
from matches.referee.progress import Pulse
from matches.referee.record import Fault
from matches.referee.run import BotRun
from matches.referee.spec import MatchSpec
from matches.replay import Core, verify
from matches.replay.codes import TABLES
from matches.replay.core import Fault as RecordedFault
from matches.replay.decoding import Replay
from matches.replay.playing import new_game, play


@dataclass(frozen=True, slots=True)
class Decision:
    """A question and its answers. `view` is what the seat was shown, `action` what was recorded (None where the bot
    faulted then), `mine` what the bot now decided (None where it faults)."""

    number: int
    round: int
    turn: int
    phase: str
    view: dict[str, Any]
    recorded: Action | None
    mine: Action | None


@dataclass(frozen=True, slots=True)
class Rerun:
    """How a game went once more. `n_same`: how many decisions of the seat came as recorded. `differs`: the first that
    did not, None if there was none. `recorded_fault` is the seat's fault in the record, `fault` the bot's own now, with
    its `line` and `stderr`."""

    n_same: int
    differs: Decision | None
    recorded_fault: RecordedFault | None
    fault: Fault | None
    line: str | None
    stderr: str

    @property
    def is_as_recorded(self) -> bool:
        """The same decisions to the end, or to a fault of the same kind at the same place."""
        now, then = self.fault, self.recorded_fault
        if now is None or self.differs is not None:
            return self.differs is None
        return then is not None and (now.kind, now.decision) == (then.kind, then.decision)


class _Stop(Exception):
    """Nothing more is to be learnt from this game."""


def rerun(
    replay: Replay,
    seat: int,
    program: Startable,
    *,
    limits: Limits,
    launcher: Launcher,
) -> Rerun:
    """Play the game again with the program in this seat; all other decisions are those of the record.

    It stops at the first decision that differs, or at a fault of the bot. The bot gets what the recorded one got, but
    for the games that its process had played before, and for what time it took. Raises ReplayError for a replay
    that does not come out as it says, SandboxError where the bot cannot be started.
    """
    verify(replay)
    core = replay.core
    spec = MatchSpec(core.seed, core.rules, len(core.seats), core.deal + 1, limits)
    greeting = hello(core.rules, limits, kit=KIT_VERSION, python=launcher.python)
    run = BotRun(program, launcher, limits, greeting, None)
    idle = BotRun(program, launcher, limits, greeting, None)
    game = _Game(spec, core, seat, run, idle)
    try:
        game.play()
    except _Stop:
        pass
    finally:
        run.kill()
    return game.result()


class _Game(GamePlay):
    """The referee's game, in which one seat is asked and the others do as recorded."""

    def __init__(self, spec: MatchSpec, core: Core, seat: int, run: BotRun, idle: BotRun) -> None:
        runs = [run if number == seat else idle for number in range(spec.seats)]
        super().__init__(spec, core.deal, runs, core.seats, lambda: None, Pulse(1, None))
        self._asked: Final = seat
        self._recorded = [played.action for played in play(core, new_game(core))]
        self._recorded_fault = next((fault for fault in core.faults if fault.seat == seat), None)
        self._n_same = 0
        self._differs: Decision | None = None

    def _start(self) -> None:
        seat = self._seats[self._asked]
        seat.run.launch()
        failure = seat.run.greet()
        if failure is not None:
            self._fault(self._asked, failure, "start")
            self._end()
        self._hail(seat)
        self._know_others()

    def _decide(self, number: int, seat: Any) -> None:
        game = self._game
        place = self._recorder.n_decisions
        recorded = self._recorded[place]
        if number != self._asked:
            self._recorder.decision(number, recorded)
            game.apply(recorded)
            return
        faulted = self._recorded_fault is not None and place >= self._recorded_fault.decision
        question = (
            place,
            game.round,
            game.turn,
            game.phase,
            game.view(number),
            None if faulted else recorded,
        )
        game_phase = game.phase
        super()._decide(number, seat)
        mine = None if seat.failure is not None else TABLES[game_phase][self._recorder.last]
        if mine is None:
            if not faulted:
                self._differs = Decision(*question, None)
            self._end()
        if faulted or mine != recorded:
            self._differs = Decision(*question, mine)
            self._end()
        self._n_same += 1

    def _end(self) -> NoReturn:
        raise _Stop

    def result(self) -> Rerun:
        """What came of it."""
        seat = self._seats[self._asked]
        failure = seat.failure
        return Rerun(
            n_same=self._n_same,
            differs=self._differs,
            recorded_fault=self._recorded_fault,
            fault=self._faults[0] if self._faults else None,
            line=None if failure is None else failure.line,
            stderr="" if failure is None else failure.stderr.decode(errors="backslashreplace"),
        )
