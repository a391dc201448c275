"""Sources, compiled inside the sandbox: an error is named with its place, and no source harms who compiles it."""

from __future__ import annotations

import pytest

from bots.packages import PackageError, check_syntax, read_package
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.limits import Limits
from tests.bots.packages.archives import MAIN, Member, build

SECRET = "my_secret"
BOT = Member(b"main.py", MAIN)
SYNTAX = {"syntax", "not_source", "too_much_source"}


def syntax(content: bytes, filename: str = "bot.py", limits: Limits | None = None) -> str | None:
    limits = limits or Limits(start_ms=20_000)
    try:
        check_syntax(read_package(filename, content), SandboxLauncher(kit=b""), limits)
    except PackageError as error:
        return error.sentence if error.code in SYNTAX else f"the wrong refusal: {error.code}"
    return None


def test_good_source_passes():
    assert syntax(MAIN) is None
    assert syntax(b"\xef\xbb\xbfprint('with a byte-order mark')\n") is None
    assert syntax(b"import nothing_that_exists\n1/0\nprint('\\d')") is None


def test_a_syntax_error_names_file_and_line():
    assert syntax(b"x = 1\n\ndef f(:\n") == "Syntax error in main.py, line 3: invalid syntax."
    content = build(BOT, Member(b"brain/think.py", b"print(\n"), Member(b"notes.txt", b"print("))
    sentence = syntax(content, "bot.zip")
    assert sentence is not None
    assert sentence.startswith("Syntax error in brain/think.py, line 1: '('")


@pytest.mark.parametrize(
    ("filename", "content", "public"),
    [
        (
            "bot.py",
            b"def f(my_secret):\n    global my_secret\n",
            "Syntax error in a source file, line 2.",
        ),
        (
            "bot.zip",
            build(BOT, Member(b"my_secret.py", b"print(\n")),
            "Syntax error in a source file, line 1.",
        ),
    ],
    ids=["source", "name of a file"],
)
def test_what_everybody_may_read_of_a_syntax_error_quotes_no_source(
    filename: str, content: bytes, public: str
):
    with pytest.raises(PackageError) as caught:
        check_syntax(read_package(filename, content), SandboxLauncher(kit=b""), Limits(start_ms=20_000))
    assert SECRET in caught.value.sentence
    assert caught.value.public_sentence == public


@pytest.mark.parametrize(
    "source",
    [
        b"(" * 100_000,
        b"-" * 300_000 + b"1",
        b"x" + b".x" * 300_000,
        b"1" + b"+1" * 400_000,
        b"not " * 200_000 + b"1",
        b"def f():\n" * 10_000,
        b"f'" + b"{" * 50_000,
        b"lambda:" * 100_000 + b"1",
        b"x = " + b"9" * 1_000_000,
        b"class " + b"C" * 500_000 + b"(:\n",
        b"global " + b"g, " * 200_000 + b"g = 1",
        b"try:\n pass\nexcept* " + b"*" * 500_000,
        b"if 1:\n" + b" " * 200_000 + b"if 1:\n",
    ],
)
def test_hostile_source_is_refused_and_harms_nobody(source: bytes):
    sentence = syntax(source)
    assert sentence is not None
    assert "main.py" in sentence


def test_a_source_that_needs_too_much_to_compile_is_refused():
    source = b"x = [" + b"1+1," * 250_000 + b"]"
    sentence = syntax(source, limits=Limits(start_ms=20_000, memory_mib=40))
    assert sentence is not None
    assert "main.py" in sentence


def test_nothing_of_the_source_runs_when_it_is_checked():
    assert syntax(b"import os\nos._exit(3)\n") is None
