"""One game: ask, judge, apply, keep the record; the autopilot plays on for a bot that has faulted."""

from __future__ import annotations

import gc
import time
from array import array
from collections.abc import Callable, Sequence
from typing import Final

from bots.sandbox.faults import BotFault
from bots.sandbox.process import Answer, BotProcess, finish
from bots.sandbox.stderr import STDERR_KEPT_BYTES, StderrLog
from matches.engine import (
    PUBLIC,
    Game,
    IllegalAction,
    Outcome,
    SeededDeal,
    autopilot,
    bot_random_seed,
    event_text,
)
from matches.engine.actions import PLACE_PHASE
from matches.replay import Exchange, PrivateSeat, Recorder, final_placing

from . import messages
from .answers import BadAnswer, parse_answer
from .failures import EXPECTED, START_PHASE, Failure, from_process, timeout_sentence
from .progress import Pulse
from .record import Fault, GameRecord
from .run import BotRun
from .spec import MatchSpec

NOTES_BYTES: Final = 4096
"""What a game keeps of one seat's notes, in UTF-8."""

SENT_CHARACTERS: Final = 8000
"""What is kept of the message whose answer failed."""

GRACE_MS: Final = 500
"""How long the processes have to end by themselves after `bye`."""


class _Seat:
    """One seat during a game: who plays it, what is left of its time, and what went wrong.

    `hail`: the message that the game begins. `mark`: how many events there were before its bot's last decision,
    which are those it has been told of. `failure` is set once the autopilot plays. `stderr` is complete at the end.
    """

    __slots__ = (
        "bank_ns",
        "failure",
        "hail",
        "last_ns",
        "mark",
        "notes_left",
        "run",
        "stderr",
        "times_ns",
        "wall_ns",
    )

    def __init__(self, run: BotRun, spec: MatchSpec, hail: bytes) -> None:
        self.run = run
        self.hail = hail
        self.bank_ns = spec.limits.bank_ms * 1_000_000
        self.wall_ns = spec.limits.game_wall_ms * 1_000_000
        self.last_ns = 0
        self.mark = 0
        self.notes_left = NOTES_BYTES
        self.times_ns: array[int] = array("q")
        self.failure: Failure | None = None
        self.stderr = b""

    def keep_note(self, note: str) -> str | None:
        """As much of the note as the game still has room for."""
        kept = note.encode()[: self.notes_left].decode(errors="ignore")
        self.notes_left -= len(kept.encode())
        return kept or None


class GamePlay:
    """A game of a match: `play` it, `end` it, then take its record.

    `runs` and `sha256s` are by seat. `prove_start` is called when a bot did not start: it raises
    InfrastructureFault if that was not the bot's doing.
    """

    def __init__(
        self,
        spec: MatchSpec,
        deal: int,
        runs: Sequence[BotRun],
        sha256s: Sequence[str],
        prove_start: Callable[[], None],
        pulse: Pulse,
    ) -> None:
        self._limits = limits = spec.limits
        self._decision_ms = limits.decision_ms
        self._decision_ns = limits.decision_ms * 1_000_000
        self._wall_ms = limits.decision_wall_ms
        self._wall_ns = limits.decision_wall_ms * 1_000_000
        self._deal = deal
        self._seats = [
            _Seat(run, spec, messages.game(deal, spec.seats, seat, bot_random_seed(spec.seed, deal, seat)))
            for seat, run in enumerate(runs)
        ]
        self._prove_start = prove_start
        self._pulse = pulse
        self._game = Game(spec.rules, spec.seats, SeededDeal(spec.seed, deal))
        self._recorder = Recorder(spec.rules, spec.seed, deal, sha256s)
        self._faults: list[Fault] = []
        self._texts: list[str] = []  # the events, as a looker-on may read them
        self._others: list[tuple[BotProcess, ...]] = []  # by seat

    @property
    def faulted(self) -> frozenset[int]:
        """The seats whose bots have faulted."""
        return frozenset(fault.seat for fault in self._faults)

    def play(self) -> None:
        """Play the game to its end. Raises SandboxError and InfrastructureFault."""
        self._start()
        was_enabled = gc.isenabled()
        gc.disable()  # Nothing here makes garbage in circles, and a collection would come out of a bot's wall time.
        try:
            self._decide_all()
        finally:
            if was_enabled:
                gc.enable()

    def _start(self) -> None:
        """Every bot has a process that is ready and knows of the game, or has faulted."""
        missing = [number for number, seat in enumerate(self._seats) if seat.run.process is None]
        for number in missing:
            self._seats[number].run.launch()
        failures = {}
        for number, seat in enumerate(self._seats):
            if number not in missing:
                seat.run.is_new = False
            elif (failure := seat.run.greet()) is not None:
                failures[number] = failure
            if number not in failures:
                self._hail(seat)
        self._know_others()
        for number, failure in failures.items():
            self._fault(number, failure, START_PHASE)
        self._pulse.is_begun = True
        if missing:
            self._pulse.beat()

    @staticmethod
    def _hail(seat: _Seat) -> None:
        process = seat.run.process
        assert process is not None  # noqa: S101 - it is ready
        if not seat.run.is_new:  # what it wrote while starting belongs to its first game
            process.new_game()
        process.post(seat.hail)

    def _decide_all(self) -> None:
        game = self._game
        apply = game.apply
        decision = self._recorder.decision
        pulse = self._pulse
        n_rounds = 0
        while (number := game.seat) is not None:
            seat = self._seats[number]
            if seat.failure is None:
                self._decide(number, seat)
            else:
                action = autopilot(game)
                decision(number, action, autopilot=True)
                apply(action)
            if len(game.rounds) != n_rounds:
                n_rounds = pulse.round = len(game.rounds)
                self._end_round()
                pulse.beat()
            elif time.monotonic() >= pulse.due:
                pulse.beat()

    def _decide(self, number: int, seat: _Seat) -> None:
        """Ask the seat's bot and do as it says, or note its fault."""
        game = self._game
        phase = game.phase
        run = seat.run
        run.last_id += 1
        line = self._question(number, seat)
        answer = self._ask(number, seat, line)
        if answer is None:
            return
        cpu_ns = answer.cpu_ns
        mark = len(game.events)
        try:
            action, note = parse_answer(answer.line, run.last_id, phase)
            game.apply(action)
        except BadAnswer as bad:
            self._fault(number, run.fail("protocol", bad.sentence, line, answer), phase)
            return
        except IllegalAction as illegal:
            sentence = f"The action {illegal.what}"
            self._fault(number, run.fail("illegal", sentence, line, answer), phase)
            return
        seat.mark = mark
        seat.last_ns = cpu_ns
        seat.bank_ns -= cpu_ns
        seat.wall_ns -= answer.wall_ns
        seat.times_ns.append(cpu_ns)
        if note is not None:
            note = seat.keep_note(note)
        self._recorder.decision(number, action, cpu_ns=cpu_ns, note=note)

    def _question(self, number: int, seat: _Seat) -> bytes:
        game = self._game
        phase = game.phase
        return messages.act(
            seat.run.last_id,
            phase,
            game.view_text(number),
            self._since(number, seat.mark, phase),
            seat.bank_ns,
            seat.last_ns,
        )

    def _since(self, number: int, mark: int, phase: str) -> str:
        """The events from `mark` on, as the seat may know them."""
        events = self._game.events
        texts = self._texts
        if len(texts) < len(events):
            texts += [event_text(event, PUBLIC) for event in events[len(texts) :]]
        if phase == PLACE_PHASE:
            # Of all events since a bot's last decision, only here can there be one of which it knows more.
            return ",".join([event_text(event, number) for event in events[mark:]])
        return ",".join(texts[mark:])

    def _ask(self, number: int, seat: _Seat, line: bytes) -> Answer | None:
        """The answer to a question; None if the bot has faulted instead."""
        bank_ns = seat.bank_ns
        wall_ns = seat.wall_ns
        cpu_ms = self._decision_ms if bank_ns >= self._decision_ns else bank_ns / 1e6
        cap_ms = self._wall_ms if wall_ns >= self._wall_ns else wall_ns / 1e6
        try:
            return seat.run.ask(line, cpu_ms, cap_ms, self._others[number])
        except BotFault as fault:
            return self._ask_again(number, seat, line, fault)

    def _ask_again(self, number: int, seat: _Seat, line: bytes, fault: BotFault) -> Answer | None:
        """After a fault at a question: the answer of one fresh process if the fault was none, else None.

        A process that played earlier games may be gone before its first answer in this one.
        """
        run = seat.run
        process, run.process = run.process, None
        assert process is not None  # noqa: S101 - it was asked
        if fault.kind in {"crash", "memory"} and not run.is_new and not seat.times_ns:
            # Or a bot could make every game longer than a match's time allows for, and think for nothing while
            # nobody asks it.
            seat.wall_ns -= int(fault.wall_ms * 1e6)
            seat.bank_ns = max(0, seat.bank_ns - int(fault.cpu_ms * 1e6))
            run.launch()
            fresh = run.process
            assert fresh is not None  # noqa: S101 - just launched
            fresh.log = process.log
            failure = run.greet()
            if failure is not None:
                self._fault(number, failure, START_PHASE)
                return None
            seat.wall_ns -= run.start_wall_ns
            self._hail(seat)
            self._know_others()
            return self._ask(number, seat, self._question(number, seat))
        sentence = fault.sentence
        if fault.kind == "timeout":
            sentence = timeout_sentence(fault, self._limits, seat.bank_ns / 1e6, seat.wall_ns / 1e6)
        self._fault(
            number, from_process(fault, fault.kind, sentence, line, process.stderr()), self._game.phase
        )
        return None

    def _know_others(self) -> None:
        """Processes have come or gone."""
        processes = [seat.run.process for seat in self._seats]
        self._others = [
            tuple(process for process in processes if process is not None and process is not own)
            for own in processes
        ]

    def _fault(self, number: int, failure: Failure, phase: str) -> None:
        """The bot's game is over; the autopilot plays on."""
        if failure.kind == START_PHASE:
            self._prove_start()
        seat = self._seats[number]
        seat.failure = failure
        seat.stderr = failure.stderr
        self._know_others()
        game = self._game
        has_begun = phase != START_PHASE
        decision = self._recorder.n_decisions
        self._recorder.fault(
            number, decision, failure.kind, cpu_ns=int(failure.cpu_ms * 1e6) if has_begun else 0
        )
        self._faults.append(
            Fault(
                seat=number,
                kind=failure.kind,
                sentence=failure.sentence,
                decision=decision,
                phase=phase,
                round=game.round if has_begun else 0,
                turn=game.turn if has_begun else 0,
                expected=EXPECTED[phase],
                cpu_ms=round(failure.cpu_ms, 3),
                wall_ms=round(failure.wall_ms, 3),
                memory_mib=None if failure.memory_mib is None else round(failure.memory_mib, 1),
                exit_status=failure.exit_status,
                signal=failure.signal,
            )
        )
        self._pulse.faults = tuple(self._faults)

    def _end_round(self) -> None:
        line = messages.round_over(self._game.rounds[-1], self._game.totals)
        for seat in self._seats:
            if seat.run.process is not None:
                seat.run.process.post(line)

    def end(self, *, is_last: bool) -> None:
        """Tell the bots how the game ended, and after the last one of their run that they may go."""
        for seat in self._seats:
            seat.run.rest()
        line = messages.over(self._placing(), self._outcome.totals)
        going = [seat for seat in self._seats if seat.failure is None]
        processes = [seat.run.process for seat in going if seat.run.process is not None]
        for process in processes:
            process.post(line)
        if is_last:
            for process in processes:
                process.post(messages.BYE)
            finish(processes, grace_ms=GRACE_MS)
        for seat, process in zip(going, processes, strict=True):
            seat.stderr = process.stderr()
            if is_last:
                seat.run.process = None

    def record(self, seating: int, participants: tuple[int, ...]) -> GameRecord:
        """The record of the game that was played."""
        timing = self._recorder.timing()
        return GameRecord(
            deal=self._deal,
            seating=seating,
            participants=participants,
            placing=self._placing(),
            core=self._recorder.core(),
            timing=timing,
            totals=self._outcome.totals,
            rounds=tuple(self._game.rounds),
            faults=tuple(self._faults),
            private=tuple(self._private(number, seat) for number, seat in enumerate(self._seats)),
            cpu_ms=timing.seat_cpu_ms,
            times_ns=tuple(seat.times_ns for seat in self._seats),
        )

    @property
    def _outcome(self) -> Outcome:
        outcome = self._game.outcome
        assert outcome is not None  # noqa: S101 - asked for after the end
        return outcome

    def _placing(self) -> tuple[int, ...]:
        return final_placing(self._outcome.placing, self.faulted)

    def _private(self, number: int, seat: _Seat) -> PrivateSeat:
        failure = seat.failure
        exchanges: tuple[Exchange, ...] = ()
        if failure is not None:
            exchanges = (Exchange(failure.sent.decode("ascii")[:SENT_CHARACTERS], failure.line),)
        return PrivateSeat(
            notes=self._recorder.notes(number),
            stderr=_readable(seat.stderr),
            offending=None if failure is None else failure.line,
            exchanges=exchanges,
        )


def _readable(stderr: bytes) -> str:
    """Standard error as text that any database and page can hold: some know no NUL. What is escaped takes more room,
    and is cut once more."""
    text = stderr.decode(errors="backslashreplace").replace("\0", r"\x00")
    escaped = text.encode()
    if len(escaped) <= max(len(stderr), STDERR_KEPT_BYTES):
        return text
    log = StderrLog()
    log.add(escaped)
    return log.text().decode(errors="ignore")
