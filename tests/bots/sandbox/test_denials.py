"""What a bot may not do, tried by real bots in the real sandbox."""

from __future__ import annotations

import platform
import struct
import subprocess

import pytest

from bots.sandbox import canary, host, launcher, seccomp
from bots.sandbox.canary import run_canary
from bots.sandbox.launcher import BareLauncher, SandboxLauncher
from bots.sandbox.runtimes import Program

from .conftest import Table, wait_until

ATTEMPT = """
import errno, sys
def attempt(action):
    try:
        action()
        print("no error")
    except OSError as error:
        print(errno.errorcode[error.errno])
"""


def test_the_canary_is_denied_everything():
    report = run_canary(SandboxLauncher(kit=b""))
    assert report.problems == []
    assert report.ok
    assert report.denials["fork"] == "EPERM"
    assert report.denials["socket inet"] == "EACCES"
    assert report.denials["read /etc/passwd"] == "ENOENT"
    assert report.denials["write /bot"] == "EROFS"
    assert report.denials["stop"] == "T"
    assert len(report.denials) == len(canary._EXPECTED)


def test_the_canary_notices_a_filter_that_lets_everything_through(monkeypatch):
    allow = struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000)
    monkeypatch.setattr(launcher, "_filter_code", lambda has_reserve: allow)
    report = run_canary(SandboxLauncher(kit=b""))
    assert not report.ok
    text = " ".join(report.problems)
    assert "“fork” gave no error, not EPERM" in text
    assert "“socket inet” gave no error, not EACCES" in text


def test_the_canary_notices_a_folder_of_the_host(monkeypatch):
    monkeypatch.setattr(launcher, "_NAMESPACES", (*launcher._NAMESPACES, "--ro-bind", "/etc", "/etc"))
    report = run_canary(SandboxLauncher(kit=b""))
    assert any("“read /etc/passwd” gave no error" in problem for problem in report.problems)


def test_the_canary_notices_a_missing_limit(monkeypatch):
    monkeypatch.setattr(launcher, "rlimit_options", lambda limits, runtime: ["--nofile=32"])
    text = " ".join(run_canary(SandboxLauncher(kit=b"")).problems)
    assert "“threads” gave" in text
    assert "“memory” gave no limit" in text


class Interfering:
    """Starts other programs in the place of the first ones."""

    python = ""

    def __init__(self, *sources: str):
        self.sources = list(sources)
        self.n_started = 0
        self._launcher = SandboxLauncher(kit=b"")

    def start(self, program, limits):
        self.n_started += 1
        if self.sources:
            program = Program("python", {"main.py": self.sources.pop(0).encode()}, "main.py")
        return self._launcher.start(program, limits)


KILLED = "import os; os._exit(3)"


def test_a_canary_that_was_not_heard_to_the_end_is_sent_once_more():
    launcher = Interfering(KILLED)
    assert run_canary(launcher).ok
    assert launcher.n_started == 2


def test_a_canary_that_ends_while_the_kernel_is_asked_about_it_is_sent_once_more():
    launcher = Interfering("print('{}', flush=True)")
    started = launcher._launcher.start

    def start(program, limits):
        process = started(program, limits)
        ask = process.ask

        def asked(*args, **options):
            answer = ask(*args, **options)
            if launcher.n_started == 1:
                wait_until(lambda: not process.alive)
            return answer

        process.ask = asked
        return process

    launcher._launcher.start = start
    assert run_canary(launcher).ok
    assert launcher.n_started == 2


def test_a_canary_that_is_never_heard_to_the_end_is_no_proof():
    launcher = Interfering(KILLED, KILLED, KILLED)
    report = run_canary(launcher)
    assert report.problems == ["The canary did not finish: The bot's process exited with status 3."]
    assert launcher.n_started == 2


def test_what_a_canary_was_not_denied_counts_at_once(monkeypatch):
    monkeypatch.setattr(launcher, "rlimit_options", lambda limits, runtime: ["--nofile=32"])
    interfering = Interfering()
    assert not run_canary(interfering).ok
    assert interfering.n_started == 1


def test_without_a_sandbox_the_canary_tries_nothing_and_fails():
    report = run_canary(BareLauncher(kit=b""))
    assert not report.ok
    assert any("could not try everything" in problem for problem in report.problems)


def test_the_canary_says_so_when_bubblewrap_fails(monkeypatch):
    monkeypatch.setattr(launcher, "_NAMESPACES", (*launcher._NAMESPACES, "--ro-bind", "/nowhere", "/nowhere"))
    report = run_canary(SandboxLauncher(kit=b""))
    assert "The sandbox does not start" in report.problems[0]
    assert "/nowhere" in report.problems[0]


def test_a_host_without_bubblewrap_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(host, "BWRAP", "/nowhere/bwrap")
    report = run_canary(SandboxLauncher(kit=b""))
    assert report.problems == ["/nowhere/bwrap is missing: install the package bubblewrap."]


def test_another_architecture_refuses_in_words(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert "aarch64" in host.host_problems()[0]
    with pytest.raises(seccomp.UnsupportedArchitecture, match="aarch64"):
        seccomp.assemble()


def test_an_old_interpreter_refuses_in_words(monkeypatch):
    launcher.interpreter.cache_clear()
    launcher._mounts.cache_clear()
    answer = subprocess.CompletedProcess([], 0, stdout="3.10.4\n/usr/lib/python3.10\n")
    monkeypatch.setattr(launcher.subprocess, "run", lambda *_, **__: answer)
    assert any("3.11 or later is needed" in problem for problem in host.host_problems())
    launcher.interpreter.cache_clear()


def test_a_container_with_less_memory_than_its_host_counts(monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(host, "_CGROUP_LIMITS", (limit,))
    limit.write_text("max\n")
    whole = host.total_memory_mib()
    limit.write_text(str(100 * 1024 * 1024))
    assert host.total_memory_mib() == 100 < whole


def test_the_secrets_of_the_worker_do_not_reach_the_bot(table: Table, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "do-not-tell")
    answer = table.ask("import os, sys; input(); print(sorted(os.environ), flush=True); sys.stdin.read()")
    assert b"SECRET_KEY" not in answer.line
    assert b"PATH" in answer.line
    outer = table.started[0]._child._popen.pid
    with open(f"/proc/{outer}/environ", "rb") as file:
        assert file.read() == b""


def test_packages_of_the_host_cannot_be_imported(table: Table):
    source = """
import sys
sys.path += ["/usr/lib/python3/dist-packages", "/usr/local/lib/python3/dist-packages"]
found = []
for name in ("pip", "yaml", "apt_pkg", "django", "pkg_resources", "setuptools"):
    try:
        __import__(name)
        found.append(name)
    except ImportError:
        pass
input()
print(found)
sys.stdin.read()
"""
    assert table.ask(source).line == b"[]"


def test_a_folder_of_packages_inside_the_standard_library_is_hidden(table: Table, monkeypatch):
    # Debian imports from one, where there is one; another folder stands in for it.
    launcher._mounts.cache_clear()
    monkeypatch.setattr(launcher, "_PACKAGES", "wsgiref")
    source = ATTEMPT + (
        "import os\nfolder = os.path.dirname(os.__file__) + '/wsgiref'\n"
        "input()\nprint(os.listdir(folder), end=' ')\nattempt(lambda: os.mkdir(folder + '/x'))\ninput()"
    )
    assert table.ask(source).line == b"[] EROFS"
    launcher._mounts.cache_clear()


def test_the_standard_library_threads_and_asyncio_work(table: Table):
    source = """
import asyncio, collections, ctypes, dataclasses, decimal, fractions, hashlib, heapq, itertools, json, math, random
import sqlite3, ssl, statistics, threading, zlib, queue, concurrent.futures, multiprocessing, numbers, bisect, array
import skyjo
async def twice(number):
    await asyncio.sleep(0)
    return 2 * number
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    doubled = list(pool.map(lambda number: 2 * number, range(3)))
input()
print(skyjo.NAME, doubled, asyncio.run(twice(21)), sqlite3.connect(":memory:").execute("select 1").fetchone())
input()
"""
    assert table.ask(source).line == b"the kit [0, 2, 4] 42 (1,)"


def test_a_bot_reads_its_own_files_and_modules(table: Table):
    program = launcher.Program(
        "python",
        {
            "main.py": b"from brain.think import table\ninput()\nprint(table())\ninput()\n",
            "brain/__init__.py": b"",
            "brain/think.py": b"def table():\n    return open('brain/data.txt').read()\n",
            "brain/data.txt": b"weights",
        },
        "main.py",
    )
    assert table.ask(program).line == b"weights"
