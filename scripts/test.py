"""Runs the tests as `make test` does.

    python -m scripts.test [PYTEST ARGUMENTS]

Without arguments: everything on throw-away PostgreSQL and Redis servers, then the database-bound part once more on
SQLite. With arguments: one run of pytest with them, on the servers. Fails when a test fails or is skipped, or a server
could not be had. The last line is pytest's own closing line.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

from arena.serving.supervisor import PR_SET_CHILD_SUBREAPER, descendants
from scripts.servers import ServerProblem, Servers, throwaway_servers

STOP_WITHIN_S = 20.0
CORES = max(2, min(os.cpu_count() or 2, 8))


def parallel(n: int) -> tuple[str, ...]:
    return "-n", str(n), "--dist", "worksteal"


CLOSING_LINE = re.compile(r"^(=+ )?(\d+ \w+|no tests ran).* in [0-9.]+s\b.*$", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Part:
    """One run of pytest."""

    name: str
    arguments: Sequence[str]
    on_servers: bool


PARTS = (
    Part("SQLite", (*parallel(CORES), "-m", "database and not e2e"), on_servers=False),
    Part("the whole arena", ("-m", "e2e"), on_servers=True),
    # Many of these wait: for servers, for a bot's clock to run out, for a browser.
    Part("PostgreSQL and Redis", (*parallel(CORES + 1), "-m", "not e2e"), on_servers=True),
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


def run(part: Part, environ: Mapping[str, str]) -> Outcome:
    """Runs pytest, shows what it prints, and keeps its closing line."""
    colour = "yes" if sys.stdout.isatty() else "no"
    pytest = [sys.executable, "-m", "pytest", "-rs", f"--color={colour}", *part.arguments]
    print(f"\n--- {part.name}: pytest {' '.join(part.arguments)}", flush=True)
    with subprocess.Popen(
        ["setpriv", "--pdeathsig", "TERM", *pytest],
        env={**environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        assert child.stdout is not None
        tail = b""
        try:
            while chunk := os.read(child.stdout.fileno(), 65536):
                os.write(sys.stdout.fileno(), chunk)
                tail = (tail + chunk)[-8192:]
            status = child.wait()
        except SystemExit:
            child.send_signal(signal.SIGINT)  # pytest then takes its fixtures down
            try:
                child.wait(STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                child.kill()
            raise
    lines = [match[0] for match in CLOSING_LINE.finditer(COLOUR.sub("", tail.decode(errors="replace")))]
    return Outcome(part, status, lines[-1] if lines else f"pytest ended with exit status {status}")


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
    outcomes = []
    try:
        print("Starting private PostgreSQL and Redis …", flush=True)
        with throwaway_servers() as servers:
            for part in parts:
                with tempfile.TemporaryDirectory(prefix="skyjo-test-") as data_dir:
                    Path(data_dir).chmod(0o755)
                    Path(data_dir, "static").mkdir()
                    outcomes.append(run(part, environ_for(part, servers, data_dir)))
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
