"""An arena that is there to be harmed: its processes, started again when they fall, and the ways to kill them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from arena.serving.address import Address
from arena.serving.supervisor import children, descendants
from tests.ops.processes import command_line, identity

CHECKOUT = Path(__file__).resolve().parents[2]
# As an engine of containers starts again what has ended.
AGAIN_AFTER_S = 1.0
STOP_WITHIN_S = 30.0


@dataclass
class Unit:
    """A program that shall run: alone on its host, or with others."""

    name: str
    argv: Sequence[str]
    environ: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    due: float = 0.0


def deployed(address: Address, n_workers: int) -> list[Unit]:
    """The processes of docs/operate.md, by hand: each worker for matches is a host of its own."""

    def worker(queue: str, host: str, *words: str) -> Unit:
        options = ("-Q", queue, "-n", f"{queue}@{host}", "--without-gossip", "--without-mingle", *words)
        argv = ("celery", "-q", "-A", "arena", "worker", "-l", "WARNING", *options)
        return Unit(f"{queue}@{host}", argv, {"REMAP_SIGTERM": "SIGQUIT", "SOFT_SHUTDOWN_S": "2"})

    web = f"--bind {address.host}:{address.port} --workers 2 --worker-class gthread --threads 4 --no-control-socket"
    return [
        Unit("web", ("gunicorn", "arena.wsgi", *web.split(), "--log-level", "warning")),
        *(worker("matches", f"soak{number}", "--concurrency", "1") for number in range(n_workers)),
        worker("checks", "soak", "--concurrency", "1"),
        worker("housekeeping", "soak", "--pool", "solo"),
        worker("ratings", "soak", "--pool", "solo"),
        Unit("beat", ("celery", "-q", "-A", "arena", "beat", "-l", "WARNING", "--pidfile", "")),
    ]


def embedded(n_workers: int) -> list[Unit]:
    """One `manage.py serve`, which starts the rest and starts it again."""
    return [Unit("serve", (), {"MATCH_WORKERS": str(n_workers)})]


@dataclass
class Stack:
    """The processes that run; `log` is where they write."""

    address: Address
    environ: Mapping[str, str]
    units: Sequence[Unit]
    log: Path
    swept_until: float = 0.0

    def tend(self) -> None:
        """Start what has not been started yet, or has ended a while ago."""
        now = time.monotonic()
        for unit in self.units:
            if unit.process is not None and unit.process.poll() is not None:
                unit.process, unit.due = None, now + AGAIN_AFTER_S
                self.swept_until = now + AGAIN_AFTER_S
            if unit.process is None and now >= unit.due:
                unit.process = self._start(unit)

        if now < self.swept_until:
            self._sweep()

    def _sweep(self) -> None:
        """With the first process of a container all others end that were in it; they have become our children."""
        units = {unit.process.pid for unit in self.units if unit.process is not None}
        for pid in children():
            if pid not in units and "bwrap" in command_line(pid):
                strike(pid, signal.SIGKILL)

    def _start(self, unit: Unit) -> subprocess.Popen[bytes]:
        words = ("-m", *unit.argv) if unit.argv else ("manage.py", "serve")
        with self.log.open("ab") as output:
            return subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", sys.executable, *words],
                cwd=CHECKOUT,
                env={**self.environ, **unit.environ, "PGAPPNAME": unit.name},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def main_of(self, *words: str) -> list[int]:
        """The processes whose command line holds these words, without those that they forked."""
        found = {pid for pid in self._pids() if all(word in command_line(pid) for word in words)}
        return sorted(pid for pid in found if parent(pid) not in found)

    def children_of_workers(self) -> list[int]:
        """The processes in which matches are played; what these have forked is not yet, or no more, one of them."""
        mains = self.main_of("celery", "matches@")
        return sorted(pid for pid in self._pids() if parent(pid) in mains and "matches@" in command_line(pid))

    def sandboxes(self) -> list[int]:
        return [pid for pid in self._pids() if "bwrap" in command_line(pid)]

    def _pids(self) -> list[int]:
        return descendants(os.getpid())

    def stop(self) -> bool:
        """SIGTERM to all; whether they ended by themselves in time."""
        running = [unit.process for unit in self.units if unit.process is not None]
        for process in running:
            process.terminate()
        deadline = time.monotonic() + STOP_WITHIN_S
        try:
            for process in running:
                process.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        for unit in self.units:
            if unit.process is not None:
                unit.process.kill()
                unit.process.wait()


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def strike(pid: int, number: signal.Signals) -> bool:
    """Send a signal; whether somebody was there to get it."""
    with suppress(ProcessLookupError):
        if identity(pid) is not None:
            os.kill(pid, number)
            return True
    return False
