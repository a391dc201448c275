"""docs/rules.md says what the engine does."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

from matches.engine import (
    PRESETS,
    Rules,
    SeededDeal,
    Stream,
    bot_random_seed,
    commitment,
    parse_seed,
    rules_from,
    seating,
)
from matches.engine.rules import WORDS
from matches.engine.transcript import play_transcript

from .test_deal import numbers, sha256_of

TEXT = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
SEED = parse_seed("7")


def rows(heading):
    """The cells of the first table under a heading, without its head."""
    table = TEXT.split(f"# {heading}\n", 1)[1]
    lines = re.findall(r"^\|(.*)\|$", table.split("\n## ")[0].split("\n### ")[0], re.MULTILINE)
    return [[cell.strip() for cell in line.split("|")] for line in lines[2:]]


def test_every_flag_is_told_with_its_default_and_its_values():
    told = {flag.strip("`"): (default, values) for flag, default, values, _ in rows("Flags")}
    for field in dataclasses.fields(Rules):
        default, values = told.pop(field.name)
        assert (
            default == f"`{field.default if isinstance(field.default, str) else json.dumps(field.default)}`"
        )
        if field.name in WORDS:
            assert re.findall(r"`(\w+)`", values) == list(WORDS[field.name])
    assert told == {}


def test_every_preset_is_told_with_its_source_and_its_flags():
    told = rows("Presets")
    assert [name for name, _, _ in told] == [f"`{name}`" for name in PRESETS]
    for name, source, flags in told:
        preset = PRESETS[name.strip("`")]
        assert source == preset.source
        differs = re.findall(r"`(\w+)` `([\w-]+)`", flags)
        base = rules_from("gamerules") if flags.startswith("as `gamerules`") else Rules()
        given = {flag: value if flag in WORDS else json.loads(value) for flag, value in differs}
        assert dataclasses.replace(base, **given) == preset.rules


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("seed", f"`{SEED.hex()}`"),
        ("commitment", f"`{commitment(SEED)}`"),
        ("digest of `deal 0 round 1`", f"`{sha256_of(SeededDeal(SEED, 0).pack(1))}`"),
        ("digest of `deal 0 round 2`", f"`{sha256_of(SeededDeal(SEED, 0).pack(2))}`"),
        ("digest of `deal 3 round 1`", f"`{sha256_of(SeededDeal(SEED, 3).pack(1))}`"),
        ("first 24 cards of `deal 0 round 1`", " ".join(map(str, SeededDeal(SEED, 0).pack(1)[:24]))),
        (
            "`seating 0` of two, four, eight",
            "; ".join(" ".join(map(str, seating(SEED, 0, n))) for n in (2, 4, 8)),
        ),
        ("`seating 1` of eight", " ".join(map(str, seating(SEED, 1, 8)))),
        (
            "`random_seed` of `bot 0 0`, `bot 0 1`",
            f"{bot_random_seed(SEED, 0, 0)}, {bot_random_seed(SEED, 0, 1)}",
        ),
        (
            "`random_seed` of `bot 1 0`, `bot 1 1`",
            f"{bot_random_seed(SEED, 1, 0)}, {bot_random_seed(SEED, 1, 1)}",
        ),
    ],
)
def test_a_vector_is_what_the_engine_deals(what, value):
    assert dict(rows("Test vectors"))[what] == value


def test_the_vectors_of_words_and_reshuffles():
    told = dict(rows("Test vectors"))
    stream = Stream(SEED, "deal 0 round 1")
    assert told["first words of `deal 0 round 1`"] == ", ".join(str(stream.word()) for _ in range(9))
    deal = SeededDeal(SEED, 0)
    pile = numbers("1 2 3 4 5 6 7 8 9 10 11 12 -2")
    assert numbers(told["`reshuffle 0 1 0` of 1 2 3 4 5 6 7 8 9 10 11 12 -2"]) == deal.reshuffle(1, 0, pile)
    assert numbers(told["`reshuffle 0 1 1` of the same"]) == deal.reshuffle(1, 1, pile)


def test_the_transcript_in_it_has_the_right_shape():
    example = json.loads(re.search(r"```json\n(.*?)```", TEXT, re.DOTALL)[1])
    example["rounds"][0]["cards"] = SeededDeal(SEED, 0).pack(1)
    answer = play_transcript(example)
    assert (answer.get("error"), answer["finished"]) == (None, False)
