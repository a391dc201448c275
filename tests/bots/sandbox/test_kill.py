"""A kill leaves nothing, whenever it comes and whatever the bot does about it."""

from __future__ import annotations

import itertools
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from bots.sandbox import child, launcher
from bots.sandbox.faults import SandboxError
from bots.sandbox.process import finish

from .conftest import ECHO, ROOMY, Table, ask, leftovers, python, wait_until

ROOT = Path(__file__).resolve().parents[3]


def test_a_kill_leaves_nothing(table: Table, marker: str):
    process = table.start(python(ECHO, f"{marker}.py"))
    ask(process)
    assert leftovers(marker)
    process.kill()
    assert leftovers(marker) == []
    assert not process.alive


def test_a_stopped_bot_can_be_killed(table: Table, marker: str):
    process = table.start(python(ECHO, f"{marker}.py"))
    ask(process)
    process.pause()
    process.kill()
    assert leftovers(marker) == []


def test_a_bot_that_ignores_signals_and_runs_threads_is_gone(table: Table, marker: str):
    source = """
import os, signal, threading
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
for _ in range(10):
    threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
os.write(1, b"ready\\n")
"""
    process = table.start(python(source, f"{marker}.py"))
    ask(process)
    process.kill()
    assert leftovers(marker) == []


def test_a_kill_during_the_start_leaves_nothing(table: Table, marker: str):
    # At any moment from bubblewrap's first instruction to the running interpreter.
    luck = random.Random(1)
    for _ in range(40):
        process = table.start(python(ECHO, f"{marker}.py"))
        until = time.perf_counter() + luck.random() * 0.03
        while time.perf_counter() < until:
            pass
        process.kill()
        assert leftovers(marker) == []


def test_a_match_ended_during_the_start_of_its_bots_leaves_nothing(table: Table, marker: str):
    bots = [table.start(python(ECHO, f"{marker}.py")) for _ in range(4)]
    finish(bots, grace_ms=0)
    assert leftovers(marker) == []


def test_a_bubblewrap_that_hangs_before_it_has_a_bot_is_killed_with_its_group(
    table: Table, monkeypatch, marker: str
):
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)  # the sandbox's user runs what is in it
    hanging = folder / "bwrap"
    hanging.write_text(f"#!/bin/sh\nsh -c 'sleep 1000; : {marker}' & wait\n")
    hanging.chmod(0o755)
    monkeypatch.setattr(launcher, "BWRAP", str(hanging))
    monkeypatch.setattr(child, "_FIND_S", 0.1)
    process = table.start(python(ECHO, f"{marker}.py"))
    wait_until(lambda: len(leftovers(marker)) == 2)
    process.kill()
    wait_until(lambda: leftovers(marker) == [])  # the script's child is not ours to wait for
    shutil.rmtree(folder)


def test_a_sandbox_that_cannot_be_set_up_is_our_fault(table: Table, monkeypatch, marker: str):
    monkeypatch.setattr(launcher, "_NAMESPACES", (*launcher._NAMESPACES, "--ro-bind", "/nowhere", "/nowhere"))
    process = table.start(python(ECHO, f"{marker}.py"))
    with pytest.raises(SandboxError, match=r"could not be set up: bwrap: .*/nowhere"):
        ask(process)
    assert leftovers(marker) == []


def test_a_missing_bubblewrap_is_our_fault(table: Table, monkeypatch):
    table.start(ECHO).kill()  # the guard has begun
    monkeypatch.setattr(launcher, "BWRAP", "/nowhere/bwrap")
    open_before = os.listdir("/proc/self/fd")
    with pytest.raises(SandboxError, match=r"cannot be started.*/nowhere/bwrap"):
        table.start(ECHO)
    assert len(os.listdir("/proc/self/fd")) == len(open_before)


@pytest.mark.parametrize("kind", ["sandboxed", "bare"])
def test_a_lack_of_descriptors_is_our_fault_and_leaves_nothing(
    table: Table, bare_table: Table, monkeypatch, tmp_path, marker: str, kind: str
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    chosen = table if kind == "sandboxed" else bare_table
    chosen.start(ECHO).kill()  # what is cached has been asked for
    before = sorted(os.listdir("/proc/self/fd"))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    failures = 0
    for spare in range(30):
        free = itertools.islice(
            (number for number in itertools.count() if str(number) not in before), spare, None
        )
        resource.setrlimit(resource.RLIMIT_NOFILE, (next(free), hard))
        try:
            process = chosen.launcher.start(python(ECHO, f"{marker}.py"), ROOMY)
        except SandboxError:
            failures += 1
        else:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            process.kill()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert sorted(os.listdir("/proc/self/fd")) == before
        assert leftovers(marker) == []
        if spare > 3:  # removing a folder takes descriptors too
            assert os.listdir(tmp_path) == []
        for folder in tmp_path.iterdir():
            shutil.rmtree(folder)
    assert 5 < failures < 30


def test_no_descriptor_stays_open(table: Table):
    ask(table.start(ECHO))
    table.started[-1].kill()
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(3):
        process = table.start(ECHO)
        ask(process)
        process.kill()
    table.start(ECHO).kill()
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_the_sandbox_dies_with_the_process_that_drives_it(marker: str):
    source = f"""
import os, sys, time
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
name = "{marker}.py"
program = Program("python", {{name: b"import time\\nprint(input())\\ntime.sleep(1000)"}}, name)
process = SandboxLauncher(kit=b"").start(program, Limits())
process.ask(b"hello", cpu_ms=20_000, wall_ms=60_000)
print("ready", flush=True)
time.sleep(1000)
"""
    driver = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, cwd=ROOT)
    assert driver.stdout is not None
    try:
        assert driver.stdout.readline() == b"ready\n"
        assert leftovers(f"/bot/{marker}.py")
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    wait_until(lambda: not leftovers(f"/bot/{marker}.py"))


@pytest.mark.parametrize("end", ["sys.stdin.read()", "sys.exit()"])
def test_a_bare_bot_is_killed_with_what_it_started_and_its_folder_is_removed(
    bare_table: Table, marker: str, end: str
):
    sleeper = ["sh", "-c", f"sleep 1000; true {marker}"]
    source = f"import subprocess, sys\nsubprocess.Popen({sleeper})\nprint(input())\n{end}"
    process = bare_table.start(python(source, f"{marker}.py"), ROOMY)
    ask(process)
    # A process that has just called exec has, for a moment, no command line yet.
    wait_until(lambda: any("sleep 1000" in command for command in leftovers(marker)))
    folder = process._child._folder
    assert folder.is_dir()
    if end == "sys.exit()":
        process.resume()
        wait_until(lambda: not process.alive)
    process.kill()
    wait_until(lambda: leftovers(marker) == [])
    assert not folder.exists()
