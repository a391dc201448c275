"""Whatever is altered in a replay is found, or is one of the few things that follow from nothing."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from matches.engine import Rules
from matches.replay import ReplayError, decode, encode, expand, verify
from matches.replay.codes import CHARACTERS

from .games import SHORT, as_json, play

# Much work for one test: on a busy host it takes its time.
pytestmark = pytest.mark.timeout(600)

GAME = play(SHORT, seed=4, faults={1: (9, "timeout")})
COMPACT = json.loads(gzip.decompress(encode(GAME.core(), GAME.timing())))
EXPANDED = expand(decode(encode(GAME.core(), GAME.timing())), {"names": ["ada", "bob"]})

Path = tuple[str | int, ...]

HARMLESS = {"about", "cpu_ms", "cpu_ms_below", "seat_cpu_ms", "cpu", "preset"}
"""Timing, which is not hashed; what is for viewers alone; and a preset's name where none is given."""


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in items:
            yield from leaves(member, (*path, key))
    else:
        yield path, value


def nodes(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict | list):
        yield path, value
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in items:
            yield from nodes(member, (*path, key))


def altered(document: Any, path: Path, change: Any) -> Any:
    changed = copy.deepcopy(document)
    place = changed
    for key in path:
        place = place[key]
    change(place)
    return changed


def others(value: Any) -> list[Any]:
    """Values of the same and of other types, near the true one."""
    if isinstance(value, bool):
        return [not value, int(value)]
    if isinstance(value, int):
        return [value + 1, -value - 1, str(value), None]
    if isinstance(value, str):
        return [value + "0", value[:-1], value.swapcase() if value.swapcase() != value else "", 0, None]
    return [0, "", []]


def found(document: Any) -> bool:
    try:
        verify(as_json(document))
    except ReplayError:
        return True
    return False


def test_both_forms_are_sound_before_anything_is_altered():
    assert not found(COMPACT)
    assert not found(EXPANDED)


@pytest.mark.parametrize("document", [COMPACT, EXPANDED], ids=["compact", "expanded"])
def test_a_changed_value_is_found(document):
    unnoticed = set()
    for path, value in leaves(document):
        for other in others(value):
            if not found(
                altered(document, path[:-1], lambda place, k=path[-1], v=other: place.__setitem__(k, v))
            ):
                unnoticed.add(path)
    assert {path for path in unnoticed if not HARMLESS & set(path)} == set()


@pytest.mark.parametrize("document", [COMPACT, EXPANDED], ids=["compact", "expanded"])
def test_a_missing_member_or_item_is_found(document):
    unnoticed = set()
    for path, node in nodes(document):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            if not found(altered(document, path, lambda place, k=key: place.__delitem__(k))):
                unnoticed.add((*path, key))
    # A flag that is missing has its default.
    defaults = {
        ("rules", flag) for flag, value in Rules().as_dict().items() if EXPANDED["rules"][flag] == value
    }
    assert {path for path in unnoticed if not HARMLESS & set(path)} - defaults == set()


@pytest.mark.parametrize("document", [COMPACT, EXPANDED], ids=["compact", "expanded"])
def test_an_added_member_or_item_is_found(document):
    unnoticed = set()
    for path, node in nodes(document):
        grow = (
            (lambda place: place.update(more=1))
            if isinstance(node, dict)
            else (lambda place: place.append(1))
        )
        if not found(altered(document, path, grow)):
            unnoticed.add(path)
    assert {path for path in unnoticed if not HARMLESS & set(path)} == set()


def test_an_exchanged_pair_of_items_is_found():
    unnoticed = set()
    for path, node in nodes(EXPANDED):
        if isinstance(node, list):
            for i in range(len(node) - 1):
                if node[i] != node[i + 1]:
                    swapped = altered(
                        EXPANDED,
                        path,
                        lambda place, i=i: place.__setitem__(slice(i, i + 2), [place[i + 1], place[i]]),
                    )
                    if not found(swapped):
                        unnoticed.add((*path, i))
    assert {path for path in unnoticed if not HARMLESS & set(path)} == set()


def test_another_decision_in_a_compact_file_is_found():
    decisions = COMPACT["core"]["decisions"]
    for place, character in enumerate(decisions):
        for other in sorted(CHARACTERS - {character})[place % 4 :: 4]:
            document = copy.deepcopy(COMPACT)
            document["core"]["decisions"] = decisions[:place] + other + decisions[place + 1 :]
            assert found(document), (place, other)


def test_a_changed_event_is_reported_at_its_decision():
    document = copy.deepcopy(EXPANDED)
    decision = document["rounds"][0]["decisions"][7]
    decision["events"][0]["card"] += 1
    with pytest.raises(ReplayError, match=r"^round 1, turn \d+, decision 7: events\[0\]\.card is ") as caught:
        verify(as_json(document))
    assert (caught.value.round, caught.value.turn, caught.value.decision) == (1, decision["turn"], 7)


def test_the_first_of_several_differences_is_reported():
    document = copy.deepcopy(EXPANDED)
    for i in (20, 8, 14):
        document["rounds"][0]["decisions"][i]["seat"] += 1
    with pytest.raises(ReplayError, match="decision 8: seat is"):
        verify(as_json(document))


def test_a_changed_action_is_reported_where_the_game_turns_out_otherwise():
    document = copy.deepcopy(EXPANDED)
    decision = next(d for d in document["rounds"][0]["decisions"] if d["seat"] == 0 and d["phase"] == "draw")
    other = {"take": "discard", "cell": 0} if decision["action"] == {"take": "draw"} else {"take": "draw"}
    decision["action"] = other
    with pytest.raises(ReplayError, match=f"decision {decision['decision']}: events"):
        verify(as_json(document))


def test_an_illegal_decision_is_reported_with_the_reason():
    document = copy.deepcopy(COMPACT)
    decisions = document["core"]["decisions"]
    place = next(
        d["decision"] for d in EXPANDED["rounds"][0]["decisions"] if d["seat"] == 0 and d["phase"] == "place"
    )
    document["core"]["decisions"] = decisions[:place] + "!" + decisions[place + 1 :]
    with pytest.raises(ReplayError, match=rf"^round \d+, turn \d+, decision {place}: discard is illegal"):
        verify(as_json(document))


def test_another_choice_than_the_autopilots_is_reported():
    document = copy.deepcopy(EXPANDED)
    decision = next(
        d for d in document["rounds"][0]["decisions"] if d["by"] == "autopilot" and d["phase"] == "draw"
    )
    decision["action"] = {"take": "discard", "cell": 0}
    with pytest.raises(ReplayError, match="seat 1 has faulted, so the autopilot plays draw, not take 0"):
        verify(as_json(document))


def test_a_fault_moved_to_an_earlier_decision_is_found():
    document = copy.deepcopy(COMPACT)
    document["core"]["faults"][0][1] = 3
    assert found(document)


def test_missing_decisions_at_the_end_are_reported():
    document = copy.deepcopy(COMPACT)
    n = len(document["core"]["decisions"]) - 4
    document["core"]["decisions"] = document["core"]["decisions"][:n]
    document["timing"]["cpu"] = document["timing"]["cpu"][:n]
    with pytest.raises(ReplayError, match=f"decision {n}: the decisions end, but the game is not over"):
        verify(as_json(document))


def test_decisions_after_the_end_are_reported():
    document = copy.deepcopy(COMPACT)
    n = len(document["core"]["decisions"])
    document["core"]["decisions"] += "."
    document["timing"]["cpu"] += "0"
    with pytest.raises(ReplayError, match=f"decision {n}: the game is over, but further decisions follow"):
        verify(as_json(document))


def test_a_core_that_was_swapped_whole_is_told_by_its_hash():
    document = copy.deepcopy(COMPACT)
    document["core"]["seats"][0] = "0" * 64
    with pytest.raises(
        ReplayError, match=r"the core was altered: its sha-256 is [0-9a-f]{64}, but the file says"
    ):
        verify(as_json(document))


def test_timing_that_disagrees_about_the_autopilot_is_reported():
    document = copy.deepcopy(COMPACT)
    document["timing"]["cpu"] = document["timing"]["cpu"].replace("-", "0")
    with pytest.raises(ReplayError, match="the timing must mark the autopilot's decisions"):
        verify(as_json(document))
