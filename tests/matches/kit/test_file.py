"""The file itself: what is in it, that it is always the same, and how it leads a newcomer."""

from __future__ import annotations

import ast
import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bots.house import HOUSE
from bots.kit.skyjo import KIT_VERSION
from matches.kit.building import ROOT, build

from .conftest import PYTHON, Kit
from .sources import STEADY

UNIX_NAMES = {"__future__"}


ELSEWHERE = """
import ctypes, multiprocessing.connection, os, runpy, select, subprocess, sys, tempfile, urllib.request


class Library(ctypes.CDLL):
    def __init__(self, name, *arguments, **options):
        if name is None:  # as Windows has it
            raise TypeError("argument of type 'NoneType' is not iterable")
        super().__init__(name, *arguments, **options)


ctypes.CDLL = Library
for module in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[module] = None
for name in ("memfd_create", "pidfd_open", "pipe2", "sched_getaffinity"):
    delattr(os, name)
del select.poll
sys.platform = "elsewhere"
sys.argv[0] = "skyjo.pyz"
runpy.run_path("skyjo.pyz", run_name="__main__")
"""


def test_the_same_sources_and_address_give_the_same_bytes_in_any_folder_and_process(tmp_path: Path) -> None:
    script = "import sys; from matches.kit.building import main; main(*sys.argv[1:])"
    built = tmp_path / "deep" / "skyjo.pyz"
    environ = {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    subprocess.run(
        [PYTHON, "-c", script, str(built), "https://a.example"], cwd=tmp_path, env=environ, check=True
    )
    assert hashlib.sha256(built.read_bytes()).digest() == hashlib.sha256(build("https://a.example")).digest()
    assert build("https://a.example") != build("https://b.example")


def test_it_holds_sources_of_the_checkout_and_nothing_that_differs_by_machine() -> None:
    with zipfile.ZipFile(io.BytesIO(build())) as archive:
        entries = archive.infolist()
        made_here = {"__main__.py", "matches/kit/origin.json"}
        for entry in entries:
            assert entry.compress_type == zipfile.ZIP_STORED
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
            if entry.filename not in made_here:
                assert archive.read(entry) == (ROOT / entry.filename).read_bytes()
    names = [entry.filename for entry in entries]
    assert names == sorted(names)
    assert {f"bots/house/{bot.path.name}" for bot in HOUSE} <= set(names)
    assert not [name for name in names if "django" in name or name.endswith((".pyc", "models.py"))]


def test_it_imports_the_standard_library_alone() -> None:
    with zipfile.ZipFile(io.BytesIO(build())) as archive:
        imported = {
            name.partition(".")[0]
            for path in archive.namelist()
            if path.endswith(".py")
            for node in ast.walk(ast.parse(archive.read(path)))
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom) and not node.level
                else []
            )
        }
    assert imported - sys.stdlib_module_names == {"bots", "matches", "skyjo"}


def test_without_a_command_it_leads_to_the_first_three(kit: Kit) -> None:
    status, out, err = kit.run()
    assert (status, err) == (0, "")
    steps = [line.split()[1:4] for line in out.splitlines() if line.startswith("  python3 ")]
    assert steps == [["skyjo.pyz", name, "mybot.py"] for name in ("new", "play", "submit")]
    for name in ("watch", "check", "reproduce", "verify", *(bot.name for bot in HOUSE)):
        assert name in out


def test_it_tells_its_version_and_the_help_of_each_command(kit: Kit) -> None:
    assert kit.run("--version")[:2] == (0, f"Skyjo kit {KIT_VERSION} (protocol 1, engine rules 1)\n")
    with kit.start("submit", "--help") as process:
        out, _ = process.communicate()
    assert process.returncode == 0
    assert "otherwise https://arena.example.org" in " ".join(out.split())


def test_an_older_python_is_told_what_is_needed() -> None:
    with zipfile.ZipFile(io.BytesIO(build())) as archive:
        source = archive.read("__main__.py").decode()
    script = f"import sys; sys.version_info = (3, 9, 1); exec({source!r})"
    done = subprocess.run([PYTHON, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "The Skyjo kit needs Python 3.11 or later; this is Python 3.9.\n"


def test_an_unknown_command_or_option_is_one_sentence(kit: Kit) -> None:
    assert kit.run("paly") == (
        2,
        "",
        "There is no command “paly”. There are: new, play, watch, check, submit, reproduce, verify.\n",
    )
    status, out, err = kit.run("verify")
    assert (status, out) == (2, "")
    assert err == "The following arguments are required: FILE. Help: python3 skyjo.pyz verify --help\n"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("| true", ""),
        ("> /dev/full", "The output cannot be written: No space left on device.\n"),
        ("play --help > /dev/full", "The output cannot be written: No space left on device.\n"),
        (">&-", ""),
        ("2>&- >/dev/null", ""),
    ],
    ids=["a pipe that nobody reads", "a full disk", "help for a full disk", "no output", "no errors"],
)
def test_output_that_goes_nowhere_is_no_traceback(kit: Kit, output: str, words: str) -> None:
    script = f"{PYTHON} skyjo.pyz; {PYTHON} skyjo.pyz {output}"
    done = subprocess.run(["sh", "-c", script], cwd=kit.folder, env={}, capture_output=True, text=True)
    assert done.stderr == words


def test_characters_that_an_output_does_not_know_are_written_as_their_numbers(kit: Kit) -> None:
    status, out, _ = kit.run("watch", "greedy", "random", "--speed=0", PYTHONIOENCODING="ascii")
    assert status == 0
    assert "\\xb7\\xb7" in out


def test_it_plays_where_the_system_lacks_what_linux_has(kit: Kit) -> None:
    kit.write("elsewhere.py", ELSEWHERE)
    done = subprocess.run(
        [PYTHON, "elsewhere.py", "play", "greedy", "random", "--deals=1"],
        cwd=kit.folder, env={}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "2 of 2 games" in done.stdout
    assert "This system does not tell their CPU time" in done.stderr


def test_a_new_bot_has_no_name_of_the_library_and_a_second_one_shares_it(kit: Kit) -> None:
    assert kit.run("new", "skyjo.py") == (
        2, "", "skyjo.py is the library's own name, which a bot imports: choose another.\n",
    )  # fmt: skip
    assert kit.run("new", "one.py", "--library")[0] == 0
    status, out, _ = kit.run("new", "number two.py", "--library")
    assert status == 0
    assert out.startswith("Wrote number two.py. Change what it does, then:\n")
    assert "  python3 skyjo.pyz play 'number two.py' greedy " in out
    kit.write("skyjo.py", "mine = True")
    status, _, err = kit.run("new", "three.py", "--library")
    assert status == 2
    assert err.startswith("“skyjo.py” is there already and is another file than this kit's library")
    assert not (kit.folder / "three.py").exists()


def test_a_new_bot_is_commented_plays_at_once_and_overwrites_nothing(kit: Kit) -> None:
    status, out, _ = kit.run("new", "mybot.py", "--library")
    assert status == 0
    assert "python3 skyjo.pyz play mybot.py greedy" in out
    source = (kit.folder / "mybot.py").read_text()
    assert "        # " in source
    kit.write("other.py", STEADY)
    status, out, err = kit.run("play", "mybot.py", "other.py", "--deals", "1", "--seed", "1")
    assert status == 0, err
    assert "2 of 2 games" in out
    # An author's own tests import it beside the library.
    script = "import mybot, skyjo; assert issubclass(mybot.Smallest, skyjo.Bot)"
    subprocess.run([PYTHON, "-B", "-c", script], cwd=kit.folder, env={}, check=True)
    assert kit.run("new", "mybot.py")[0] == 2
    assert (kit.folder / "mybot.py").read_text() == source
    assert kit.run("new", "mybot")[2] == "“mybot” does not end in .py: call it, for example, mybot.py.\n"
    assert "cannot be written" in kit.run("new", os.path.join("no", "where.py"))[2]
