"""Talking to one bot: raw non-blocking pipes and poll, one deadline an answer, CPU time by the process's clock."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from glob import iglob
from types import TracebackType
from typing import Final, Literal, NamedTuple, NoReturn, Self

from bots.sandbox import memory
from bots.sandbox.child import Child
from bots.sandbox.faults import BotFault, BotFaultKind, LaggedError, SandboxError, quote_line
from bots.sandbox.limits import MIB
from bots.sandbox.runtimes import THREADS
from bots.sandbox.stderr import STDERR_BYTES, STDERR_KEPT_BYTES, StderrLog

LINE_BYTES: Final = 64 * 1024
# Most answers come within that. Who takes longer is waited for with more care, and the others at the table are stopped.
GRACE_MS: Final = 2
ON_WAIT_S: Final = 10.0
# Windows ends a process in one way only.
KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)

# How long a sandbox may take to have a bot in it, and a process whose standard output has ended to be gone.
_FIND_S = 60.0
_EXIT_S = 5.0
# How long a process whose memory the kernel does not limit goes unseen while it thinks.
_WATCH_MS = 10
# We come so late as a matter of course; what is more, the host kept us from running.
_LATE_NS = 5_000_000
# Kept from running for so long, and for all the time that an answer had, a bot has shown nothing by its silence.
_LAG_NS = 5_000_000_000


class Answer(NamedTuple):
    """A line without its end, the CPU time used since the last answer, and the wall time since it was asked."""

    line: bytes
    cpu_ns: int
    wall_ns: int


class BotProcess:
    """One bot's process, from its start to its end. Not for use from several threads.

    All that it writes is bounded, nothing that it does or omits blocks the caller beyond the limits of `ask`, and
    after any BotFault it is dead. It runs from the start; `ask` continues it where it was stopped. `log` takes its
    standard error; a fresh process for the same game goes on with the log of the one before.

    `is_watched`: the kernel lets the process have more than `memory_mib`, so that we look at what it has.
    """

    _is_watched = False
    _statm = -1

    def __init__(
        self, child: Child, stdin: int, stdout: int, stderr: int, *, memory_mib: int, is_watched: bool = False
    ) -> None:
        self._child = child
        self._stdin = stdin
        self._stdout = stdout
        self._stderr = stderr
        self._memory_mib = memory_mib
        self._is_watched = is_watched
        self._poller = select.poll()
        self._poller.register(stdout, select.POLLIN)
        self._poller.register(stderr, select.POLLIN)
        self._poll = self._poller.poll
        self._pid = 0
        self._clock = 0
        self._charged_ns = 0
        self._unsent = b""
        self._paused = False
        self._is_open = True
        self._peak_kib = 0
        self.log = StderrLog()
        self._cpus = min(len(os.sched_getaffinity(0)), THREADS)

    # What the referee uses

    def post(self, line: bytes) -> None:
        """Queues a message that wants no answer (without its line end); it goes out with what follows."""
        self._unsent += line + b"\n"

    def ask(
        self,
        line: bytes,
        *,
        cpu_ms: float,
        wall_ms: float,
        keep_running: bool = False,
        resting: Sequence[BotProcess] = (),
        on_wait: Callable[[], object] | None = None,
    ) -> Answer:
        """Sends a line and returns the answer, one whole line within one deadline.

        `cpu_ms` bounds the CPU time since the last answer, `wall_ms` the time since now in which the host let the bot
        run. Afterwards the bot is stopped unless `keep_running`. `resting` are other bots at the table that may still
        run: they are stopped as soon as this one makes us wait for more than GRACE_MS. That is cheaper than stopping
        each after every answer, and what they use meanwhile is charged to them all the same. `on_wait` is called at
        least every ON_WAIT_S seconds of waiting; what it raises passes through.

        Raises BotFault for what the bot did, SandboxError where its process was ended by somebody else, LaggedError
        where the host kept it from running.
        """
        began = time.monotonic_ns()
        if not self._pid:
            self._begin()
        if events := self._poll(0):
            self._take_unasked(events, began)
        message = self._unsent + line + b"\n" if self._unsent else line + b"\n"
        self._unsent = self._write(message)
        if self._paused:
            self.resume()
        answer = b""
        if not self._unsent and cpu_ms > 0 and wall_ms > 0:
            events = self._poll(GRACE_MS)
            if len(events) == 1 and events[0][0] == self._stdout:
                answer = os.read(self._stdout, LINE_BYTES + 1)
        stalled_ns = None
        if not answer or answer.find(b"\n") != len(answer) - 1:
            waiting = _Waiting(began, int(cpu_ms * 1e6), int(wall_ms * 1e6), resting, on_wait)
            answer, stalled_ns = self._wait_for_line(answer, waiting)
        if self._is_watched:
            self._watch_memory(began)
        total_ns = self.cpu_ns()
        used_ns = total_ns - self._charged_ns
        if used_ns > cpu_ms * 1e6:
            self._time_out("cpu", cpu_ms, began)
        self._charged_ns = total_ns
        if not keep_running:
            self.pause()
        end = -2 if answer.endswith(b"\r\n") else -1
        wall_ns = time.monotonic_ns() - began
        # A first look that took longer than it was meant to was our own lateness.
        wall_ns = min(wall_ns, GRACE_MS * 1_000_000) if stalled_ns is None else max(0, wall_ns - stalled_ns)
        return Answer(answer[:end], used_ns, wall_ns)

    def pause(self) -> None:
        """Stops the process until it is asked again or resumed."""
        if not self._paused:
            self._paused = True
            self._child.signal(signal.SIGSTOP)

    def resume(self) -> None:
        if self._paused:
            self._paused = False
            self._child.signal(signal.SIGCONT)

    def flush(self) -> None:
        """Sends what was posted, as far as the bot takes it, without waiting for anything."""
        if self._unsent and self._stdin >= 0:
            self._unsent = self._write(self._unsent)

    def new_game(self) -> None:
        """Standard error is counted and kept a game: what comes from now on belongs to the next one."""
        self.log = StderrLog()

    def stderr(self) -> bytes:
        """This game's standard error, at most STDERR_KEPT_BYTES of it: its head and its tail."""
        while not self.log.is_flood and self._drain():
            pass
        return self.log.text()

    def cpu_ns(self) -> int:
        """All CPU time used by the process so far, all its threads together."""
        try:
            return time.clock_gettime_ns(self._clock)
        except OSError:  # reaped
            ending = self._child.wait(_EXIT_S)
            return max(self._charged_ns, ending.cpu_ns if ending else 0)

    def peak_memory_mib(self) -> float:
        """The most resident memory that the process is known to have had."""
        if self._child.ending is not None:
            self._peak_kib = max(self._peak_kib, self._child.ending.peak_kib)
        else:
            self._look_at_memory()
        return self._peak_kib / 1024

    @property
    def pid(self) -> int:
        """The pid on the host of the bot's own process, from its first answer to its end; else 0."""
        return self._pid

    @property
    def alive(self) -> bool:
        return self._child.wait(0) is None

    def kill(self) -> None:
        """Ends the process; afterwards nothing of it is left. Does nothing the second time."""
        if not self._is_open:
            return
        self._is_open = False
        self._pid = 0
        try:
            self._child.kill()
        finally:
            self.stderr()
            for descriptor in (self._stdin, self._stdout, self._stderr, self._statm):
                if descriptor >= 0:
                    os.close(descriptor)
            self._stdin = self._stdout = self._stderr = self._statm = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    # Inside

    def _look_at_memory(self) -> None:
        self._peak_kib = max(self._peak_kib, memory.peak_kib(self._pid))

    def _watch_memory(self, began: int) -> None:
        """A fault for more memory than allowed, of what is the process's own: files that it maps are the host's."""
        used = memory.own_bytes(self._statm) or memory.own_bytes_of_threads(self._pid)
        if used > self._memory_mib * MIB:
            sentence = f"The bot used {used // MIB} MiB of memory; it may use {self._memory_mib} MiB."
            self._fault("memory", sentence, began)

    def _part(self) -> None:
        self.flush()
        self.resume()
        os.close(self._stdin)
        self._stdin = -1

    def _begin(self) -> None:
        if not self._is_open:
            raise RuntimeError("This bot's process has been killed.")
        pid = self._child.find(_FIND_S)
        if pid is None:
            self._fail(f"The sandbox could not be set up: {self._last_words()}")
        self._pid = pid
        self._clock = (~pid << 3) | 2
        if self._is_watched:
            with contextlib.suppress(FileNotFoundError):  # it has ended already
                self._statm = os.open(f"/proc/{pid}/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._look_at_memory()

    def _write(self, message: bytes) -> bytes:
        """What could not be written. A bot that has closed its standard input misses it."""
        try:
            return message[os.write(self._stdin, message) :]
        except BlockingIOError:
            return message
        except BrokenPipeError:
            return b""

    def _take_unasked(self, events: list[tuple[int, int]], began: int) -> None:
        """Before an ask: the bot may have written to standard error, and must not have done anything else."""
        for descriptor, _ in events:
            if descriptor == self._stderr:
                self._drain_in_ask(began)
            else:
                answer = os.read(self._stdout, LINE_BYTES + 1)
                if not answer:
                    self._ended(began)
                self._fault("protocol", "The bot wrote a line that nobody asked for.", began, line=answer)

    def _wait_for_line(self, begun: bytes, waiting: _Waiting) -> tuple[bytes, int]:
        """The whole line, and for how long the host kept the bot or us from running, in ns."""
        began = waiting.began
        for other in waiting.resting:
            other.pause()
        self._look_at_memory()
        delays = self._run_delays()
        late_ns = stalled_ns = 0
        # Each byte is looked at once, however small the pieces are in which a bot writes.
        answer, n_searched = bytearray(begun), 0
        told = looked = began
        if self._unsent:
            self._poller.register(self._stdin, select.POLLOUT)
        while True:
            at = answer.find(b"\n", n_searched)
            n_searched = len(answer)
            if at > LINE_BYTES or (at < 0 and len(answer) > LINE_BYTES):
                self._fault(
                    "protocol", f"A line has more than {LINE_BYTES} bytes.", began, line=bytes(answer)
                )
            if at >= 0:
                if self._unsent:
                    self._fault(
                        "protocol",
                        "The bot answered before it had read the question.",
                        began,
                        line=bytes(answer),
                    )
                if at != len(answer) - 1:
                    extra = bytes(answer[at + 1 :])
                    self._fault("protocol", "The bot wrote a line that nobody asked for.", began, line=extra)
                return bytes(answer), late_ns + self._starved_ns(delays)
            if self._is_watched:
                self._watch_memory(began)
            cpu_left = waiting.cpu_ns - (self.cpu_ns() - self._charged_ns)
            if cpu_left <= 0:
                self._time_out("cpu", waiting.cpu_ns / 1e6, began)
            before = time.monotonic_ns()
            late_ns += max(0, before - looked - _LATE_NS)
            wall_left = waiting.wall_ns - (before - began) + stalled_ns
            if wall_left <= 0:
                stalled_ns = late_ns + self._starved_ns(delays)
                wall_left = waiting.wall_ns - (before - began) + stalled_ns
                if stalled_ns >= max(waiting.wall_ns, _LAG_NS):
                    self._lag(stalled_ns)
                if wall_left <= 0:
                    self._time_out("wall", waiting.wall_ns / 1e6, began)
            if waiting.on_wait is not None and before - told >= ON_WAIT_S * 1e9 / 2:
                told = before
                waiting.on_wait()
            # All cores at work for it use up its time the soonest; at the least 1 ms, rounded up.
            timeout_ms = (
                -(min(cpu_left // self._cpus, wall_left, int(ON_WAIT_S * 1e9 / 2)) // -1_000_000) or 1
            )
            if self._is_watched:
                timeout_ms = min(timeout_ms, _WATCH_MS)
            events = self._poll(timeout_ms)
            looked = time.monotonic_ns()
            if not events:
                late_ns += max(0, looked - before - timeout_ms * 1_000_000 - _LATE_NS)
            for descriptor, _ in events:
                if descriptor == self._stdout:
                    piece = os.read(self._stdout, LINE_BYTES + 1)
                    if not piece:
                        self._ended(began)
                    answer += piece
                elif descriptor == self._stderr:
                    self._drain_in_ask(began)
                else:
                    self._unsent = self._write(self._unsent)
                    if not self._unsent:
                        self._poller.unregister(self._stdin)

    def _drain(self) -> bool:
        """Takes one piece of standard error, if there is one."""
        if self._stderr < 0:
            return False
        try:
            piece = os.read(self._stderr, STDERR_KEPT_BYTES)
        except BlockingIOError:
            return False
        if piece:
            self.log.add(piece)
            return True
        self._poller.unregister(self._stderr)
        os.close(self._stderr)
        self._stderr = -1
        return False

    def _drain_in_ask(self, began: int) -> None:
        self._drain()
        if self.log.is_flood:
            self._flooded(began)

    def _flooded(self, began: int) -> NoReturn:
        sentence = f"The bot wrote more than {STDERR_BYTES} bytes to standard error in one game."
        self._fault("output", sentence, began)

    def _ended(self, began: int) -> NoReturn:
        """Standard output has ended: the process has too, or it never can answer again."""
        ending = self._child.wait(_EXIT_S)
        if ending is None:
            self._fault("protocol", "The bot closed its standard output, so that it cannot answer.", began)
        self.stderr()
        if ending.failed_to_start:
            self._fail(f"The sandbox could not be set up: {self._last_words()}")
        if ending.signal == signal.SIGKILL:
            self._fail("The bot's process was killed from outside: the host may be out of memory.")
        if (ending.exit_status or ending.signal not in {None, signal.SIGSYS}) and memory.has_run_out(
            self.log
        ):
            # Where more address space is set aside than is used, memory is what can be written.
            of = "memory" if self._is_watched else "address space"
            sentence = f"The bot ran out of memory: it may use {self._memory_mib} MiB of {of}."
            self._fault("memory", sentence, began)
        if ending.signal == signal.SIGSYS:
            sentence = (
                "The bot's process was ended by SIGSYS: it called the system in a way that the sandbox forbids, "
                "or exited with status 137, which means a kill."
            )
        else:
            sentence = ending.sentence
        self._fault("crash", sentence, began)

    def _time_out(self, limit: Literal["cpu", "wall"], allowed_ms: float, began: int) -> NoReturn:
        used_ms = (self.cpu_ns() - self._charged_ns) / 1e6
        if limit == "cpu":
            sentence = f"The bot used {used_ms:.0f} ms of CPU time; it had {max(allowed_ms, 0):.0f} ms for this answer."
        else:
            sentence = (
                f"The bot gave no answer within {max(allowed_ms, 0) / 1000:.1f} s, "
                f"in which it used {used_ms:.0f} ms of CPU time."
            )
        self._fault("timeout", sentence, began, limit=limit)

    def _fault(
        self,
        kind: BotFaultKind,
        sentence: str,
        began: int,
        *,
        limit: Literal["cpu", "wall"] | None = None,
        line: bytes | None = None,
    ) -> NoReturn:
        wall_ms = (time.monotonic_ns() - began) / 1e6
        cpu_ms = (self.cpu_ns() - self._charged_ns) / 1e6
        # Out of memory is out of address space, of which the resident part says little.
        memory_mib = float(self._memory_mib) if kind == "memory" else self.peak_memory_mib()
        ending = self._child.ending
        self.kill()
        raise BotFault(
            kind,
            sentence,
            limit=limit,
            cpu_ms=cpu_ms,
            wall_ms=wall_ms,
            memory_mib=memory_mib,
            exit_status=ending.exit_status if ending else None,
            signal=ending.signal_name if ending else None,
            line=None if line is None else quote_line(line),
        )

    def _fail(self, sentence: str) -> NoReturn:
        self.kill()
        raise SandboxError(sentence)

    def _lag(self, stalled_ns: int) -> NoReturn:
        self.kill()
        raise LaggedError(
            f"The host kept a bot from running for {stalled_ns / 1e9:.1f} s of its time to answer."
        )

    def _last_words(self) -> str:
        return quote_line(self.stderr().strip()) or "it said nothing."

    def _run_delays(self) -> dict[str, int]:
        """For each thread, how long it was ready to run and was not let, in ns."""
        delays = {}
        for path in iglob(f"/proc/{self._pid}/task/*/schedstat"):
            try:
                with open(path, "rb") as file:
                    delays[path] = int(file.read().split()[1])
            except (OSError, IndexError, ValueError):  # the thread has ended
                continue
        return delays

    def _starved_ns(self, before: dict[str, int]) -> int:
        return max((delay - before.get(path, 0) for path, delay in self._run_delays().items()), default=0)


class _Waiting(NamedTuple):
    began: int
    cpu_ns: int
    wall_ns: int
    resting: Sequence[BotProcess]
    on_wait: Callable[[], object] | None


def finish(processes: Iterable[BotProcess], *, grace_ms: float) -> None:
    """The end of a match: sends what was posted, closes standard input, gives all the same time, kills the rest.

    Never raises a BotFault: what a bot does after its last answer is nobody's business.
    """
    everyone = [process for process in processes if process._is_open]
    for process in everyone:
        process._part()
    deadline = time.monotonic() + grace_ms / 1000
    for process in everyone:
        process._child.wait(max(0.0, deadline - time.monotonic()))
    for process in everyone:
        process._child.signal(KILL)
    for process in everyone:
        process.kill()
