"""Flags and presets."""

from __future__ import annotations

import dataclasses
import json

import pytest

from matches.engine import PRESETS, Rules, RulesError, check_seats, rules_from

OFFICIAL = {
    "preset": "official",
    "target": 100,
    "start_tie": "lowest_seat",
    "next_start": "closer",
    "open_discard": "before_reveal",
    "columns": True,
    "flip_after_discard": "must",
    "tie_doubles": True,
    "double_only_positive": True,
    "final_tie": "shared",
    "turn_cap": 100,
    "round_cap": 50,
}


@pytest.mark.parametrize(
    ("preset", "differs"),
    [
        ("official", {}),
        (
            "guide-2026",
            {
                "start_tie": "flip_more",
                "tie_doubles": False,
                "double_only_positive": False,
                "final_tie": "extra_round",
            },
        ),
        ("skyjo-info", {"open_discard": "after_reveal", "double_only_positive": False}),
        ("marquoir-50", {"target": 50, "open_discard": "after_reveal"}),
        ("marquoir-100", {"open_discard": "after_reveal"}),
        ("marquoir-200", {"target": 200, "open_discard": "after_reveal"}),
        (
            "gamerules",
            {
                "next_start": "round_winner",
                "flip_after_discard": "may",
                "tie_doubles": False,
                "double_only_positive": False,
            },
        ),
        (
            "gamerules-plain",
            {
                "next_start": "round_winner",
                "columns": False,
                "flip_after_discard": "may",
                "tie_doubles": False,
                "double_only_positive": False,
            },
        ),
    ],
)
def test_a_preset_differs_from_the_sheet_in_these_flags(preset, differs):
    assert rules_from(preset).as_dict() == OFFICIAL | {"preset": preset} | differs


def test_every_preset_names_its_source_and_has_a_sentence():
    assert list(PRESETS) == [
        "official",
        "guide-2026",
        "skyjo-info",
        "marquoir-50",
        "marquoir-100",
        "marquoir-200",
        "gamerules",
        "gamerules-plain",
    ]
    for name, preset in PRESETS.items():
        assert preset.name == name == preset.rules.preset
        assert len(preset.source) > 10
        assert preset.summary.endswith(".")


def test_rules_come_back_from_their_json():
    for rules in (*(preset.rules for preset in PRESETS.values()), Rules(target=7)):
        assert rules_from(json.loads(json.dumps(rules.as_dict()))) == rules


def test_flags_stand_over_the_official_rules():
    assert rules_from({"target": 50}) == Rules(target=50)
    assert rules_from({"target": 50}).preset is None
    assert rules_from({}).preset == "official"


def test_flags_that_make_a_preset_are_that_preset():
    assert rules_from({"target": 50, "open_discard": "after_reveal"}).preset == "marquoir-50"


def test_rules_cannot_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules_from("official").target = 50


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("oficial", 'There is no preset "oficial". The presets are official, guide-2026'),
        ("x" * 1000, 'There is no preset "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\\u2026". The'),
        (None, "Rules are a preset's name or an object of flags, not null."),
        (["official"], "not a list of 1."),
        ({"goal": 50}, 'There is no flag "goal". The flags are target, start_tie'),
        ({"target": 0}, "The flag target must be an integer from 1 to 9007199254740991, not 0."),
        ({"target": -5}, "not -5."),
        ({"target": 2**53}, "not 9007199254740992."),
        ({"target": 10**5000}, "not a huge integer."),
        ({"target": True}, "not true."),
        ({"target": 100.0}, "not 100.0."),
        ({"target": "100"}, 'not "100".'),
        ({"turn_cap": 0}, "The flag turn_cap must be"),
        ({"round_cap": None}, "The flag round_cap must be an integer from 1 to 9007199254740991, not null."),
        ({"columns": 1}, "The flag columns must be true or false, not 1."),
        ({"tie_doubles": "no"}, 'The flag tie_doubles must be true or false, not "no".'),
        ({"start_tie": "random"}, 'The flag start_tie must be lowest_seat or flip_more, not "random".'),
        ({"next_start": ["closer"]}, "must be closer or round_winner or highest_sum, not a list of 1."),
        ({"flip_after_discard": True}, "must be must or may, not true."),
        ({"preset": "gamerules", "columns": False}, "The preset gamerules has columns true, not false."),
        ({"preset": "official", "columns": 1}, "The preset official has columns true, not 1."),
        ({"preset": "nothing"}, 'There is no preset "nothing".'),
        ({"preset": 3}, "There is no preset 3."),
    ],
)
def test_bad_rules_are_refused_with_what_is_right(value, text):
    with pytest.raises(RulesError) as caught:
        rules_from(value)
    assert text in str(caught.value)


@pytest.mark.parametrize("seats", [1, 9, 0, -2, True, 2.0, "2", None])
def test_a_table_has_two_to_eight_seats(seats):
    with pytest.raises(RulesError, match="A table has 2 to 8 seats, not "):
        check_seats(seats)
