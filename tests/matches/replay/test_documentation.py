"""docs/replay.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from matches.engine import Rules
from matches.engine.events import FIELDS
from matches.engine.strict_json import MAX_DEPTH, MAX_INTEGER_CHARACTERS
from matches.replay import FAULT_KINDS, MAX_BYTES
from matches.replay.codes import TABLES
from matches.replay.decoding import MAX_DECISIONS

from .games import expanded, play

TEXT = (Path(__file__).parents[3] / "docs" / "replay.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line[:1] == "|"
]


def test_every_event_is_described_with_its_fields():
    described = {
        row[0].strip("`"): tuple(re.findall(r"`(\w+)`", row[1]))
        for row in ROWS
        if row[0].strip("`") in FIELDS
    }
    assert described == FIELDS


def test_every_kind_of_fault_is_named():
    assert ", ".join(f"`{kind}`" for kind in FAULT_KINDS) in " ".join(TEXT.split())


@pytest.mark.parametrize(
    ("phase", "character", "action"),
    [
        ("reveal", "#", {"cells": [0, 1]}),
        ("reveal", "$", {"cells": [0, 2]}),
        ("draw", ".", {"take": "draw"}),
        ("draw", "A", {"take": "discard", "cell": 0}),
        ("draw", "L", {"take": "discard", "cell": 11}),
        ("place", "a", {"swap": 0}),
        ("place", "l", {"swap": 11}),
        ("place", "m", {"flip": 0}),
        ("place", "x", {"flip": 11}),
        ("place", "!", {"discard": True}),
    ],
)
def test_characters_mean_what_the_table_says(phase, character, action):
    assert TABLES[phase][character].as_json() == action
    assert any(f"`{character}`" in row[1] for row in ROWS if row[0] == f"`{phase}`") or character == "$"


def test_reveals_use_the_printable_characters_from_the_hash_sign_without_the_backslash():
    characters = "".join(TABLES["reveal"])
    assert characters == "".join(chr(code) for code in range(35, 127) if chr(code) != "\\")[:78]
    actions = [action.cells for action in TABLES["reveal"].values()]
    assert actions[:66] == sorted(actions[:66])
    assert actions[66:] == [(cell,) for cell in range(12)]


def test_every_name_of_a_real_game_is_described():
    document = expanded(play(faults={1: (20, "crash")}), {"names": ["ada", "bob"]})
    decision = document["rounds"][0]["decisions"][0]
    names = {
        *document,
        *document["rounds"][0],
        *document["rounds"][0]["result"],
        *decision,
        *document["seats"][0],
    }
    assert {name for name in names if f'"{name}"' not in TEXT} == set()


def test_the_bounds_are_those_of_the_code():
    text = " ".join(TEXT.split())
    assert f"{MAX_BYTES // 1024**2} MiB of JSON, or than {MAX_DECISIONS:,} decisions" in text
    assert f"deeper than {MAX_DEPTH} levels" in text
    assert f"more than {MAX_INTEGER_CHARACTERS} characters" in text


def test_the_bounds_hold_the_longest_game_of_any_preset():
    caps = Rules()
    assert caps.round_cap * (8 * caps.turn_cap * 2 + 8 * 5) < MAX_DECISIONS
