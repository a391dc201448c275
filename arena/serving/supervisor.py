"""Starts programs, starts them again when they fall, and ends all of them and all that they started.

Knows nothing of the arena. Linux only: it becomes the reaper of its descendants, so that a process whose
parent has died is still found at the end, whatever session or group it moved to.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

# What the programs together get to end by themselves, before what is left gets killed (seconds).
GRACE_S = 4.0
# How long the killed may take to be gone (seconds).
KILL_S = 2.0
FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 30.0
# A program that has run so long is started again without delay.
SOUND_AFTER_S = 60.0
# How long after a program's fall its descendants may turn up as ours (seconds).
ORPHANS_WITHIN_S = 5.0
PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Program:
    """A program that shall always run."""

    name: str
    argv: Sequence[str]
    environ: Mapping[str, str]
    cwd: Path
    pass_fds: Sequence[int] = ()


@dataclass
class _Run:
    """What a program is doing now: running, or waiting to be started again."""

    program: Program
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_at: float = 0.0
    n_falls: int = 0


@dataclass
class Supervisor:
    """Keeps programs running from `run()` until SIGINT, SIGTERM or (unless ignored from the start) SIGHUP."""

    programs: Sequence[Program]
    say: Callable[[str], None]
    grace_s: float = GRACE_S
    _stop_signal: int | None = field(default=None, init=False)
    _runs: list[_Run] = field(default_factory=list, init=False)
    _orphans_until: float = field(default=0.0, init=False)

    def install_signal_handlers(self) -> None:
        """To be called early by the main thread: from then on a signal only asks for the end."""
        self._wake_r, self._wake_w = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(self._wake_w, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_stop)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup ignores it on purpose
            signal.signal(signal.SIGHUP, self._on_stop)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def _on_stop(self, number: int, _frame: FrameType | None) -> None:
        self._stop_signal = number

    @property
    def is_stopping(self) -> bool:
        return self._stop_signal is not None

    def run(self) -> None:
        """Returns when everything has ended."""
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._runs = [_Run(program) for program in self.programs]
        make = _InterruptedMake(os.getppid())
        try:
            while not self.is_stopping:
                self._reap()
                self._end_orphans()
                self._start_due()
                if make.was_interrupted():
                    break
                self._wait(0.5)
        finally:
            self._end_all()

    def _start_due(self) -> None:
        now = time.monotonic()
        for run in self._runs:
            if run.process is None and run.start_at <= now and not self.is_stopping:
                # A session of its own keeps the terminal's Ctrl-C from it. Should we be killed, so is it: a softer
                # signal may find it just starting, and be lost, with nobody there to ask again.
                run.process = subprocess.Popen(
                    ["setpriv", "--pdeathsig", "KILL", *run.program.argv],
                    env=dict(run.program.environ),
                    cwd=run.program.cwd,
                    stdin=subprocess.DEVNULL,
                    pass_fds=tuple(run.program.pass_fds),
                    start_new_session=True,
                )
                run.started_at = now

    def _reap(self) -> None:
        """Takes note of everything that has ended; a fallen program is to be started again."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            run = next((run for run in self._runs if run.process and run.process.pid == ended.si_pid), None)
            if run is not None:
                _kill_group(ended.si_pid)  # before its number is free to be another's
            _, status = os.waitpid(ended.si_pid, 0)
            if run is not None:
                self._note_fall(run, os.waitstatus_to_exitcode(status))

    def _end_orphans(self) -> None:
        """Ends what a fallen program leaves outside its group, which becomes our child when its own parent is gone."""
        if time.monotonic() < self._orphans_until:
            own = {run.process.pid for run in self._runs if run.process}
            for pid in children():
                if pid not in own:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)

    def _note_fall(self, run: _Run, status: int) -> None:
        if run.process is not None:
            run.process.returncode = status  # we have waited for it ourselves
        run.process = None
        if self.is_stopping:
            return
        now = time.monotonic()
        self._orphans_until = now + ORPHANS_WITHIN_S
        run.n_falls = 0 if now - run.started_at >= SOUND_AFTER_S else run.n_falls + 1
        delay = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** (run.n_falls - 1)) if run.n_falls else 0.0
        run.start_at = now + delay
        cause = f"by {signal.Signals(-status).name}" if status < 0 else f"with exit status {status}"
        self.say(f"{run.program.name} ended {cause}; starting it again in {delay:.0f} s.")

    def _wait(self, timeout_s: float) -> None:
        """Until a signal or a child's end, or the time is over."""
        if select.select([self._wake_r], [], [], max(0.0, timeout_s))[0]:
            os.read(self._wake_r, 4096)

    def _end_all(self) -> None:
        self._stop_signal = self._stop_signal or signal.SIGTERM
        deadline = time.monotonic() + self.grace_s
        for run in self._runs:
            if run.process is not None:
                run.process.send_signal(signal.SIGTERM)
        while any(run.process for run in self._runs) and (left := deadline - time.monotonic()) > 0:
            self._wait(min(left, 0.5))
            self._reap()
        # New ones may appear while we look, so look until there are none.
        deadline = time.monotonic() + KILL_S
        while (left_over := descendants(os.getpid())) and time.monotonic() < deadline:
            for pid in left_over:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            self._wait(0.02)
            self._reap()
        if left_over:
            self.say(f"These processes could not be ended: {', '.join(map(str, left_over))}.")


class _InterruptedMake:
    """Sees that the `make` above us was interrupted by a SIGINT sent to it alone.

    GNU make passes a SIGTERM on to what it runs, but takes a SIGINT to come from the terminal, which sends it
    to all: it restores the signal's default action and waits for us to end by ourselves.
    """

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self._may_be = self._catches_sigint() and self._status.read_text().startswith("Name:\tmake\n")

    def _catches_sigint(self) -> bool:
        try:
            text = self._status.read_text()
        except OSError:
            return False
        caught = next(line for line in text.splitlines() if line.startswith("SigCgt:"))
        return bool(int(caught.split()[1], 16) & 1 << (signal.SIGINT - 1))

    def was_interrupted(self) -> bool:
        return self._may_be and not self._catches_sigint()


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def children() -> list[int]:
    """The children of all threads of this process, zombies included."""
    found: list[int] = []
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, listed.read_text().split())
    return found


def descendants(pid: int) -> list[int]:
    """All processes that have this one among their ancestors, zombies included."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdecimal():
            try:
                # The command's name, in brackets, may hold blanks and brackets of its own.
                rest = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(rest[1]), []).append(int(entry))
    found: list[int] = []
    queue = [pid]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found
