"""The operating system's side of a bot's process: its pid, its end, and a kill that leaves nothing."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from bots.sandbox.faults import SandboxError
from bots.sandbox.guard import guard

_CHILD_PID = re.compile(rb'"child-pid": (\d+)\b(?!$)')
_EXIT_CODE = re.compile(rb'"exit-code": (\d+)\b(?!$)')
# How long a kill waits for bubblewrap to name the bot, and then for the end.
_FIND_S = 10.0
_KILL_S = 10.0


@dataclass(frozen=True, slots=True)
class Ending:
    """How a process ended: an exit status or a signal, never both, and what it used.

    `failed_to_start`: it ended before the bot's program was reached. `peak_kib` is resident memory, 0 where it is
    not known.
    """

    exit_status: int | None
    signal: int | None
    cpu_ns: int
    peak_kib: int
    failed_to_start: bool = False

    @property
    def signal_name(self) -> str | None:
        if self.signal is None:
            return None
        try:
            return signal.Signals(self.signal).name
        except ValueError:
            return f"signal {self.signal}"

    @property
    def sentence(self) -> str:
        if self.signal is None:
            return f"The bot's process exited with status {self.exit_status}."
        return f"The bot's process was ended by signal {self.signal} ({self.signal_name})."


class Child(ABC):
    """A started process. `ending` is set once it was waited for; only then is it certain that nothing is left."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        import resource  # which Windows has not, as it has no such child

        self._popen = popen
        # A process is charged with the size of the one that forked it: what is no more than ours tells nothing.
        self._our_peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            self.exit_fd = os.pidfd_open(popen.pid)
        except OSError:
            os.killpg(popen.pid, signal.SIGKILL)
            popen.wait()
            raise
        self.ending: Ending | None = None

    @abstractmethod
    def find(self, timeout_s: float) -> int | None:
        """The bot's pid, waiting for it if need be; None if the process ended first or the time is over."""

    @abstractmethod
    def signal(self, number: int) -> None:
        """Sends a signal to the bot's process; nothing happens if it has ended."""

    @abstractmethod
    def kill(self) -> Ending:
        """Ends the process and everything in it, and waits until that is so. SandboxError if it cannot be had."""

    @abstractmethod
    def _close(self, wait_status: int, cpu_ns: int, peak_kib: int) -> Ending: ...

    def wait(self, timeout_s: float) -> Ending | None:
        """The end of the process, or None if it still runs after that time."""
        if self.ending is None and _readable(self.exit_fd, timeout_s):
            _, wait_status, usage = os.wait4(self._popen.pid, 0)
            self._popen.returncode = os.waitstatus_to_exitcode(wait_status)
            os.close(self.exit_fd)
            cpu_ns = int((usage.ru_utime + usage.ru_stime) * 1e9)
            peak_kib = usage.ru_maxrss if usage.ru_maxrss > self._our_peak_kib else 0
            self.ending = self._close(wait_status, cpu_ns, peak_kib)
        return self.ending


class SandboxedChild(Child):
    """A bot inside bubblewrap. What we started is the outer bubblewrap, which waits for the bot and then ends;
    that it ended by itself proves that the bot, process 1 of its namespace, and all in it are gone."""

    def __init__(self, popen: subprocess.Popen[bytes], status_fd: int, stdin: int) -> None:
        super().__init__(popen)
        self._guarded = os.fstat(stdin).st_ino
        self._status_fd = status_fd
        os.set_blocking(status_fd, False)
        self._status = b""
        self._bot_fd = -1
        self._bot_pid: int | None = None
        self._own_cpu_ns = 0

    def find(self, timeout_s: float) -> int | None:
        deadline = time.monotonic() + timeout_s
        while self._bot_pid is None and self.ending is None:
            left = deadline - time.monotonic()
            if not _readable(self._status_fd, max(0.0, left)) or not self._read_status():
                return None
            if found := _CHILD_PID.search(self._status):
                self._hold(int(found[1]))
        return self._bot_pid

    def signal(self, number: int) -> None:
        if self._bot_fd >= 0:
            _send(self._bot_fd, number)

    def kill(self) -> Ending:
        # The bot first: then the outer bubblewrap reaps it and ends too. Killing the outer one alone can leave a
        # half-made sandbox behind, and proves nothing.
        if self.ending is None and self.find(_FIND_S) is not None:
            self.signal(signal.SIGKILL)
            self.wait(_KILL_S)
        if self.ending is None:
            self._kill_both()
        assert self.ending is not None  # noqa: S101 - _kill_both raises otherwise
        return self.ending

    def _kill_both(self) -> None:
        """For a bubblewrap that hangs in its set-up: its group, which the bot leaves only when it is ready."""
        os.killpg(self._popen.pid, signal.SIGKILL)
        self.signal(signal.SIGKILL)
        bot_fd, self._bot_fd = self._bot_fd, -1
        gone = self.wait(_KILL_S) is not None and (bot_fd < 0 or _readable(bot_fd, _KILL_S))
        if bot_fd >= 0:
            os.close(bot_fd)
        if not gone:
            raise SandboxError(f"The sandbox of process {self._popen.pid} does not end, even when killed.")

    def _hold(self, pid: int) -> None:
        """Holds the bot by a descriptor that never means another process, once it is certain to be our bot."""
        # The outer bubblewrap has done its work and only waits from here on: what it used is not the bot's.
        self._own_cpu_ns = time.clock_gettime_ns((~self._popen.pid << 3) | 2)
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            self._bot_pid = pid
            return
        if _parent(pid) == self._popen.pid:
            self._bot_fd = descriptor
        else:
            os.close(descriptor)
        self._bot_pid = pid

    def _read_status(self) -> bool:
        try:
            piece = os.read(self._status_fd, 4096)
        except BlockingIOError:
            return True
        self._status += piece
        return bool(piece)

    def _close(self, wait_status: int, cpu_ns: int, peak_kib: int) -> Ending:
        guard().release(self._guarded)
        cpu_ns = max(0, cpu_ns - self._own_cpu_ns)
        while _readable(self._status_fd, 0) and self._read_status():
            pass
        os.close(self._status_fd)
        if self._bot_fd >= 0:
            os.close(self._bot_fd)
            self._bot_fd = -1
        if os.WIFSIGNALED(wait_status):
            return Ending(None, os.WTERMSIG(wait_status), cpu_ns, peak_kib)
        found = _EXIT_CODE.search(self._status)
        if found is None:
            return Ending(os.WEXITSTATUS(wait_status), None, cpu_ns, peak_kib, failed_to_start=True)
        status = int(found[1])
        # Bubblewrap reports a signal as a shell does.
        ended_by = status - 128 if status - 128 in _SIGNALS else None
        return Ending(None if ended_by else status, ended_by, cpu_ns, peak_kib)


class BareChild(Child):
    """A bot without a sandbox, in a process group of its own; `folder` is thrown away when it has ended."""

    def __init__(self, popen: subprocess.Popen[bytes], folder: Path | None) -> None:
        super().__init__(popen)
        self._folder = folder

    def find(self, timeout_s: float) -> int | None:
        return self._popen.pid

    def signal(self, number: int) -> None:
        if self.ending is None:
            _send(self.exit_fd, number)

    def kill(self) -> Ending:
        if self.ending is None:
            os.killpg(self._popen.pid, signal.SIGKILL)
            if self.wait(_KILL_S) is None:
                raise SandboxError(f"Process {self._popen.pid} does not end, even when killed.")
        assert self.ending is not None  # noqa: S101 - set by wait
        return self.ending

    def wait(self, timeout_s: float) -> Ending | None:
        if self.ending is None and _readable(self.exit_fd, timeout_s):
            # What it has started may live on in its group, which is its own until it was waited for.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        return super().wait(0)

    def _close(self, wait_status: int, cpu_ns: int, peak_kib: int) -> Ending:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if os.WIFSIGNALED(wait_status):
            return Ending(None, os.WTERMSIG(wait_status), cpu_ns, peak_kib)
        return Ending(os.WEXITSTATUS(wait_status), None, cpu_ns, peak_kib)


_SIGNALS = {int(number) for number in signal.Signals}


def _readable(descriptor: int, timeout_s: float) -> bool:
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(timeout_s * 1000))


def _send(pidfd: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, number)


def _parent(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None
