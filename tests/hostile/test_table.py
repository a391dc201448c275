"""The table of attacks in docs/sandbox.md and the programs of this folder are about the same."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.hostile.duels import PROGRAMS

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "sandbox.md"
NO_ATTACKS = {"plain", "quitter"}


def table():
    """By number, the names of the programs that try this attack."""
    rows = re.findall(r"^\| (\d+) \| [^|]+ \| ([^|]+) \| [^|]+ \|$", DOCUMENT.read_text(), re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    return {int(number): set(re.findall(r"`(\w+)`", programs)) for number, programs in rows}


def attacks(path):
    """The numbers that a program's docstring begins with."""
    head = (ast.get_docstring(ast.parse(path.read_text())) or "").partition(":")[0]
    if " to " in head:
        first, last = map(int, re.findall(r"\d+", head))
        return set(range(first, last + 1))
    return set(map(int, re.findall(r"\d+", head)))


def test_every_attack_has_its_program_or_says_why_not():
    tried = {number for number, programs in table().items() if programs}
    assert set(table()) - tried == {42, 43, 49, 50, 52}


def test_the_table_and_the_programs_name_each_other():
    named = {(name, number) for number, programs in table().items() for name in programs}
    found = {(path.stem, number) for path in PROGRAMS.glob("*.py") for number in attacks(path)}
    assert found == named
    assert {path.stem for path in PROGRAMS.glob("*.py")} == {name for name, _ in named} | NO_ATTACKS
