"""Real sandboxed processes for the tests, all dead when a test is over."""

from __future__ import annotations

import os
import select
import time
import uuid
from collections.abc import Callable, Iterator

import pytest

from bots.sandbox.launcher import BareLauncher, Launcher, SandboxLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.process import Answer, BotProcess
from bots.sandbox.runtimes import Program

# Generous, because the machine may be busy: no test is about how fast anything is.
ROOMY = Limits(start_ms=20_000, decision_ms=20_000, memory_mib=512)
CPU_MS = 20_000
WALL_MS = 60_000

ECHO = """
import sys
for line in sys.stdin:
    sys.stdout.write(line)
    sys.stdout.flush()
"""


def python(source: str, entry: str = "main.py", **files: bytes) -> Program:
    return Program("python", {entry: source.encode(), **files}, entry)


class Table:
    """Starts bots from source and asks them with roomy limits."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.started: list[BotProcess] = []

    def start(self, source: str | Program, limits: Limits = ROOMY) -> BotProcess:
        program = python(source) if isinstance(source, str) else source
        self.started.append(self.launcher.start(program, limits))
        return self.started[-1]

    def ask(self, source: str | Program, line: bytes = b"hello", limits: Limits = ROOMY) -> Answer:
        """One question to a new bot."""
        return ask(self.start(source, limits), line)


def ask(process: BotProcess, line: bytes = b"hello", **options: object) -> Answer:
    return process.ask(line, **{"cpu_ms": CPU_MS, "wall_ms": WALL_MS, **options})  # type: ignore[arg-type]


def wait_until(condition: Callable[[], object], timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        select.select([], [], [], 0.002)  # leaves the core to what is waited for


def leftovers(marker: str) -> list[str]:
    """The processes on this machine that have the marker in their command line, zombies and all."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if marker in command and int(pid) != os.getpid():
            found.append(f"{pid}: {command}")
    return found


@pytest.fixture
def table() -> Iterator[Table]:
    table = Table(SandboxLauncher(kit=b"NAME = 'the kit'\n"))
    yield table
    for process in table.started:
        process.kill()


@pytest.fixture
def bare_table() -> Iterator[Table]:
    table = Table(BareLauncher(kit=b"NAME = 'the kit'\n"))
    yield table
    for process in table.started:
        process.kill()


@pytest.fixture
def marker() -> str:
    """A word that no other process on the machine has in its command line."""
    return f"bot_{uuid.uuid4().hex}"
