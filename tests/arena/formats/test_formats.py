"""What holds of every format: order does not matter, nothing is patched, everything is plain data and says why."""

import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from arena.formats import (
    FORMATS,
    TEXTS,
    Entry,
    Format,
    FormatError,
    Match,
    Note,
    Result,
    SettingsError,
    State,
    as_json,
    format_named,
    seeded_by_hand,
    seeded_by_lot,
    seeded_by_rating,
)
from arena.formats.lots import lot
from tests.arena.formats.events import LOT_SEED, Play, by_chance, check_state, field, leave, play_out, result

EVENTS: list[tuple[str, int, dict[str, Any]]] = [
    ("single-elimination", 11, {"third_place": True}),
    ("double-elimination", 11, {}),
    ("swiss", 11, {"rounds": 5}),
    ("pods", 11, {"rounds": 3}),
    ("round-robin", 7, {}),
    ("groups-knockout", 11, {"groups": 3}),
]
every_event = pytest.mark.parametrize(("name", "n", "settings"), EVENTS, ids=[name for name, _, _ in EVENTS])


def remembered(play: Play) -> Play:
    """The same match between the same entries always ends in the same way."""
    results: dict[tuple[str, tuple[int, ...]], Result] = {}

    def again(match: Match) -> Result:
        key = (match.key, match.entries)
        if key not in results:
            results[key] = play(match)
        return results[key]

    return again


def turned(found: Result, order: list[int]) -> Result:
    """The same result with its entries in another order."""
    n = len(found.entries)
    won = {}
    for (i, j), pair in zip(combinations(range(n), 2), found.pairs, strict=True):
        won[i, j], won[j, i] = pair, found.games - pair
    return Result(
        found.match,
        tuple(found.entries[i] for i in order),
        found.games,
        tuple(won[order[i], order[j]] for i, j in combinations(range(n), 2)),
        tuple(found.totals[i] for i in order),
        tuple(found.clean[i] for i in order),
        tuple(found.faults[i] for i in order),
    )


@every_event
def test_results_may_come_in_any_order(name: str, n: int, settings: dict[str, Any]) -> None:
    rng = random.Random(name)
    format, entries = FORMATS[name], field(n)
    state, _, results = play_out(format, entries, settings, by_chance(rng), check=check_state)
    for _ in range(3):
        shuffled = [turned(one, rng.sample(range(len(one.entries)), len(one.entries))) for one in results]
        rng.shuffle(shuffled)
        again = format.state(rng.sample(entries, n), settings, shuffled, LOT_SEED)
        assert again == state


@every_event
def test_one_match_after_the_other_comes_to_the_same_as_all_at_once(
    name: str, n: int, settings: dict[str, Any]
) -> None:
    rng = random.Random(name)
    format, entries = FORMATS[name], field(n)
    play = remembered(by_chance(rng))
    state, _, _ = play_out(format, entries, settings, play, check=check_state)
    one_by_one, _, _ = play_out(
        format, entries, settings, play, check=check_state, some=lambda matches: [rng.choice(matches)]
    )
    assert one_by_one == state


@every_event
def test_a_voided_match_is_asked_for_again_and_the_same_result_restores_everything(
    name: str, n: int, settings: dict[str, Any]
) -> None:
    format, entries = FORMATS[name], field(n)
    state, _, results = play_out(format, entries, settings, by_chance(random.Random(name)))
    for index in range(0, len(results), 3):
        voided = results[:index] + results[index + 1 :]
        open_again = format.state(entries, settings, voided, LOT_SEED)
        check_state(open_again, entries)
        assert (results[index].match, set(results[index].entries)) in [
            (match.key, set(match.entries)) for match in open_again.to_play
        ]
        assert not open_again.is_finished
        assert {unused.note.code for unused in open_again.unused} <= {"unknown_match", "waits", "not_needed"}
        assert format.state(entries, settings, [*voided, results[index]], LOT_SEED) == state


@every_event
def test_another_result_of_a_rerun_is_reckoned_through_to_the_end(
    name: str, n: int, settings: dict[str, Any]
) -> None:
    rng = random.Random(name)
    format, entries = FORMATS[name], field(n)
    play = by_chance(rng)
    _, _, results = play_out(format, entries, settings, play)
    decisive = [index for index, old in enumerate(results) if 2 * old.pairs[0] != old.games]
    for index in (decisive[0], decisive[len(decisive) // 2]):
        old = results[index]
        # Who was last is first now.
        rerun = replace(turned(old, list(range(len(old.entries)))[::-1]), entries=old.entries)
        assert rerun.pairs != old.pairs
        kept = [*results[:index], rerun, *results[index + 1 :]]
        state = format.state(entries, settings, kept, LOT_SEED)
        while not state.is_finished:
            check_state(state, entries)
            kept = [found for found in kept if (found.match, tuple(sorted(found.entries))) in state.used]
            assert len(kept) == len(state.used)
            kept += [play(wanted) for wanted in state.to_play]
            state = format.state(entries, settings, kept, LOT_SEED)
        check_state(state, entries)


def notes_of(value: Any) -> Iterator[Note]:
    if isinstance(value, Note):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from notes_of(item)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from notes_of(getattr(value, name))


@every_event
def test_a_state_is_plain_data_and_its_notes_can_be_made_from_their_facts(
    name: str, n: int, settings: dict[str, Any]
) -> None:
    rng = random.Random(name)

    def step(state: State, now: list[Entry]) -> list[Entry]:
        live = [entry.id for entry in now if entry.departure is None]
        return leave(now, rng.choice(live), state.stage) if rng.random() < 0.2 and len(live) > 3 else now

    def check(state: State, now: list[Entry]) -> None:
        assert json.loads(json.dumps(as_json(state))) == as_json(state)
        for found in notes_of(state):
            assert found.text == TEXTS[found.code].format(**found.facts)
            assert "{" not in found.text
        for pairing in state.pairings:
            assert pairing.notes or not pairing.is_decided, "every decision says why"

    play_out(FORMATS[name], field(n), settings, by_chance(rng), step=step, check=check)


def test_results_that_answer_nothing_are_named_and_change_nothing() -> None:
    entries = field(4)
    format = FORMATS["single-elimination"]
    state = format.state(entries, {})
    (first, _) = state.to_play
    others = [entries[0].id, entries[1].id]
    strange = [
        result(Match("M7-1", "M7-1", first.entries, 5), [0.6, 0.4]),
        result(Match("M1-1", "M1-1", tuple(others), 5), [0.6, 0.4]),
        result(Match("M2-1", "M2-1", tuple(others), 5), [0.6, 0.4]),
    ]
    after = format.state(entries, {}, strange)
    assert {unused.match: unused.note.code for unused in after.unused} == {
        "M7-1": "unknown_match",
        "M1-1": "other_entries",
        "M2-1": "waits",
    }
    assert after.parts == state.parts
    decided = result(first, [0.6, 0.4])
    more = result(Match("M1-1+1", "M1-1", first.entries, 5, 1), [0.6, 0.4])
    assert [u.note.code for u in format.state(entries, {}, [decided, more]).unused] == ["not_needed"]


def test_impossible_entries_and_results_are_refused() -> None:
    format = FORMATS["swiss"]
    with pytest.raises(FormatError, match="seeds of 3 entries must be 1 to 3"):
        format.state([Entry(1, 1), Entry(2, 2), Entry(3, 4)], {})
    with pytest.raises(FormatError, match="named twice"):
        format.state([Entry(1, 1), Entry(1, 2), Entry(3, 3)], {})
    entries = field(4)
    match = format.state(entries, {}).to_play[0]
    one, two = result(match, [0.6, 0.4]), result(match, [0.4, 0.6])
    with pytest.raises(FormatError, match="two results"):
        format.state(entries, {}, [one, two])
    with pytest.raises(FormatError, match="not in the event"):
        format.state(entries, {}, [result(Match("1-1", "1-1", (1, 2), 5), [0.6, 0.4])])
    with pytest.raises(FormatError, match="does not fit its 2 entries"):
        Result("1-1", (1, 2), 10, (5, 5), (1, 1), (10, 10), (0, 0))
    with pytest.raises(FormatError, match="more games won than played"):
        Result("1-1", (1, 2), 10, (11,), (1, 1), (10, 10), (0, 0))
    with pytest.raises(FormatError, match="none played"):
        Result("1-1", (1, 2), 0, (0,), (0, 0), (0, 0), (0, 0))
    with pytest.raises(FormatError, match="more faults than games"):
        Result("1-1", (1, 2), 10, (5,), (1, 1), (10, 10), (1, 0))
    with pytest.raises(FormatError, match="forfeits of entries that are not in it"):
        Result.forfeited("1-1", (1, 2), [3])
    with pytest.raises(FormatError, match="no format 'league'; there are single-elimination"):
        format_named("league")
    assert format_named("swiss") is format


def test_a_stored_tally_becomes_a_result() -> None:
    tally = {
        "versions": [31, 7],
        "games": 4,
        "pairs": [2.5],
        "totals": [100, 90],
        "clean": [4, 3],
        "faults": [0, 1],
    }
    found = Result.of_tally("1-1", tally, {31: 1, 7: 2})
    assert found == Result("1-1", (1, 2), 4, (2.5,), (100, 90), (4, 3), (0, 1))


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_settings_are_described_so_that_a_form_can_be_made(format: Format) -> None:
    names = [setting.name for setting in format.settings]
    assert len(set(names)) == len(names)
    assert names[0] == "deals"
    for setting in format.settings:
        assert setting.title
        assert setting.explanation.endswith(".")
        assert setting.problem(setting.default) is None
        if setting.kind == "number":
            assert setting.problem(setting.minimum) is setting.problem(setting.maximum) is None
            for wrong in (setting.minimum - 1, setting.maximum + 1, True, 1.0, "1", None):
                assert setting.title in (setting.problem(wrong) or "")
        elif setting.kind == "choice":
            assert all(setting.problem(value) is None for value, _ in setting.choices)
            assert setting.problem("nonsense")
        else:
            assert setting.problem(1)
    assert format.checked({}) == {setting.name: setting.default for setting in format.settings}
    assert format.title
    assert format.summary


def test_all_that_is_wrong_with_settings_is_said_at_once() -> None:
    with pytest.raises(SettingsError) as refused:
        FORMATS["swiss"].checked({"deals": 0, "bye": "all", "colour": 1})
    assert refused.value.problems == {
        "deals": "Deals a pairing: must be a whole number from 1 to 200, not 0.",
        "bye": "A bye is worth: must be one of win, half, nothing, not 'all'.",
        "colour": "There is no setting colour.",
    }
    with pytest.raises(SettingsError, match="from 3 to 128 entries can play, not 2"):
        FORMATS["swiss"].state(field(2), {})


def test_lots_are_hashes_that_anybody_can_check() -> None:
    assert lot("5eed", "M1-1", 7) == hashlib.sha256(b"5eed:M1-1:7").hexdigest()
    assert seeded_by_lot([1, 2, 3], "a") == sorted([1, 2, 3], key=lambda who: lot("a", "seeding", who))
    firsts = {seeded_by_lot(range(5), str(number))[0] for number in range(40)}
    assert firsts == set(range(5))


def test_seeds_follow_ratings_and_equals_their_lots() -> None:
    assert seeded_by_rating([1, 2, 3, 4], {1: 1400.0, 2: 1500.0, 4: 1600.0}, "a") == [4, 2, 1, 3]
    tied = seeded_by_rating([1, 2, 3, 4], {}, "a")
    assert tied == seeded_by_lot([1, 2, 3, 4], "a")


def test_seeds_by_hand_must_name_everybody_once() -> None:
    assert seeded_by_hand([1, 2, 3], [3, 1, 2]) == [3, 1, 2]
    with pytest.raises(FormatError, match=r"leaves out \[3\] and names \[4\]"):
        seeded_by_hand([1, 2, 3], [1, 2, 4])
    with pytest.raises(FormatError, match="twice"):
        seeded_by_hand([1, 2, 3], [1, 2, 3, 3])


DRAWS = {
    "single-elimination": "2420b7239f5eceba",
    "double-elimination": "b7b02064bf9c4163",
    "swiss": "5088e37f4ffef635",
    "pods": "64bc7b8875e826ed",
    "round-robin": "056390d7278b64ba",
    "groups-knockout": "88e3bced8bd32cea",
}


@pytest.mark.parametrize("name", FORMATS)
def test_draws_stay_as_they_are(name: str) -> None:
    """A running event is drawn anew from its beginning whenever it is looked at. Should this fail, events that run
    would be drawn otherwise: leave the format as it is and make another one."""
    digest = hashlib.sha256()
    for n in (6, 9, 12, 23, 48):
        settings = {"groups": 2} if name == "groups-knockout" else {"deals": 2}
        if name == "pods":
            settings["seats"] = 4 if n % 2 else 3
        strength = {entry.id: (7 * entry.seed**2) % 11 for entry in field(n)}

        def play(match: Match, strength: dict[int, int] = strength) -> Result:
            most = max(strength[who] for who in match.entries)
            if len(match.entries) == 2:
                one, two = (strength[who] for who in match.entries)
                return result(match, [0.5, 0.5] if one == two else [0.6, 0.4] if one == most else [0.4, 0.6])
            return result(match, [strength[who] / 20 for who in match.entries])

        state, _, _ = play_out(FORMATS[name], field(n), settings, play)
        for pairing in state.pairings:
            digest.update(f"{pairing.key}:{pairing.entries}:{pairing.winner};".encode())
        digest.update(str([standing.entry for standing in state.standings]).encode())
    assert digest.hexdigest()[:16] == DRAWS[name]
