"""The templates that the site offers: each plays whole matches without a fault."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from bots.house import house_source
from bots.kit import skyjo
from bots.packages import read_package, to_program
from bots.sandbox.launcher import BareLauncher
from bots.sandbox.limits import Limits
from matches.engine import parse_seed, rules_from
from matches.referee import MatchSpec, play_match

TEMPLATES = sorted((Path(skyjo.__file__).parent / "templates").glob("*.py"))


def test_there_are_templates_with_and_without_the_kit():
    assert [path.stem for path in TEMPLATES] == ["columns", "no_kit", "smallest"]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_begins_with_one_sentence_about_itself(path):
    first = (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()[0]

    assert first.endswith(".")
    assert len(first) < 120


@pytest.mark.parametrize("preset", ["official", "guide-2026", "gamerules-plain"])
@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_plays_without_a_fault(path, preset):
    program = to_program(read_package(path.name, path.read_bytes()))
    rivals = [to_program(read_package("rival.py", house_source("greedy")))] * 2
    spec = MatchSpec(parse_seed("5"), rules_from(preset), 3, 1, Limits())
    record = play_match(spec, [program, *rivals], BareLauncher(), sha256s=["0" * 64] * 3)

    assert [game.faults for game in record.games] == [()] * 3
