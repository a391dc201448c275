"""Pods: tables of every size without repeated meetings as far as that is possible, and points that compare."""

import random
from itertools import combinations
from typing import Any

import pytest

from arena.formats import FORMATS, Entry, How, Result, State
from arena.formats.pod_draw import draw_pods, mended, table_sizes
from arena.formats.pod_plans import POWERS, fields, planned, plus, times
from tests.arena.formats.events import (
    LOT_SEED,
    by_chance,
    check_state,
    departures,
    field,
    leave,
    play_out,
    result,
)
from tests.arena.formats.tables import repeats_of

PODS = FORMATS["pods"]


@pytest.mark.parametrize("n", [*range(20, 41), *range(44, 101, 8)])
def test_six_rounds_of_20_to_100_entries_repeat_no_meeting(n: int) -> None:
    state, _, _ = play_out(PODS, field(n), {}, by_chance(random.Random(n)))
    assert repeats_of(state) == [0] * 6
    for round in state.rounds[:6]:
        assert {len(pairing.entries) for pairing in round.pairings} <= {3, 4}
        assert sorted(who for pairing in round.pairings for who in pairing.entries) == sorted(
            entry.id for entry in field(n)
        )


@pytest.mark.parametrize("seed", range(60))
def test_random_events_with_withdrawals_seat_everybody_once_at_tables_of_three_to_eight(seed: int) -> None:
    rng = random.Random(seed)
    settings: dict[str, Any] = {
        "seats": rng.randint(3, 8),
        "rounds": rng.randint(1, 6),
        "scoring": rng.choice(["wins", "games"]),
        "decided_places": rng.randint(0, 3),
    }
    leaving = rng.choice([0.0, 0.3, 1.0])
    state, entries, _ = play_out(
        PODS,
        field(rng.randint(3, 40)),
        settings,
        by_chance(rng),
        step=departures(rng, leaving),
        check=check_state,
        some=lambda matches: rng.sample(matches, rng.randint(1, len(matches))),
    )
    assert not state.unused
    for round in state.rounds:
        if round.key == "X":
            continue
        present = [e.id for e in entries if e.departure is None or e.departure.stage >= round.number]
        assert sorted(who for pairing in round.pairings for who in pairing.entries) == sorted(present)
        sizes = [len(pairing.entries) for pairing in round.pairings]
        assert max(sizes) <= 8
        assert min(sizes) >= min(3, len(present))


@pytest.mark.parametrize(
    ("n", "seats", "sizes"),
    [
        (6, 4, [3, 3]),
        (7, 4, [4, 3]),
        (9, 4, [3, 3, 3]),
        (10, 4, [4, 3, 3]),
        (5, 4, [5]),
        (13, 4, [4, 3, 3, 3]),
        (5, 3, [5]),
        (8, 3, [4, 4]),
        (2, 4, [2]),
        (9, 8, [5, 4]),
        (16, 8, [8, 8]),
    ],
)
def test_tables_are_as_large_as_wanted_or_one_smaller(n: int, seats: int, sizes: list[int]) -> None:
    assert table_sizes(n, seats) == sizes


@pytest.mark.parametrize("n", range(2, 129))
def test_no_table_has_fewer_than_three_or_more_than_eight_seats(n: int) -> None:
    for seats in range(3, 9):
        sizes = table_sizes(n, seats)
        assert sum(sizes) == n
        assert n < 3 or min(sizes) >= 3
        assert max(sizes) <= 8


@pytest.mark.parametrize("seats", range(3, 9))
def test_plans_repeat_nothing_and_seat_everybody(seats: int) -> None:
    found = 0
    for n in range(6, 129, 3):
        for rounds in (4, 6, 9):
            plan = planned(n, seats, rounds)
            if plan is None:
                continue
            found += 1
            met: set[frozenset[int]] = set()
            assert len(plan) == rounds
            for tables in plan:
                assert sorted(who for table in tables for who in table) == list(range(n))
                assert {len(table) for table in tables} <= {max(seats, 4), max(seats, 4) - 1}
                pairs = [frozenset(pair) for table in tables for pair in combinations(table, 2)]
                assert not met & set(pairs)
                met |= set(pairs)
    assert found > 40


@pytest.mark.parametrize("q", sorted({*POWERS, 7}))
def test_fields_are_fields(q: int) -> None:
    assert q in fields()
    for a in range(q):
        assert sorted(plus(a, b, q) for b in range(q)) == list(range(q))
        assert times(a, 1, q) == a
        if a:
            assert sorted(times(a, b, q) for b in range(q)) == list(range(q))
        for b in range(q):
            for c in range(q):
                assert times(a, plus(b, c, q), q) == plus(times(a, b, q), times(a, c, q), q)


def test_the_draw_repeats_as_little_as_it_can_where_it_must() -> None:
    # Nine at three tables have met everybody after four rounds; a fifth must repeat nine meetings.
    met = [[int(i != j) for j in range(9)] for i in range(9)]
    tables, repeats = draw_pods([[0, 1, 2], [3, 4, 5], [6, 7, 8]], met, [0] * 9, "seed")
    assert repeats == 9
    met[0][4] = met[4][0] = 5
    tables, repeats = draw_pods([[0, 4, 2], [3, 1, 5], [6, 7, 8]], met, [0] * 9, "seed")
    assert repeats == 9
    assert not any({0, 4} <= set(table) for table in tables)


def test_equals_are_brought_together() -> None:
    nobody = [[0] * 8 for _ in range(8)]
    tables, _ = draw_pods([[0, 1, 2, 7], [3, 4, 5, 6]], nobody, [9, 9, 9, 9, 0, 0, 0, 0], "seed")
    assert sorted(map(sorted, tables)) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_who_is_left_at_a_table_of_two_joins_a_smaller_one() -> None:
    assert sorted(map(len, mended([[1, 2], [3, 4, 5], [6, 7, 8, 9]]))) == [4, 5]
    assert mended([[1, 2]]) == [[1, 2]]
    assert sorted(map(len, mended([[1], [2], [3], [4, 5, 6], []]))) == [3, 3]


def first_table(n: int, settings: dict[str, Any] | None = None) -> tuple[list[Entry], State]:
    entries = field(n)
    return entries, PODS.state(entries, {"rounds": 1, "decided_places": 0, **(settings or {})}, (), LOT_SEED)


def test_points_are_the_share_of_the_others_that_were_beaten() -> None:
    for n, expected in ((4, [1, 0.5, 0.5, 0]), (3, [1, 0.25, 0.25])):
        entries, state = first_table(n)
        (match,) = state.to_play
        scores = [0.9, 0.5, 0.5, 0.1][:n]
        end = PODS.state(entries, {"rounds": 1, "decided_places": 0}, [result(match, scores)], LOT_SEED)
        points = {slot.entry: slot.points for slot in end.pairings[0].slots}
        assert [points[who] for who in match.entries] == expected


def test_points_by_games_are_shared_as_the_games_were() -> None:
    settings = {"rounds": 1, "decided_places": 0, "scoring": "games", "deals": 5}
    entries = field(3)
    (match,) = PODS.state(entries, settings).to_play
    found = Result(match.key, match.entries, 15, (9, 12, 7.5), (300, 350, 400), (15, 15, 15), (0, 0, 0))
    end = PODS.state(entries, settings, [found], LOT_SEED)
    points = [slot.points for slot in end.pairings[0].slots]
    assert points == pytest.approx([(0.6 + 0.8) / 2, (0.4 + 0.5) / 2, (0.2 + 0.5) / 2], abs=1 / 840)
    assert sum(points) == pytest.approx(1.5, abs=1e-5)  # type: ignore[arg-type]


def test_a_table_that_one_has_left_is_played_by_the_others_who_all_beat_it() -> None:
    entries, state = first_table(4)
    gone = leave(entries, entries[0].id, 1)
    smaller = PODS.state(gone, {"rounds": 1, "decided_places": 0})
    (match,) = smaller.to_play
    assert set(match.entries) == {entry.id for entry in entries[1:]}
    end = PODS.state(gone, {"rounds": 1, "decided_places": 0}, [result(match, [0.9, 0.5, 0.1])], LOT_SEED)
    slots = {slot.entry: slot for slot in end.pairings[0].slots}
    assert [slots[who].points for who in match.entries] == pytest.approx([1, 2 / 3, 1 / 3], abs=1e-6)
    assert (slots[entries[0].id].points, slots[entries[0].id].forfeits) == (0, True)
    # The match of all four stands if it was played before.
    (whole,) = state.to_play
    kept = PODS.state(
        gone, {"rounds": 1, "decided_places": 0}, [result(whole, [0.9, 0.5, 0.1, 0.2])], LOT_SEED
    )
    assert kept.pairings[0].slots[0].points == 1


def test_the_last_one_at_a_table_wins_it_by_forfeit() -> None:
    entries, _ = first_table(3)
    gone = leave(leave(entries, entries[0].id, 1), entries[1].id, 1)
    end = PODS.state(gone, {"rounds": 1})
    assert (end.pairings[0].how, end.pairings[0].winner) == (How.FORFEIT, entries[2].id)
    assert end.winner == entries[2].id


def test_a_tie_for_the_title_is_played_out_at_one_table() -> None:
    entries = field(4)
    (match,) = PODS.state(entries, {"rounds": 1}, (), LOT_SEED).to_play
    level = result(match, [0.5, 0.5, 0.5, 0.1])
    state = PODS.state(entries, {"rounds": 1}, [level], LOT_SEED)
    (extra,) = state.to_play
    assert (extra.key, len(extra.entries)) == ("X1-1", 3)
    end = PODS.state(entries, {"rounds": 1}, [level, result(extra, [0.2, 0.9, 0.5])], LOT_SEED)
    assert [standing.entry for standing in end.standings[:3]] == [extra.entries[i] for i in (1, 2, 0)]
    assert [standing.values[-2] for standing in end.standings] == [1, 0.5, 0, None]
