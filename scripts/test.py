"""Runs the tests as `make test` does.

    python -m scripts.test [PYTEST ARGUMENTS]

Without arguments: everything on throw-away PostgreSQL and Redis servers, and the database-bound part once more on
SQLite; beside both go the tests of whole arenas, which mostly wait, and are shown when they have ended. With arguments:
one run of pytest with them, on the servers. Fails when a test fails or is skipped, or a server could not be had. The
last line is pytest's own closing line.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

from arena.serving.supervisor import PR_SET_CHILD_SUBREAPER, descendants
from scripts.servers import ServerProblem, Servers, throwaway_servers

STOP_WITHIN_S = 20.0
CORES = max(2, min(os.cpu_count() or 2, 8))


POLL_S = 0.05

CLOSING_LINE = re.compile(r"^(=+ )?(\d+ \w+|no tests ran).* in [0-9.]+s\b.*$", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Part:
    """One run of pytest; `beside` the others, or after those before it."""

    name: str
    arguments: Sequence[str]
    on_servers: bool
    beside: bool = False


PARTS = (
    Part("the shared arena", ("-m", "e2e and shared"), on_servers=True, beside=True),
    Part("arenas that are harmed", ("-m", "e2e and not shared"), on_servers=True, beside=True),
    Part("SQLite", ("-n", str(CORES), "--dist", "worksteal", "-m", "database and not e2e"), on_servers=False),
    # One more than there are cores: many of these wait for processes that they have started.
    Part(
        "PostgreSQL and Redis",
        ("-n", str(CORES + 1), "--dist", "worksteal", "-m", "not e2e"),
        on_servers=True,
    ),
)


@dataclass(frozen=True)
class Outcome:
    part: Part
    status: int
    closing_line: str

    @property
    def n_skipped(self) -> int:
        found = re.search(r"(\d+) skipped", self.closing_line)
        return int(found[1]) if found else 0

    @property
    def has_passed(self) -> bool:
        return self.status == 0 and self.n_skipped == 0


def on_signal(number: int, _frame: FrameType | None) -> NoReturn:
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)
    raise SystemExit(128 + number)


@contextmanager
def running(part: Part, environ: Mapping[str, str]) -> Iterator[Callable[[], Outcome]]:
    """Runs pytest. What is given shows what it prints, from its beginning to its end, and keeps its closing line."""
    colour = "yes" if sys.stdout.isatty() else "no"
    pytest = [sys.executable, "-m", "pytest", "-rs", f"--color={colour}", *part.arguments]
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", *pytest],
            env={**environ},
            stdin=subprocess.DEVNULL,
            stdout=output,
            start_new_session=True,
        )

        def show() -> Outcome:
            print(f"\n--- {part.name}: pytest {' '.join(part.arguments)}", flush=True)
            shown = 0
            tail = b""
            while True:
                has_ended = child.poll() is not None
                if chunk := os.pread(output.fileno(), 65536, shown):
                    os.write(sys.stdout.fileno(), chunk)
                    shown += len(chunk)
                    tail = (tail + chunk)[-8192:]
                elif has_ended:
                    break
                else:
                    time.sleep(POLL_S)
            lines = [
                match[0] for match in CLOSING_LINE.finditer(COLOUR.sub("", tail.decode(errors="replace")))
            ]
            ended = f"pytest ended with exit status {child.returncode}"
            return Outcome(part, child.returncode, lines[-1] if lines else ended)

        try:
            yield show
        finally:
            if child.poll() is None:
                child.send_signal(signal.SIGINT)  # pytest then takes its fixtures down
                try:
                    child.wait(STOP_WITHIN_S)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()


@contextmanager
def own_data_dir() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="skyjo-test-") as data_dir:
        Path(data_dir).chmod(0o755)
        Path(data_dir, "static").mkdir()
        yield data_dir


def environ_for(part: Part, servers: Servers, data_dir: str) -> dict[str, str]:
    settings = ("DATABASE_URL", "REDIS_URL", "DEBUG", "HTTPS", "ALLOWED_HOSTS", "SECRET_KEY", "HOST", "PORT")
    # Any value of the first, even 0, makes Python allocate as debuggers like it; without bytecode each of hundreds of
    # processes compiles what it imports.
    slow = ("PYTHONDEVMODE", "PYTHONDONTWRITEBYTECODE")
    environ = {name: value for name, value in os.environ.items() if name not in (*settings, *slow)}
    environ |= {"DATA_DIR": data_dir}
    if part.on_servers:
        environ |= {"DATABASE_URL": servers.database_url, "REDIS_URL": servers.redis_url}
    return environ


def end_left_overs() -> None:
    """Ends what a test may have left running, and says so."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    if left_over := descendants(os.getpid()):
        print(f"Left running by the tests and ended now: {', '.join(map(str, left_over))}", flush=True)
    for pid in left_over:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def main(arguments: Sequence[str]) -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    parts = (Part("chosen tests", arguments, on_servers=True),) if arguments else PARTS
    outcomes: list[Outcome] = []
    try:
        print("Starting private PostgreSQL and Redis …", flush=True)
        with throwaway_servers() as servers, ExitStack() as stack:

            def start(part: Part, stack: ExitStack) -> Callable[[], Outcome]:
                environ = environ_for(part, servers, stack.enter_context(own_data_dir()))
                return stack.enter_context(running(part, environ))

            beside = [start(part, stack) for part in parts if part.beside]
            for part in parts:
                if not part.beside:
                    with ExitStack() as alone:
                        outcomes.append(start(part, alone)())
            outcomes = [*(show() for show in beside), *outcomes]
    except ServerProblem as problem:
        print(f"make test: {problem}", file=sys.stderr)
        return 1
    finally:
        end_left_overs()
    print()
    for outcome in outcomes:
        print(f"{outcome.part.name}: {outcome.closing_line.strip('= ')}")
        if outcome.n_skipped:
            print(f"  {outcome.n_skipped} skipped: nothing may be; what a test needs is to be had.")
    worst = next((outcome for outcome in outcomes if not outcome.has_passed), outcomes[-1])
    print(worst.closing_line, flush=True)
    return 0 if worst.has_passed else worst.status or 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
