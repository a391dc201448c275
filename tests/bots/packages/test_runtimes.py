"""What an upload runs with: found out by its name and first bytes, or chosen; programs, looked at before they run."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from bots.packages import PackageError, apart, check_syntax, elves, read_package
from bots.sandbox.faults import SandboxError
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.limits import Limits
from tests.bots.packages.archives import DEFLATED, Member, build
from tests.bots.packages.elf_files import BASE, elf

SCRIPT = b"process.exit();\n"
PROGRAM = elf()
LOADED = (1, 5, 0, BASE, 512, 512)


def zipped(**files: bytes) -> bytes:
    return build(*(Member(name.replace("_", ".").encode(), data, DEFLATED) for name, data in files.items()))


@pytest.mark.parametrize(
    ("filename", "content", "runtime", "entry"),
    [
        ("bot.py", b"pass", "python", "main.py"),
        ("bot.JS", SCRIPT, "node", "main.js"),
        ("bot.mjs", SCRIPT, "node", "main.mjs"),
        ("bot.cjs", SCRIPT, "node", "main.cjs"),
        ("bot", PROGRAM, "executable", "main"),
        ("bot.exe", PROGRAM, "executable", "main"),
        ("bot.zip", zipped(main_py=b"pass"), "python", "main.py"),
        ("bot.zip", zipped(main_js=SCRIPT, lib_py=b"("), "node", "main.js"),
        ("bot.zip", zipped(main_mjs=SCRIPT, package_json=b"{}"), "node", "main.mjs"),
        ("bot.zip", zipped(main=PROGRAM, weights_bin=bytes(500)), "executable", "main"),
    ],
)
def test_the_runtime_is_found_out(filename, content, runtime, entry):
    package = read_package(filename, content)
    assert (package.runtime, package.entry) == (runtime, entry)
    assert entry in package.files


@pytest.mark.parametrize(
    ("filename", "content", "runtime", "entry"),
    [
        ("bot.txt", b"pass", "python", "main.py"),
        ("bot.py", SCRIPT, "node", "main.js"),
        ("bot.py", PROGRAM, "executable", "main"),
        ("bot.zip", zipped(main_py=b"pass", main_js=SCRIPT), "node", "main.js"),
        ("bot.zip", zipped(main_py=b"pass", main_js=SCRIPT), "python", "main.py"),
    ],
)
def test_the_runtime_can_be_chosen(filename, content, runtime, entry):
    package = read_package(filename, content, runtime)
    assert (package.runtime, package.entry) == (runtime, entry)


def refusal(filename, content, runtime=None):
    with pytest.raises(PackageError) as caught:
        read_package(filename, content, runtime)
    return caught.value


@pytest.mark.parametrize(
    ("filename", "content", "runtime", "code"),
    [
        ("bot", b"a bot", None, "type"),
        ("bot", b"#!/bin/sh", None, "type"),
        ("bot", b"#!/bin/sh", "executable", "script"),
        ("bot", b"a bot", "executable", "no_elf"),
        ("bot.exe", b"MZ\x90", None, "other_program"),
        ("bot", b"\xcf\xfa\xed\xfe", None, "other_program"),
        ("bot.wasm", b"\0asm", None, "other_program"),
        ("bot.py", PROGRAM, None, "binary"),
        ("bot.js", SCRIPT + b"\0", None, "binary"),
        ("bot.js", b"// \xff", None, "not_utf8"),
        ("bot.mjs", zipped(main_mjs=SCRIPT), None, "zip_by_another_name"),
        ("bot", b"", "executable", "empty"),
        ("bot.zip", zipped(main_py=b"pass", main_js=SCRIPT), None, "two_entries"),
        ("bot.zip", zipped(main_js=SCRIPT, main_mjs=SCRIPT), "node", "two_entries"),
        ("bot.zip", zipped(main_py=b"pass"), "node", "no_entry"),
        ("bot.zip", zipped(main=b"no program"), None, "no_elf"),
        ("bot.zip", zipped(main_js=SCRIPT, lib_mjs=b"\xff"), None, "source_not_utf8"),
    ],
)
def test_what_cannot_be_taken_says_why(filename, content, runtime, code):
    assert refusal(filename, content, runtime).code == code


def test_what_everybody_reads_of_a_javascript_source_does_not_call_it_python() -> None:
    error = refusal("bot.zip", zipped(main_js=SCRIPT, lib_mjs=b"\xff"))
    assert error.public_sentence == "A source file of the zip is not UTF-8."


def test_an_unknown_runtime_is_the_callers_mistake():
    with pytest.raises(ValueError, match="no runtime “perl”"):
        read_package("bot.pl", b"", "perl")


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (elf(bits=1, machine=3), "elf_32_bit", "a 32-bit one (i386)"),
        (elf(bits=1), "elf_32_bit", "a 32-bit one (x86-64)"),
        (elf(bits=1, machine=40), "elf_32_bit", "a 32-bit one (ARM)"),
        (elf(machine=183), "elf_machine", "another processor (ARM64)"),
        (elf(machine=9999), "elf_machine", "another processor (9999)"),
        (elf(order=2), "elf_machine", "another processor (big-endian)"),
        (elf(system=9), "elf_system", "OS/ABI 9"),
        (elf(kind=1), "elf_no_program", "library, object or core file"),
        (elf(kind=4), "elf_no_program", "library, object or core file"),
        (elf(kind=3), "elf_no_program", "library, object or core file"),
        (elf(segments=[LOADED, (3, 4, 0, BASE, 8, 8)]), "elf_dynamic", "gcc -O2 -static"),
        (elf(kind=3, dynamic=[(1, 5), (0x6FFFFFFB, 0x08000000)]), "elf_dynamic", "gcc -O2 -static"),
    ],
)
def test_a_program_that_could_not_start_says_how_to_build_it(content, code, words):
    found = refusal("bot", content)
    assert found.code == code
    assert words in found.sentence


def test_a_program_whose_place_is_open_needs_no_library_either():
    assert read_package("bot", elf(kind=3, dynamic=[(0x6FFFFFFB, 0x08000000), (0, 0), (1, 5)])).files


@pytest.mark.parametrize(
    "content",
    [
        b"\x7fELF",
        elf()[:63],
        elf(count=0),
        elf(count=65),
        elf(count=20),
        elf(n_segment=55),
        elf(entry=BASE - 1),
        elf(entry=BASE + 512),
        elf(segments=[(1, 6, 0, BASE, 512, 512)]),
        elf(segments=[(1, 5, 0, BASE, 513, 513)]),
        elf(segments=[(1, 5, 2**63, BASE, 512, 512)]),
        elf(segments=[(1, 5, 0, BASE, 512, 511)]),
        elf(segments=[(1, 5, 0, BASE, 512, 2**47)]),
        elf(segments=[(1, 5, 0, BASE, 512, 2**29 + 1)]),
        elf(segments=[(1, 5, 0, 2**64 - 1, 512, 512)]),
        elf(segments=[]),
        elf(dynamic=[(0, 0)])[:-8],
    ],
)
def test_a_header_that_is_not_sound_is_refused(content):
    assert refusal("bot", content).code == "broken_elf"


def test_no_header_has_another_end_than_a_verdict():
    luck = random.Random(11)
    for _ in range(3000):
        content = bytearray(elf(dynamic=[(1, 5), (0, 0)]))
        for _ in range(luck.randrange(1, 6)):
            content[luck.randrange(0, 240)] = luck.choice([0, 1, 127, 128, 255, luck.randrange(256)])
        found = elves.refusal(bytes(content[: luck.choice([len(content), luck.randrange(len(content))])]))
        assert found is None or found[0] == "broken_elf" or found[0].startswith("elf_")


def test_no_program_is_looked_at_in_the_callers_process(monkeypatch):
    monkeypatch.setattr(elves, "refusal", lambda content: pytest.fail("A program was looked at here."))
    assert read_package("bot", PROGRAM).entry == "main"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("import os; os.kill(os.getpid(), 11)", PackageError),
        ("print('{\"what\": 1}')", SandboxError),
        ("print('nonsense')", SandboxError),
        ("raise SystemExit(1)", SandboxError),
    ],
)
def test_a_reader_of_programs_that_fails_takes_nothing(monkeypatch, body, error):
    monkeypatch.setattr(apart, "_ELF_READER", body)
    with pytest.raises(error):
        read_package("bot", PROGRAM)


SOURCE = "int main(void) { return 0; }"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["-static"], None),
        (["-static-pie"], None),
        (["-static", "-s", "-O2"], None),
        ([], "elf_dynamic"),
        (["-no-pie"], "elf_dynamic"),
        (["-shared", "-fPIC"], "elf_no_program"),
        (["-shared", "-fPIC", "-nostdlib"], "elf_no_program"),
        (["-c"], "elf_no_program"),
    ],
)
def test_what_a_compiler_makes_is_told_apart(tmp_path: Path, options, code):
    source, made = tmp_path / "bot.c", tmp_path / "bot"
    source.write_text(SOURCE)
    subprocess.run(["gcc", *options, "-o", made, source], check=True)
    if code is None:
        assert read_package("bot", made.read_bytes()).runtime == "executable"
    else:
        assert refusal("bot", made.read_bytes()).code in {code, "elf_dynamic"}


def compiled(filename, content):
    package = read_package(filename, content)
    check_syntax(package, SandboxLauncher(kit=b""), Limits(start_ms=20_000))


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("bot.js", b"#!/usr/bin/node\nreturn require('fs');\n"),
        ("bot.js", b"process.exit(3);"),
        ("bot.mjs", b"import fs from 'fs'; await 0; process.exit(3);"),
        (
            "bot.zip",
            zipped(main_js=b"import './lib.js'; throw 1", lib_js=b"", package_json=b'{"type": "module"}'),
        ),
    ],
)
def test_javascript_is_compiled_and_not_run(filename, content):
    compiled(filename, content)


@pytest.mark.parametrize(
    ("filename", "content", "sentence"),
    [
        ("bot.js", b"let a = 1;\nlet b = ;\n", "Syntax error in main.js, line 2: Unexpected token ';'."),
        ("bot.mjs", b"let a = 1;\nlet b = ;\n", "Syntax error in main.mjs, line 2: Unexpected token ';'."),
        ("bot.js", b"import 'fs';", "main.js, line 1: Cannot use import statement outside a module."),
        (
            "bot.zip",
            zipped(main_mjs=b"import './lib.mjs'", lib_mjs=b"\n\nlet let"),
            "Syntax error in lib.mjs, line 3: ",
        ),
        (
            "bot.zip",
            zipped(main_mjs=b"import { a } from './lib.mjs'", lib_mjs=b"export const b = 1"),
            "main.mjs, line 1: The requested module './lib.mjs' does not provide an export named 'a'.",
        ),
    ],
)
def test_an_error_in_javascript_is_told_with_its_place(filename, content, sentence):
    with pytest.raises(PackageError) as caught:
        compiled(filename, content)
    assert caught.value.code == "syntax"
    assert sentence in caught.value.sentence
