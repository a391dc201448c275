"""Actions and the protocol's JSON for them."""

from __future__ import annotations

import json

import pytest

from matches.engine import DISCARD, DRAW, MalformedAction, action_from_json, flip, reveal, swap, take

JSON = [
    (reveal(0, 7), {"cells": [0, 7]}),
    (reveal(3), {"cells": [3]}),
    (DRAW, {"take": "draw"}),
    (take(5), {"take": "discard", "cell": 5}),
    (swap(5), {"swap": 5}),
    (flip(9), {"flip": 9}),
    (DISCARD, {"discard": True}),
]


@pytest.mark.parametrize(("action", "value"), JSON)
@pytest.mark.parametrize("phase", ["reveal", "draw", "place", "over"])
def test_an_action_is_its_json_in_any_phase(action, value, phase):
    assert action.as_json() == value
    assert action_from_json(phase, json.loads(json.dumps(value))) is action


def test_the_order_of_the_revealed_cells_does_not_matter():
    assert reveal(7, 0) is reveal(0, 7)
    assert action_from_json("reveal", {"cells": [7, 0]}) is reveal(0, 7)


@pytest.mark.parametrize(
    "value", [{"swap": 12}, {"flip": -1}, {"take": "discard", "cell": 10**30}, {"cells": [4, 4]}]
)
def test_well_formed_actions_on_no_cells_are_for_the_game_to_refuse(value):
    assert action_from_json("place", value).as_json() == value


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        "draw",
        7,
        [{"take": "draw"}],
        {"take": "deck"},
        {"take": None},
        {"take": "discard"},
        {"take": "discard", "cell": "5"},
        {"take": "discard", "cell": True},
        {"take": "discard", "cell": 5.0},
        {"take": "discard", "cells": [5]},
        {"take": "draw", "cell": 5},
        {"take": "draw", "id": 3},
        {"cell": 5},
        {"swap": True},
        {"swap": 5.0},
        {"swap": "5"},
        {"swap": None},
        {"swap": 5, "flip": 5},
        {"flip": [5]},
        {"discard": False},
        {"discard": 1},
        {"discard": "true"},
        {"cells": 3},
        {"cells": []},
        {"cells": [0, 1, 2]},
        {"cells": [0, False]},
        {"cells": [0, 1.0]},
        {"cells": "07"},
        {"cells": {"0": 7}},
        {"SWAP": 5},
        {"swap ": 5},
        {5: 5},
    ],
)
def test_anything_else_is_malformed(value):
    with pytest.raises(
        MalformedAction, match=r'is no action\. In phase place answer \{"swap": 5\} or \{"flip": 9\}\.'
    ):
        action_from_json("place", value)


def test_an_error_names_a_hostile_value_shortly():
    with pytest.raises(MalformedAction) as caught:
        action_from_json("draw", {"x" * 10**6: ["y"] * 10**6, "take": "z" * 10**6, "a": 1, "b": 2})
    assert len(str(caught.value)) < 300
    assert "a list of 1000000" in str(caught.value)
