"""Waiting for processes and looking after them."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from arena.serving.supervisor import descendants

Identity = tuple[int, str]


def wait_for(condition: Callable[[], object], what: str, within_s: float = 30.0) -> None:
    """Until the condition holds; fails, saying what was waited for."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, f"waited {within_s:.0f} s for {what}"
        time.sleep(0.02)


def identity(pid: int) -> Identity | None:
    """The process's number with its time of start, as numbers are used again; None if it is gone or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (pid, fields[19])


def family(pid: int) -> set[Identity]:
    """The process and all that descend from it."""
    return {found for member in (pid, *descendants(pid)) if (found := identity(member))}


def command_line(pid: int) -> str:
    """The words of a process, with blanks between; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def alive(processes: set[Identity]) -> set[Identity]:
    return {process for process in processes if identity(process[0]) == process}


def end(processes: set[Identity]) -> None:
    for pid, _ in alive(processes):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
