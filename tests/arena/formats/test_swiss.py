"""Swiss for two seats: who meets whom, byes, and those who leave."""

import random
from collections import Counter

import pytest

from arena.formats import FORMATS, Entry, How, Leaving, SettingsError, State
from arena.formats.swiss_draw import Drawn, draw_swiss
from tests.arena.formats.events import (
    LOT_SEED,
    better_seed_wins,
    by_chance,
    check_state,
    field,
    leave,
    play_out,
)
from tests.arena.formats.swisses import check_draws, fewest_rematches, fuzzed, largest_matching

SWISS = FORMATS["swiss"]


@pytest.mark.parametrize("block", range(8))
def test_fuzzed_events_have_no_avoidable_rematch_and_no_second_bye(block: int) -> None:
    for seed in range(25 * block, 25 * block + 25):
        fuzzed(seed)


@pytest.mark.parametrize("n", range(3, 13))
def test_events_of_as_many_rounds_as_possible_repeat_only_what_they_must(n: int) -> None:
    rng = random.Random(n)
    for _ in range(4):
        state, entries, _ = play_out(
            SWISS, field(n), {"rounds": n - 1 + n % 2, "decided_places": 0}, by_chance(rng), check=check_state
        )
        assert len(state.rounds) == n - 1 + n % 2
        check_draws(state, entries, rng)


def test_the_oracle_counts_as_one_does_by_hand() -> None:
    rng = random.Random(1)
    triangle = {frozenset(pair) for pair in [(1, 2), (2, 3), (1, 3)]}
    assert largest_matching([1, 2, 3, 4], triangle, rng) == 1
    assert largest_matching([1, 2, 3, 4], triangle | {frozenset((3, 4))}, rng) == 2
    star = {frozenset((1, other)) for other in (2, 3, 4)}
    # Everybody has met 1, nobody else has met: 1 must meet somebody again.
    assert fewest_rematches([1, 2, 3, 4], star, Counter(), rng) == 1


def seeds_of(state: State, entries: list[Entry], number: int) -> list[tuple[int, ...]]:
    seed = {entry.id: entry.seed for entry in entries}
    return [tuple(seed[who] for who in pairing.entries) for pairing in state.rounds[number - 1].pairings]


def test_the_first_round_pairs_the_upper_half_with_the_lower() -> None:
    entries = field(8)
    assert seeds_of(SWISS.state(entries, {}), entries, 1) == [(1, 5), (2, 6), (3, 7), (4, 8)]


def test_equals_meet_in_the_second_round() -> None:
    entries = field(8)
    state, _, _ = play_out(SWISS, entries, {"rounds": 3}, better_seed_wins(entries))
    assert seeds_of(state, entries, 2) == [(1, 3), (2, 4), (5, 7), (6, 8)]
    assert seeds_of(state, entries, 3)[0] == (1, 2)


def test_the_bye_goes_to_the_last_and_then_to_the_lowest_without_one() -> None:
    entries = field(7)
    state, _, _ = play_out(SWISS, entries, {"rounds": 4}, better_seed_wins(entries))
    seed = {entry.id: entry.seed for entry in entries}
    assert [seed[who] for round in state.rounds for who in round.byes] == [7, 6, 5, 4]
    assert "fewest points" in state.rounds[1].notes[0].text


@pytest.mark.parametrize(("bye", "points"), [("win", 1), ("half", 0.5), ("nothing", 0)])
def test_a_bye_is_worth_what_the_organiser_chose(bye: str, points: float) -> None:
    entries = field(3)
    state = SWISS.state(entries, {"bye": bye})
    assert state.standings[[s.entry for s in state.standings].index(entries[2].id)].values[0] == points
    assert all(entries[2].id not in match.entries for match in state.to_play)


def drawn(*points: int) -> list[Drawn]:
    return [Drawn(number, number, points=halves) for number, halves in enumerate(points, 1)]


def met(field: list[Drawn], *pairs: tuple[int, int]) -> list[Drawn]:
    for one, two in pairs:
        field[one - 1].met[two] += 1
        field[two - 1].met[one] += 1
    return field


def test_a_rematch_is_worse_than_any_difference_of_points() -> None:
    assert draw_swiss(met(drawn(9, 9, 0, 0), (1, 2))).pairs == (
        (1, 3),
        (2, 4),
    )


def test_one_rematch_is_better_than_two_even_if_it_is_a_third_meeting() -> None:
    pairs = [(1, 2), (3, 4), (2, 4), (2, 4), (1, 4), (2, 3)]
    assert draw_swiss(met(drawn(9, 9, 0, 0), *pairs)).pairs == (
        (1, 3),
        (2, 4),
    )


def test_of_as_many_rematches_those_that_were_played_less_often_are_drawn() -> None:
    pairs = [(1, 2), (1, 2), (3, 4), (1, 3), (2, 4), (1, 4), (1, 4), (2, 3)]
    assert draw_swiss(met(drawn(9, 9, 0, 0), *pairs)).pairs == (
        (1, 3),
        (2, 4),
    )


def test_differences_of_points_are_small_rather_than_few() -> None:
    # 3 points and 1 point are left over either way; two differences of one are less than one of two.
    assert draw_swiss(drawn(4, 2, 2, 0)).pairs == (
        (1, 2),
        (3, 4),
    )


def test_nobody_floats_the_same_way_twice_in_a_row_without_need() -> None:
    field = drawn(4, 4, 4, 2, 2, 2)
    assert draw_swiss(field).pairs == (
        (1, 2),
        (3, 4),
        (5, 6),
    )
    field[2].floated = 1
    assert {1, 2} & {one for one, two in draw_swiss(field).pairs if two == 4}


def test_no_second_bye_while_one_without_is_left_whatever_it_costs() -> None:
    field = met(drawn(9, 0, 0), (2, 3))
    field[1].byes = field[2].byes = 1
    draw = draw_swiss(field)
    assert (draw.bye, draw.pairs) == (1, ((2, 3),))


def test_a_forfeit_win_counts_a_little_against_a_bye() -> None:
    field = drawn(2, 2, 2)
    field[2].forfeit_wins = 1
    assert draw_swiss(field).bye == 2


def test_who_leaves_forfeits_the_round_that_is_drawn_and_is_not_drawn_again() -> None:
    entries = field(6)
    state = SWISS.state(entries, {})
    gone = leave(entries, entries[0].id, state.stage)
    after, now, _ = play_out(SWISS, gone, {}, better_seed_wins(entries), check=check_state)
    first = next(pairing for pairing in after.rounds[0].pairings if entries[0].id in pairing.entries)
    assert (first.how, first.winner) == (How.FORFEIT, entries[3].id)
    assert all(
        entries[0].id not in pairing.entries for round in after.rounds[1:] for pairing in round.pairings
    )
    assert after.standings[-1].entry == entries[0].id
    check_draws(after, now, random.Random(1))


def test_a_withdrawal_changes_no_draw_and_no_result_before_it() -> None:
    rng = random.Random(3)
    entries = field(9)
    _, _, results = play_out(SWISS, entries, {"rounds": 4}, by_chance(rng))
    first = [found for found in results if found.match.startswith(("1-", "2-"))]
    before = SWISS.state(entries, {"rounds": 4}, first, LOT_SEED)
    after = SWISS.state(leave(entries, entries[4].id, 2), {"rounds": 4}, first, LOT_SEED)
    assert after.rounds[:2] == before.rounds[:2]
    assert len(after.rounds[2].byes) == 0
    later = SWISS.state(leave(entries, entries[4].id, 3), {"rounds": 4}, first, LOT_SEED)
    assert [r.pairings[0].entries for r in later.rounds] == [r.pairings[0].entries for r in before.rounds]


def test_of_two_who_leave_one_after_the_other_the_later_one_keeps_its_forfeit_win() -> None:
    entries = field(4)
    state = SWISS.state(entries, {})
    one, two = state.rounds[0].pairings[0].entries
    other = better_seed_wins(entries)(state.to_play[1])
    then = leave(entries, one, 1, moment=1)
    second = SWISS.state(then, {}, [other], LOT_SEED)
    assert (second.stage, second.rounds[0].pairings[0].winner) == (2, two)
    third = SWISS.state(leave(then, two, 2, moment=2), {}, [other], LOT_SEED)
    assert third.rounds[0].pairings[0].winner == two
    assert third.rounds[1].pairings[0].entries == second.rounds[1].pairings[0].entries
    both = SWISS.state(leave(then, two, 1, moment=1), {}, [other], LOT_SEED)
    assert both.rounds[0].pairings[0].how is How.DOUBLE_FORFEIT


def test_an_event_that_nearly_all_have_left_ends_early() -> None:
    entries = field(5)
    for entry in entries[1:]:
        entries = leave(entries, entry.id, 0)
    state = SWISS.state(entries, {})
    assert state.is_finished
    assert state.winner == entries[0].id
    assert state.notes[0].code == "too_few"


def test_who_is_disqualified_stands_last_whatever_its_points() -> None:
    entries = field(6)
    _, _, results = play_out(SWISS, entries, {}, better_seed_wins(entries))
    state = SWISS.state(leave(entries, entries[0].id, 4, Leaving.DISQUALIFIED), {}, results, LOT_SEED)
    assert state.standings[-1].entry == entries[0].id
    assert state.standings[-1].status == "disqualified"
    assert state.winner == entries[1].id


def test_more_rounds_than_opponents_are_refused() -> None:
    with pytest.raises(SettingsError) as refused:
        SWISS.checked({"rounds": 6}, 6)
    assert refused.value.problems == {
        "rounds": "Rounds: 6 entries can play at most 5 rounds without meeting again, not 6."
    }
    assert SWISS.checked({"rounds": 5}, 5)["rounds"] == 5
