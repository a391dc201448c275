"""One run of a program through the deals of a seating: its process, and a fresh one after a fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from bots.sandbox.faults import BotFault, SandboxError, quote_line
from bots.sandbox.launcher import Launcher
from bots.sandbox.limits import Limits
from bots.sandbox.process import Answer, BotProcess
from bots.sandbox.runtimes import Startable

from .answers import BadAnswer, parse_object
from .failures import START_PHASE, Failure, from_process, start_sentence

_READY: Final = {"type": "ready"}

_REST_NS: Final = 200_000
"""CPU time that an honest bot may use between its answer and its next question: it turns to reading its input."""


class BotRun:
    """A participant's program at work in one seating.

    `process` is None before the first launch and after a failure. `last_id` is the id of the last question.
    `is_new` tells that the process was started for the game in play: only an older one may be gone without a fault.
    `start_wall_ns` is the time that it took to be ready.
    """

    __slots__ = (
        "_charged_ns",
        "_hello",
        "_is_restless",
        "_launcher",
        "_limits",
        "_on_wait",
        "_program",
        "is_new",
        "last_id",
        "process",
        "start_wall_ns",
    )

    def __init__(
        self,
        program: Startable,
        launcher: Launcher,
        limits: Limits,
        hello: bytes,
        on_wait: Callable[[], None] | None,
    ) -> None:
        self._program = program
        self._launcher = launcher
        self._limits = limits
        self._hello = hello
        self._on_wait = on_wait
        self.process: BotProcess | None = None
        self.last_id = 0
        self.is_new = True
        self.start_wall_ns = 0
        self._charged_ns = 0
        self._is_restless = False

    def launch(self) -> None:
        """Start a process and do not wait for it. Raises SandboxError."""
        try:
            self.process = self._launcher.start(self._program, self._limits)
        except OSError as error:
            raise SandboxError(f"A sandbox could not be made: {error}") from error
        self.is_new = True

    def greet(self) -> Failure | None:
        """Wait until the launched process is ready. If it fails instead, it is ended and this says why."""
        process = self.process
        assert process is not None  # noqa: S101 - launched before
        limits = self._limits
        try:
            answer = process.ask(
                self._hello, cpu_ms=limits.start_ms, wall_ms=limits.start_wall_ms, on_wait=self._on_wait
            )
        except BotFault as fault:
            self.process = None
            kind = START_PHASE if fault.kind in {"timeout", "crash", "memory"} else fault.kind
            return from_process(fault, kind, start_sentence(fault, limits), self._hello, process.stderr())
        try:
            if parse_object(answer.line) == _READY:
                self._charged_ns = answer.cpu_ns
                self.start_wall_ns = answer.wall_ns
                return None
            sentence = "The answer to hello is another object."
        except BadAnswer as bad:
            sentence = f"While starting: {bad.sentence}"
        return self.fail("protocol", sentence, self._hello, answer)

    def ask(self, line: bytes, cpu_ms: float, wall_ms: float, others: Sequence[BotProcess]) -> Answer:
        """The answer to a question. Raises BotFault and SandboxError, as BotProcess.ask does.

        A bot has no business when it is not its turn. Stopping every process after every answer costs as much as
        the answer, though, so that is done only to a bot that was seen to go on working. The `others` at the table
        are stopped as soon as this one takes its time. What any of them uses meanwhile is charged to it.
        """
        process = self.process
        assert process is not None  # noqa: S101 - it was greeted
        if not self._is_restless:
            self._is_restless = process.cpu_ns() - self._charged_ns > _REST_NS
        answer = process.ask(
            line,
            cpu_ms=cpu_ms,
            wall_ms=wall_ms,
            keep_running=not self._is_restless,
            resting=others,
            on_wait=self._on_wait,
        )
        self._charged_ns += answer.cpu_ns
        return answer

    def rest(self) -> None:
        """Nobody is asked for a while: stop the process if it goes on working."""
        if self.process is not None and self.process.cpu_ns() - self._charged_ns > _REST_NS:
            self._is_restless = True
            self.process.pause()

    def fail(self, kind: str, sentence: str, sent: bytes, answer: Answer) -> Failure:
        """What is wrong with an answer that came; the process is ended."""
        process = self.process
        assert process is not None  # noqa: S101 - it has answered
        memory_mib = process.peak_memory_mib()
        self.kill()
        return Failure(
            kind,
            sentence,
            sent,
            process.stderr(),
            quote_line(answer.line),
            answer.cpu_ns / 1e6,
            answer.wall_ns / 1e6,
            memory_mib,
        )

    def kill(self) -> None:
        """End the process, if there is one. Raises SandboxError if that cannot be had."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
