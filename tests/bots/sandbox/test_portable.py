"""Bots where the system has not what Linux has: threads, pipes and the wall clock, tried out on Linux."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bots.house import house_source
from bots.packages import apart, read_package
from bots.sandbox.faults import BotFault, SandboxError
from bots.sandbox.launcher import BareLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.portable import PortableLauncher
from bots.sandbox.runtimes import Command, Program
from matches.engine import parse_seed, rules_from
from matches.referee import MatchSpec, play_match
from tests.bots.packages.archives import DEFLATED, MAIN, Member, build

LAUNCHER = PortableLauncher("/usr/bin/python3")
ECHO = b"""
import sys

heard = []
for line in sys.stdin:
    heard.append(line.strip())
    if line.strip() == "hi":
        print(*heard, flush=True)
"""


def start(source: bytes):
    return LAUNCHER.start(Program("python", {"main.py": source}, "main.py"), Limits())


def ask(process, line: bytes = b"hi", *, cpu_ms: float = 20_000, wall_ms: float = 20_000):
    return process.ask(line, cpu_ms=cpu_ms, wall_ms=wall_ms)


def test_a_match_comes_out_as_under_the_arenas_clocks() -> None:
    spec = MatchSpec(
        parse_seed("5"), rules_from("official"), 2, 1, Limits(start_ms=60_000, decision_ms=20_000)
    )
    programs = [Program("python", {"main.py": house_source(name)}, "main.py") for name in ("ev", "random")]
    records = [
        play_match(spec, programs, each, sha256s=["0" * 64] * 2) for each in (LAUNCHER, BareLauncher())
    ]
    first, second = ([game.core for game in record.games] for record in records)
    assert first == second
    assert not any(game.faults for record in records for game in record.games)


def test_answers_are_charged_by_the_wall_clock_and_what_was_posted_comes_first() -> None:
    with start(ECHO) as process:
        process.post(b"before")
        answer = ask(process)
        assert answer.line == b"before hi"
        assert answer.cpu_ns == answer.wall_ns == process.cpu_ns() > 0


def ask_for_fault(process, **limits: float) -> BotFault:
    try:
        # An answer that nobody asked for may still be on its way at the first question.
        for _ in range(2):
            ask(process, **limits)
    except BotFault as fault:
        return fault
    raise AssertionError("The bot did not fault.")


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        (b"import sys\nsys.stdin.readline()\nraise SystemExit('gone')", "crash", "exited with status 1"),
        (b"import os, signal\nos.kill(os.getpid(), signal.SIGABRT)", "crash", "SIGABRT"),
        (b"import sys\nsys.stdin.readline()\nprint('a\\nb')", "protocol", "nobody asked for"),
        (b"import sys\nsys.stdin.readline()\nprint('x' * 70000)", "protocol", "more than 65536 bytes"),
        (
            b"import os, sys\nsys.stdin.readline()\nsys.stderr.write('e' * 1100000)\nprint('a')",
            "output",
            "standard error",
        ),
    ],
    ids=["exit", "signal", "two lines", "long line", "flood"],
)
def test_what_a_bot_does_wrong_is_its_fault(source: bytes, kind: str, words: str) -> None:
    with start(source) as process:
        fault = ask_for_fault(process)
        assert fault.kind == kind
        assert words in fault.sentence
        assert not process.alive
    if words == "exited with status 1":
        assert b"gone" in process.stderr()


def test_a_bot_that_takes_too_long_is_ended_and_its_folder_is_gone() -> None:
    process = start(
        b"import os, sys\nos.write(1, os.getcwdb() + b'\\n')\nsys.stdin.readline()\nwhile True: pass"
    )
    with process:
        folder = Path(process._inbox.get(timeout=60).decode().strip()).parent
        assert (folder / "bot" / "main.py").is_file()
        fault = ask_for_fault(process, cpu_ms=50)
        assert (fault.kind, fault.limit) == ("timeout", "cpu")
    assert not folder.exists()


def test_commands_run_and_other_runtimes_and_missing_programs_are_refused() -> None:
    with LAUNCHER.start(Command(("/usr/bin/cat",), "/"), Limits()) as process:
        assert ask(process).line == b"hi"
    with pytest.raises(SandboxError, match="cannot be started"):
        LAUNCHER.start(Command(("/nowhere/bot",), "/"), Limits())


def test_zips_are_read_in_place_with_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(apart, "_run", None)
    assert read_package("bot.zip", build(Member(b"main.py", MAIN, DEFLATED))).files == {"main.py": MAIN}
    with pytest.raises(apart.PackageError, match=r"none of these at its top: main\.py"):
        read_package("bot.zip", build(Member(b"other.py", MAIN, DEFLATED)))
