"""`skyjo.pyz check`: what the arena says of a bot, at home."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest

from bots.packages import PackageError
from bots.sandbox.launcher import SandboxLauncher
from matches.checking import Rejected, qualify, read

from .conftest import PYTHON, Kit
from .sources import BABBLER, BARE, CRASHER, LOOPER, STEADY

MEASURED = re.compile(r"(?<=used )\d+ ms")


class Silent:
    def begin(self, stage: str) -> None: ...

    def passed(self, stage: str, facts: Mapping[str, Any]) -> None: ...

    def beat(self) -> None: ...


def arenas_sentence(filename: str, content: bytes) -> str:
    """What the author of this upload reads on the arena."""
    launcher, watcher = SandboxLauncher(), Silent()
    try:
        program = read(filename, content, launcher=launcher, watcher=watcher)
        sha256 = hashlib.sha256(content).hexdigest()
        qualify(program, sha256=sha256, launcher=launcher, watcher=watcher, command="")
    except Rejected as rejected:
        cause = rejected.__cause__
        return cause.sentence if isinstance(cause, PackageError) else rejected.sentence
    raise AssertionError("The arena takes this bot.")


def zipped(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.py"), content)
    return packed.getvalue()


def test_a_sound_bot_is_told_stage_by_stage_and_what_was_not_tried(kit: Kit) -> None:
    kit.write("steady.py", STEADY)
    status, out, err = kit.run("check", "steady.py")
    assert (status, err) == (0, "The bots run without the arena's sandbox: play only what you trust.\n")
    lines = out.splitlines()
    assert lines[:2] == ["Package: passed, 1 file", "Start: passed"]
    assert lines[2].startswith("Qualification: passed, 0 of 2 games won against greedy; points: ")
    assert lines[3:] == [
        "The arena would take this bot.",
        "Not tried: that it needs no network, no files and no other processes, which the arena forbids.",
        "Send it: python3 skyjo.pyz submit steady.py",
    ]


def test_a_zip_and_the_sandbox_are_checked_too(kit: Kit) -> None:
    kit.write("bot.zip", zipped(main=STEADY, more="x = 1\n"))
    status, out, err = kit.run("check", "--sandbox", "bot.zip")
    assert (status, err) == (0, "")
    assert out.startswith("Package: passed, 2 files\n")
    assert "Not tried" not in out


@pytest.mark.parametrize(
    ("name", "content", "stage", "more"),
    [
        ("crasher.py", CRASHER, "Qualification", ["kind: crash", "  | RuntimeError: fell over", "\\x1b[31m"]),
        ("looper.py", LOOPER, "Qualification", ["kind: timeout", "limits 500 ms a decision"]),
        (
            "babbler.py",
            BABBLER,
            "Qualification",
            ["it wrote: how do you do?", '  it was sent: {"type":"act"'],
        ),
        ("dies.py", "raise SystemExit(3)", "Start", ["kind: start"]),
        ("typo.py", "def bot(:\n    pass\n", "Package", ["line 1"]),
        ("bot.zip", zipped(other=STEADY), "Package", ["main.py"]),
    ],
    ids=["crash", "loop", "rubbish", "no start", "syntax", "no main.py"],
)
def test_a_bot_that_fails_is_told_in_the_arenas_own_sentence(
    kit: Kit, name: str, content: str | bytes, stage: str, more: list[str]
) -> None:
    path = kit.write(name, content)
    status, out, _ = kit.run("check", name)
    assert status == 1
    said = f"{stage}: failed\nThe arena would reject this bot. {arenas_sentence(name, path.read_bytes())}\n"
    assert MEASURED.sub("N ms", said) in MEASURED.sub("N ms", out)
    assert "\x1b" not in out
    for words in more:
        assert words in out


def test_a_program_in_another_language_is_checked_by_its_command_line(kit: Kit) -> None:
    kit.write("bare", BARE)
    status, out, _ = kit.run("check", "--cmd", f"{PYTHON} bare")
    assert status == 0
    assert out.splitlines()[0] == "Start: passed"
    assert "submit" not in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "One bot is checked at a time, not 0: name its file."),
        (["a.py", "b.py"], "One bot is checked at a time, not 2: name its file."),
        (["none.py"], "There is no file “none.py”."),
        (
            ["--sandbox", "--cmd", PYTHON],
            "A bot that is given by --cmd cannot run in the sandbox: leave out --sandbox.",
        ),
    ],
)
def test_what_cannot_be_checked_is_told_in_one_sentence(main, arguments: list[str], sentence: str) -> None:
    status, out, err = main("check", *arguments)
    assert status in {2, 3}
    assert out == ""
    assert err.splitlines()[-1].endswith(sentence)
