"""The bots that docs/languages.md prints are whole, play without a fault, and play alike."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from bots.house import house_source
from bots.packages import check_syntax, read_package, to_program
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
from tests.matches.referee.tabling import Table, seat_of

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "languages.md").read_text(encoding="utf-8")
GREEDY = Program("python", {"main.py": house_source("greedy")}, "main.py")
ROOMY = Limits(decision_ms=5000, bank_ms=60_000)


def printed(language: str) -> str:
    """The document's first block in this language."""
    found = re.search(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def uploads(tmp_path: Path) -> dict[str, bytes]:
    """By name, the files that a reader of the document would upload."""
    (tmp_path / "mybot.c").write_text(printed("c"))
    subprocess.run(shlex.split(printed("sh")), cwd=tmp_path, check=True)
    return {
        "mybot.py": printed("python").encode(),
        "mybot.js": printed("javascript").encode(),
        "mybot": (tmp_path / "mybot").read_bytes(),
    }


def test_the_examples_play_as_printed_and_alike(uploads: dict[str, bytes]) -> None:
    launcher = SandboxLauncher()
    played = {}
    for name, content in uploads.items():
        package = read_package(name, content)
        check_syntax(package, launcher, Limits(start_ms=20_000))
        table = Table(launcher)
        record = table.play(to_program(package), GREEDY, limits=ROOMY)
        assert len(record.games) == 2
        for game in record.games:
            assert game.faults == ()
            assert game.played_to_end(seat_of(game, 0))
        played[package.runtime] = [(game.core.decisions, game.totals) for game in record.games]
    assert set(played) == {"python", "node", "executable"}
    assert played["node"] == played["executable"] == played["python"]


def test_each_example_is_about_ten_lines() -> None:
    for language, most in (("python", 12), ("javascript", 10), ("c", 21)):
        assert len(printed(language).splitlines()) <= most
