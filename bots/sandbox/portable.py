"""Starting bots where the system has not what Linux has: for play at home on other systems, without a sandbox.

Threads read and write the pipes, and the wall clock alone counts: what a bot takes to answer is charged to it as if it
were CPU time. Its memory is not limited. Everything else is as on the arena.
"""

from __future__ import annotations

import contextlib
import os
import platform
import queue
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final, NoReturn

from bots.sandbox.child import Child, Ending
from bots.sandbox.faults import SandboxError
from bots.sandbox.launcher import KIT_NAME, kept_if_started, kit_source
from bots.sandbox.limits import Limits
from bots.sandbox.process import (
    KILL,
    LINE_BYTES,
    ON_WAIT_S,
    Answer,
    BotProcess,
)
from bots.sandbox.runtimes import PYTHON, RUNTIMES, Command, Startable
from bots.sandbox.stderr import STDERR_KEPT_BYTES, StderrLog

_KILL_S: Final = 10.0
_LAST_WORDS_S: Final = 2.0
_ON_POSIX: Final = os.name == "posix"


class PortableLauncher:
    """Starts programs by the Python at this path, and command lines as they are."""

    def __init__(self, python: str) -> None:
        self._path = python

    @property
    def python(self) -> str:
        return platform.python_version()

    def start(self, program: Startable, limits: Limits) -> BotProcess:
        if isinstance(program, Command):
            return self._started(list(program.argv), program.folder, dict(os.environ), None, limits)
        if program.runtime != PYTHON:
            raise SandboxError(
                f"Programs of the runtime {program.runtime} are started on Linux alone; elsewhere by "
                '--cmd "COMMAND".'
            )
        files = {f"bot/{path}": content for path, content in program.files.items()}
        with kept_if_started(files | {f"kit/{KIT_NAME}": kit_source()}) as folder:
            # Without what else is installed, as on the arena.
            argv = [self._path, "-S", "-s", "-B", "-u", str(folder / "bot" / program.entry)]
            hash_seed = RUNTIMES[PYTHON].environment["PYTHONHASHSEED"]
            environment = {**os.environ, "PYTHONPATH": str(folder / "kit"), "PYTHONHASHSEED": hash_seed}
            return self._started(argv, str(folder / "bot"), environment, folder, limits)

    @staticmethod
    def _started(
        argv: list[str], cwd: str, environment: dict[str, str], folder: Path | None, limits: Limits
    ) -> BotProcess:
        try:
            popen = subprocess.Popen(
                argv,
                cwd=cwd,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=_ON_POSIX,
            )
        except OSError as error:
            raise SandboxError(f"A bot's process cannot be started: {error}") from error
        return PortableProcess(popen, folder, memory_mib=limits.memory_mib)


class PortableChild(Child):
    """A process in a group of its own where there are groups; `folder` is thrown away when it has ended."""

    def __init__(self, popen: subprocess.Popen[bytes], folder: Path | None) -> None:
        self._popen = popen
        self._folder = folder
        self.ending: Ending | None = None

    def find(self, timeout_s: float) -> int | None:
        return self._popen.pid

    def signal(self, number: int) -> None:
        if self.ending is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if _ON_POSIX:
                os.killpg(self._popen.pid, number)
            else:
                self._popen.kill()

    def wait(self, timeout_s: float) -> Ending | None:
        if self.ending is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.ending = self._close(self._popen.wait(timeout_s), 0, 0)
        return self.ending

    def kill(self) -> Ending:
        self.signal(KILL)
        ending = self.wait(_KILL_S)
        if ending is None:
            raise SandboxError(f"Process {self._popen.pid} does not end, even when killed.")
        return ending

    def _close(self, wait_status: int, cpu_ns: int, peak_kib: int) -> Ending:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        ended_by = -wait_status if wait_status < 0 else None
        return Ending(None if ended_by else wait_status, ended_by, cpu_ns, peak_kib)


class PortableProcess(BotProcess):
    """A bot's process as the referee knows it, by the wall clock."""

    def __init__(self, popen: subprocess.Popen[bytes], folder: Path | None, *, memory_mib: int) -> None:
        stdin, stdout, stderr = popen.stdin, popen.stdout, popen.stderr
        if stdin is None or stdout is None or stderr is None:
            raise ValueError("A bot's process needs three pipes.")
        self._child = PortableChild(popen, folder)
        self._memory_mib = memory_mib
        self._pid = popen.pid
        self._charged_ns = self._used_ns = 0
        self._unsent = b""
        self._is_open = True
        self.log = StderrLog()
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=work, args=(pipe,), daemon=True)
            for work, pipe in (
                (self._listen, stdout),
                (self._take_down, stderr),
                (self._send, stdin),
            )
        ]
        for thread in self._threads:
            thread.start()

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
        began = time.monotonic_ns()
        with contextlib.suppress(queue.Empty):
            if piece := self._inbox.get_nowait():
                self._fault("protocol", "The bot wrote a line that nobody asked for.", began, line=piece)
            self._ended(began)
        self._outbox.put(self._unsent + line + b"\n")
        self._unsent = b""
        answer = b""
        while (at := answer.find(b"\n")) < 0 or at > LINE_BYTES:
            if len(answer) > LINE_BYTES:
                self._fault("protocol", f"A line has more than {LINE_BYTES} bytes.", began, line=answer)
            left_ms = min(cpu_ms, wall_ms) - (time.monotonic_ns() - began) / 1e6
            if left_ms <= 0:
                self._used_ns += time.monotonic_ns() - began
                self._time_out("cpu" if cpu_ms <= wall_ms else "wall", min(cpu_ms, wall_ms), began)
            try:
                piece = self._inbox.get(timeout=min(left_ms / 1000, ON_WAIT_S / 2))
            except queue.Empty:
                if on_wait is not None:
                    on_wait()
                continue
            if not piece:
                self._ended(began)
            answer += piece
        if self.log.is_flood:
            self._flooded(began)
        if not answer.endswith(b"\n") or answer.count(b"\n") > 1:
            extra = answer.partition(b"\n")[2]
            self._fault("protocol", "The bot wrote a line that nobody asked for.", began, line=extra)
        used_ns = time.monotonic_ns() - began
        self._used_ns += used_ns
        self._charged_ns = self._used_ns
        return Answer(answer[: -2 if answer.endswith(b"\r\n") else -1], used_ns, used_ns)

    def pause(self) -> None:
        """Nothing: a bot that works while others are asked is not charged for it here."""

    def resume(self) -> None:
        """Nothing, as nothing is stopped."""

    def flush(self) -> None:
        if self._unsent:
            self._outbox.put(self._unsent)
            self._unsent = b""

    def stderr(self) -> bytes:
        return self.log.text()

    def cpu_ns(self) -> int:
        return self._used_ns

    def peak_memory_mib(self) -> float:
        return 0.0

    def kill(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        self._pid = 0
        self._outbox.put(None)
        self._child.kill()
        for thread in self._threads:
            thread.join(_LAST_WORDS_S)

    def _part(self) -> None:
        self.flush()
        self._outbox.put(None)

    def _ended(self, began: int) -> NoReturn:
        ending = self._child.wait(_LAST_WORDS_S)
        if ending is None:
            self._fault("protocol", "The bot closed its standard output, so that it cannot answer.", began)
        for thread in self._threads[:2]:
            thread.join(_LAST_WORDS_S)
        # Its last words may have been read after its answer.
        if self.log.is_flood:
            self._flooded(began)
        self._fault("crash", ending.sentence, began)

    # In threads

    def _listen(self, pipe: IO[bytes]) -> None:
        """Hands over what the bot answers, and at its end an empty piece."""
        piece = b"-"
        while piece:
            piece = os.read(pipe.fileno(), LINE_BYTES + 1)
            self._inbox.put(piece)
        pipe.close()

    def _take_down(self, pipe: IO[bytes]) -> None:
        while piece := os.read(pipe.fileno(), STDERR_KEPT_BYTES):
            self.log.add(piece)
        pipe.close()

    def _send(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while message := self._outbox.get():
                while message:
                    message = message[os.write(pipe.fileno(), message) :]
        with contextlib.suppress(OSError):
            pipe.close()
