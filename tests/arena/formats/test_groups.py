"""Groups, then knock-out: who goes on, where they meet, and what a withdrawal does."""

import random

import pytest

from arena.formats import FORMATS, Entry, Leaving, SettingsError, SourceKind, State, Status
from arena.formats.groups import knockout_leaves
from arena.formats.seeding import snake
from tests.arena.formats.events import (
    LOT_SEED,
    better_seed_wins,
    by_chance,
    check_state,
    departures,
    field,
    leave,
    play_out,
)

GROUPS = FORMATS["groups-knockout"]


def test_seeds_are_dealt_to_and_fro() -> None:
    assert snake(10, 3) == [[1, 6, 7], [2, 5, 8], [3, 4, 9, 10]]
    assert snake(4, 2) == [[1, 4], [2, 3]]


@pytest.mark.parametrize("qualifiers", [1, 2, 3, 4])
@pytest.mark.parametrize("groups", [2, 3, 4, 5, 8, 16])
def test_those_of_one_group_meet_as_late_as_possible(groups: int, qualifiers: int) -> None:
    leaves = knockout_leaves(groups, qualifiers)
    size = len(leaves)
    places = [leaf for leaf in leaves if leaf.kind is SourceKind.PLACE]
    assert len(places) == len(set(places)) == groups * qualifiers
    for group in "ABCDEFGHIJKLMNOP"[:groups]:
        seats = [index for index, leaf in enumerate(leaves) if leaf.of == group]
        halves = {seat // (size // 2) for seat in seats}
        quarters = {seat // max(size // 4, 1) for seat in seats}
        assert len(halves) == min(2, qualifiers)
        assert len(quarters) == min(qualifiers, 4 if size >= 4 else 2)
    # Byes fall to winners of groups, as far as there are enough of these.
    byes = [leaves[index ^ 1] for index, leaf in enumerate(leaves) if leaf.kind is SourceKind.NOBODY]
    assert all(leaf.number == 1 for leaf in byes) or len(byes) > groups


def test_two_groups_of_two_qualifiers_cross() -> None:
    assert [(leaf.of, leaf.number) for leaf in knockout_leaves(2, 2)] == [
        ("A", 1),
        ("B", 2),
        ("B", 1),
        ("A", 2),
    ]


@pytest.mark.parametrize("n", [6, 9, 16, 31, 64, 128])
def test_with_the_better_seed_winning_the_first_seeds_come_to_the_end(n: int) -> None:
    entries = field(n)
    state, _, _ = play_out(GROUPS, entries, {}, better_seed_wins(entries), check=check_state)
    assert [standing.entry for standing in state.standings[:2]] == [entries[0].id, entries[1].id]
    assert state.stage == 2


def test_the_knock_out_is_drawn_in_advance_and_waits_for_the_groups() -> None:
    state = GROUPS.state(field(8), {})
    assert [part.key for part in state.parts] == ["GA", "GB", "M"]
    semi = state.parts[2].rounds[0].pairings[0]
    assert semi.status is Status.WAITING
    assert [(slot.source.of, slot.source.number) for slot in semi.slots] == [("A", 1), ("B", 2)]
    assert len(state.to_play) == 12
    assert state.stage == 1
    assert [len(part.standings) for part in state.parts] == [4, 4, 0]


@pytest.mark.parametrize("seed", range(60))
def test_random_events_with_withdrawals(seed: int) -> None:
    rng = random.Random(seed)
    n_groups = rng.randint(2, 6)
    qualifiers = rng.randint(1, 3)
    n = n_groups * (qualifiers + 1) + rng.randint(0, 12)
    settings = {
        "groups": n_groups,
        "qualifiers": qualifiers,
        "third_place": rng.random() < 0.5,
        "twice": rng.random() < 0.2,
        "scoring": rng.choice(["wins", "games"]),
    }
    leaving = rng.choice([0.0, 0.2, 0.6])
    qualified: list[set[int]] = []

    def check(state: State, now: list[Entry]) -> None:
        check_state(state, now)
        if state.stage == 2:
            slots = [slot for pairing in state.parts[n_groups].rounds[0].pairings for slot in pairing.slots]
            qualified.append({slot.entry for slot in slots if slot.entry is not None})

    state, entries, _ = play_out(
        GROUPS,
        field(n),
        settings,
        by_chance(rng, level=0.3),
        step=departures(rng, leaving),
        check=check,
        some=lambda matches: rng.sample(matches, rng.randint(1, len(matches))),
    )
    assert all(found == qualified[0] for found in qualified), "once drawn, the knock-out stays as it is"
    group_left = {e.id for e in entries if e.departure is not None and e.departure.stage <= 1}
    for part in state.parts[:n_groups]:
        for standing in part.standings[:qualifiers]:
            assert standing.entry in qualified[0] or standing.entry in group_left
    assert len(qualified[0]) <= n_groups * qualifiers


def test_who_leaves_during_the_groups_does_not_go_on_and_the_next_does() -> None:
    entries = field(8)
    state = GROUPS.state(entries, {})
    play = better_seed_wins(entries)
    # Everything is played but one match of the best entry, which then leaves.
    results = [play(match) for match in state.to_play if set(match.entries) != {entries[0].id, entries[3].id}]
    gone = leave(entries, entries[0].id, 1)
    after = GROUPS.state(gone, {}, results, LOT_SEED)
    assert after.stage == 2
    semis = {who for pairing in after.parts[2].rounds[0].pairings for who in pairing.entries}
    assert entries[0].id not in semis
    assert len(semis) == 4


def test_who_leaves_in_the_knock_out_keeps_its_place_there_and_forfeits() -> None:
    entries = field(8)
    state = GROUPS.state(entries, {})
    results = [better_seed_wins(entries)(match) for match in state.to_play]
    gone = leave(entries, entries[0].id, 2, Leaving.DISQUALIFIED)
    after = GROUPS.state(gone, {}, results, LOT_SEED)
    semi = after.parts[2].rounds[0].pairings[0]
    assert entries[0].id in semi.entries
    assert semi.winner != entries[0].id
    assert after.standings[-1].entry == entries[0].id


def test_too_few_entries_for_the_groups_are_refused() -> None:
    with pytest.raises(SettingsError) as refused:
        GROUPS.checked({"groups": 4, "qualifiers": 2}, 11)
    assert "at least 12 entries" in refused.value.problems["groups"]
    with pytest.raises(SettingsError, match="one group is a round robin"):
        GROUPS.checked({"groups": 1})
    assert GROUPS.checked({"groups": 4, "qualifiers": 2}, 12)["groups"] == 4
