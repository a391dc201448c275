"""A process that is killed takes its sandboxes with it, however young they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bots.sandbox import launcher
from bots.sandbox.guard import guard

from .conftest import ECHO, Table, ask, leftovers, wait_until

ROOT = Path(__file__).resolve().parents[3]

# Begins a sandbox in a process of its own for each line it reads, and kills that process so many seconds later.
STARTS = """
import os, select, signal, sys
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program

entry = sys.argv[1]
program = Program("python", {entry: b"import time\\nwhile True: time.sleep(1000)"}, entry)
launcher = SandboxLauncher(kit=b"")
launcher.start(program, Limits()).kill()
for line in sys.stdin:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(write, b"begins")
        launcher.start(program, Limits())
        signal.pause()
    os.read(read, 100)
    select.select([], [], [], float(line))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    print("killed", flush=True)
"""

# Starts one sandbox by the bubblewrap that it is told.
STARTS_ONE = """
import signal, sys
from bots.sandbox import launcher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program

entry, launcher.BWRAP = sys.argv[1:]
launcher.SandboxLauncher(kit=b"").start(Program("python", {entry: b""}, entry), Limits())
signal.pause()
"""

# The beginning of programs that guard what they start; each process has its name and the marker in its command line.
GUARDS = """
import os, signal, subprocess, sys
from bots.sandbox.guard import guard

def start(name):
    read, write = os.pipe()
    with guard().holding(write):
        subprocess.Popen(["sh", "-c", f"sleep 1000; : {name} {sys.argv[1]}"], stdin=read, start_new_session=True)
    os.close(read)
    return write
"""


@pytest.fixture
def drive() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    drivers = []

    def start(source: str, *words: str) -> subprocess.Popen[str]:
        drivers.append(
            subprocess.Popen(
                [sys.executable, "-c", source, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=ROOT,
                text=True,
            )
        )
        return drivers[-1]

    yield start
    for driver in drivers:
        driver.kill()
        driver.wait()
        driver.stdin.close()
        driver.stdout.close()


def test_a_process_that_is_killed_while_its_sandbox_starts_leaves_nothing(drive, marker: str):
    # At any moment from before bubblewrap's first instruction to the running interpreter.
    driver = drive(STARTS, f"{marker}.py")
    driver.stdin.writelines(f"{step * 0.001}\n" for step in range(40))
    driver.stdin.close()
    assert driver.stdout.read() == "killed\n" * 40
    wait_until(lambda: leftovers(f"/bot/{marker}.py") == [])


def test_a_half_made_sandbox_that_is_deaf_to_its_parents_end_is_ended(drive, marker: str):
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)  # the sandbox's user runs what is in it
    hanging = folder / "bwrap"
    # As the bot does when it is ready, its child leaves session and group.
    hanging.write_text(f"#!/bin/sh\nexec 3<&0\nsetsid sh -c 'sleep 1000; : /bot/{marker}.py' <&3 & wait\n")
    hanging.chmod(0o755)
    driver = drive(STARTS_ONE, f"{marker}.py", str(hanging))
    wait_until(lambda: len(leftovers(f"/bot/{marker}.py")) == 2)
    driver.kill()
    wait_until(lambda: leftovers(f"/bot/{marker}.py") == [])
    shutil.rmtree(folder)


def has_ended(pid: int) -> bool:
    """Whether or not anybody has asked yet how."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(") ")[2].startswith("Z")


def test_what_has_ended_before_is_left_alone(drive, marker: str):
    driver = drive(
        GUARDS + "guard().release(os.fstat(start('released')).st_ino)\nstart('held')\n"
        "print(guard().pid, flush=True)\nsignal.pause()",
        marker,
    )
    guards_pid = int(driver.stdout.readline())
    wait_until(lambda: leftovers(f"held {marker}"))
    driver.kill()
    wait_until(lambda: has_ended(guards_pid))
    assert leftovers(f"held {marker}") == []
    (released,) = leftovers(f"released {marker}")
    os.killpg(int(released.partition(":")[0]), 9)


def test_a_guard_that_somebody_ends_has_a_successor_that_knows_all_it_knew(drive, marker: str):
    driver = drive(
        GUARDS
        + "start('first')\nold = guard().pid\nos.kill(old, 9)\nos.waitid(os.P_PID, old, os.WEXITED | os.WNOWAIT)\n"
        "start('second')\nassert guard().pid != old\nprint('ready', flush=True)\nsignal.pause()",
        marker,
    )
    assert driver.stdout.readline() == "ready\n"
    assert len(leftovers(f" {marker}")) > 1
    driver.kill()
    wait_until(lambda: not leftovers(f"first {marker}") and not leftovers(f"second {marker}"))


def test_a_child_that_was_forked_does_not_keep_the_sandboxes_of_its_parent(drive, marker: str):
    driver = drive(
        GUARDS + "start('held')\nchild = os.fork()\nif child:\n    print(child, flush=True)\nsignal.pause()",
        marker,
    )
    child = int(driver.stdout.readline())
    try:
        driver.kill()
        wait_until(lambda: not leftovers(f"held {marker}"))
    finally:
        os.kill(child, 9)


def test_the_guard_stands_apart_and_no_bot_gets_its_pipe(table: Table):
    ask(table.start(ECHO))
    assert os.getsid(guard().pid) == guard().pid
    assert not os.get_inheritable(guard()._pipe)


def test_without_a_shell_no_sandbox_is_started(monkeypatch, table: Table):
    def missing(*words: object, **options: object) -> int:
        raise FileNotFoundError(2, "No such file or directory", "/bin/sh")

    guard.cache_clear()
    try:
        with monkeypatch.context() as patched:
            patched.setattr(os, "posix_spawn", missing)
            with pytest.raises(launcher.SandboxError, match="/bin/sh"):
                table.launcher.start(
                    launcher.Program("python", {"main.py": b""}, "main.py"), launcher.Limits()
                )
    finally:
        guard.cache_clear()
