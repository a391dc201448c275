"""Single and double elimination: every pattern of withdrawals in small fields, random ones in large."""

import random
from dataclasses import replace
from itertools import product

import pytest

from arena.formats import FORMATS, How, Leaving, Result, State, Status
from arena.formats.elimination import double_bracket, single_bracket
from arena.formats.seeding import bracket_order
from arena.formats.state import SourceKind
from tests.arena.formats.events import (
    LOT_SEED,
    better_seed_wins,
    by_chance,
    field,
    leave,
    play_out,
    result,
)
from tests.arena.formats.knockouts import check_bracket, play_with, subsets

SINGLE, DOUBLE = FORMATS["single-elimination"], FORMATS["double-elimination"]
NAMES = ["single-elimination", "double-elimination"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", range(2, 9))
def test_every_set_of_withdrawals_at_once_in_small_fields(name: str, n: int) -> None:
    rng = random.Random(f"{name}{n}")
    moments = (0, 1, 2) if name == "single-elimination" else (0, 1, 3, 5)
    for number, going in enumerate(subsets(n)):
        # In the larger fields each set leaves at one of the moments in turn, in the smaller ones at each of them.
        for moment in moments if n <= 5 else (moments[number % len(moments)],):
            play_with(name, n, dict.fromkeys(going, moment), rng, {})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", range(2, 5))
def test_every_pattern_of_withdrawals_one_after_the_other_in_the_smallest_fields(name: str, n: int) -> None:
    rng = random.Random(f"{n}{name}")
    moments = (0, 1, 99) if name == "single-elimination" else (0, 1, 3, 99)
    for pattern in product(moments, repeat=n):
        play_with(name, n, dict(enumerate(pattern, 1)), rng, {})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(100))
def test_random_patterns_of_withdrawals_in_large_fields(name: str, seed: int) -> None:
    rng = random.Random(f"{name}{seed}")
    n = rng.randint(9, 128 if seed % 10 == 0 else 40)
    going = rng.sample(range(1, n + 1), rng.randint(0, n // rng.choice([1, 2, 4, 8])))
    settings = (
        {"third_place": rng.random() < 0.5} if name == "single-elimination" else {"reset": rng.random() < 0.8}
    )
    play_with(name, n, {who: rng.randint(0, 10) for who in going}, rng, settings)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 11, 16, 23, 64, 128])
def test_with_the_better_seed_winning_places_follow_the_seeds(n: int) -> None:
    entries = field(n)
    seeds = {entry.id: entry.seed for entry in entries}
    for format in (SINGLE, DOUBLE):
        state, _, _ = play_out(format, entries, {}, better_seed_wins(entries), check=check_bracket)
        for standing in state.standings:
            assert standing.place <= seeds[standing.entry] <= standing.place_to
        assert state.winner == entries[0].id


@pytest.mark.parametrize("n", range(2, 129))
def test_a_bracket_has_as_many_pairings_as_losses(n: int) -> None:
    byes = 2 ** max(1, (n - 1).bit_length()) - n
    assert len(single_bracket(n, third_place=False)) - byes == n - 1
    double = double_bracket(n, reset=True)
    assert len(double) - byes == 2 * n - 1
    # Without the byes of the first round every pairing has two that come from somewhere.
    assert all(
        source.kind is not SourceKind.NOBODY
        for node in double
        if not node.key.startswith("W1-")
        for source in node.sources
    )
    sources = [(source.kind, source.of, source.number) for node in double for source in node.sources]
    known = [source for source in sources if source[0] is not SourceKind.NOBODY]
    assert len(known) == len(set(known)), "nobody comes to two pairings"


def test_seeds_stand_in_the_known_order() -> None:
    assert bracket_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert bracket_order(16)[:8] == [1, 16, 8, 9, 4, 13, 5, 12]


@pytest.mark.parametrize("n", [8, 16, 32])
def test_who_met_in_the_first_bracket_meets_again_late(n: int) -> None:
    """In a full double elimination nobody meets again in the first half of the second bracket."""
    rng = random.Random(n)
    for _ in range(20):
        state, _, _ = play_out(DOUBLE, field(n), {}, by_chance(rng, level=0))
        met = [frozenset(pairing.entries) for pairing in state.parts[0].rounds[0].pairings]
        met += [
            frozenset(pairing.entries) for round in state.parts[0].rounds[1:] for pairing in round.pairings
        ]
        second = state.parts[1].rounds
        for round in second[: len(second) // 2]:
            for pairing in round.pairings:
                assert frozenset(pairing.entries) not in met


def test_the_grand_final_is_played_twice_if_the_unbeaten_one_loses_it() -> None:
    entries = field(4)
    state, _, results = play_out(DOUBLE, entries, {}, better_seed_wins(entries))
    last = state.parts[-1]
    assert [pairing.how for round in last.rounds for pairing in round.pairings] == [How.GAMES, How.NOT_NEEDED]
    final = next(found for found in results if found.match == "F1-1")
    turned = [found for found in results if found is not final]
    upset = replace(final, pairs=(final.games - final.pairs[0],))
    state = DOUBLE.state(entries, {}, [*turned, upset], LOT_SEED)
    (match,) = state.to_play
    assert (match.key, match.deals) == ("F2-1", 100)
    assert not state.is_finished
    again = result(match, [0.4, 0.6])
    state = DOUBLE.state(entries, {}, [*turned, upset, again], LOT_SEED)
    assert state.winner == match.entries[1]
    state = DOUBLE.state(entries, {"reset": False}, [*turned, upset], LOT_SEED)
    assert state.winner == final.entries[1]


def test_a_third_place_is_played_for_by_the_losers_of_the_semi_finals() -> None:
    entries = field(8)
    state, _, _ = play_out(
        SINGLE, entries, {"third_place": True}, better_seed_wins(entries), check=check_bracket
    )
    assert [(s.place, s.place_to) for s in state.standings[:5]] == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 8)]
    shared, _, _ = play_out(SINGLE, entries, {}, better_seed_wins(entries))
    assert [(s.place, s.place_to) for s in shared.standings[:4]] == [(1, 1), (2, 2), (3, 4), (3, 4)]


def test_who_leaves_before_its_match_is_beaten_by_forfeit_and_nobody_plays() -> None:
    entries = leave(field(4), field(4)[3].id, 1)
    state = SINGLE.state(entries, {})
    first = state.rounds[0].pairings[0]
    assert (first.how, first.winner, first.loser) == (How.FORFEIT, entries[0].id, entries[3].id)
    assert [match.key for match in state.to_play] == ["M1-2"]
    assert "has withdrawn" in first.notes[0].text


def test_a_result_that_came_before_the_withdrawal_stands() -> None:
    entries = field(4)
    state = SINGLE.state(entries, {})
    upset = result(state.to_play[0], [0.2, 0.8])
    after = SINGLE.state(leave(entries, entries[3].id, 1), {}, [upset])
    first = after.rounds[0].pairings[0]
    assert (first.how, first.winner) == (How.GAMES, entries[3].id)
    other = result(state.to_play[1], [0.2, 0.8])
    end = SINGLE.state(leave(entries, entries[3].id, 1), {}, [upset, other])
    assert end.is_finished
    assert end.winner == entries[2].id


def test_when_both_have_left_nobody_goes_on_and_the_next_one_walks_over() -> None:
    entries = leave(leave(field(4), field(4)[0].id, 1), field(4)[3].id, 1)
    state = SINGLE.state(entries, {})
    assert (state.rounds[0].pairings[0].how, state.rounds[0].pairings[0].winner) == (How.DOUBLE_FORFEIT, None)
    end = SINGLE.state(entries, {}, [result(state.to_play[0], [0.7, 0.3])])
    final = end.rounds[1].pairings[0]
    assert (final.how, end.winner) == (How.WALK_OVER, entries[1].id)


def test_of_two_who_left_one_after_the_other_the_later_one_goes_on_but_wins_no_final() -> None:
    entries = leave(field(4), field(4)[0].id, 1, moment=1)
    entries = leave(entries, field(4)[3].id, 1, moment=2)
    state = SINGLE.state(entries, {})
    first = state.rounds[0].pairings[0]
    assert (first.how, first.winner) == (How.FORFEIT, entries[3].id)
    end = SINGLE.state(entries, {}, [result(state.to_play[0], [0.7, 0.3])])
    assert (end.rounds[1].pairings[0].how, end.winner) == (How.FORFEIT, entries[1].id)
    two = leave(leave(field(2), field(2)[0].id, 1, moment=1), field(2)[1].id, 1, moment=2)
    final = SINGLE.state(two, {})
    assert (final.pairings[0].how, final.winner) == (How.DOUBLE_FORFEIT, None)


def test_nobody_wins_an_event_that_everybody_has_left() -> None:
    entries = field(5)
    for entry in field(5):
        entries = leave(entries, entry.id, 1)
    for format in (SINGLE, DOUBLE):
        state = format.state(entries, {})
        assert state.is_finished
        assert state.winner is None
        assert state.notes[-1].code == "no_winner"


def test_a_disqualified_winner_makes_the_loser_of_the_final_the_winner() -> None:
    entries = field(4)
    _, _, results = play_out(SINGLE, entries, {}, better_seed_wins(entries))
    state = SINGLE.state(leave(entries, entries[0].id, 1, Leaving.DISQUALIFIED), {}, results)
    assert state.winner == entries[1].id
    assert state.standings[-1].entry == entries[0].id


def knocked(shares: list[float], faults: list[tuple[int, int]] | None = None, **settings: int) -> State:
    """The final of two in which the matches came out with these shares for the first seed."""
    entries = field(2)
    results: list[Result] = []
    while True:
        state = SINGLE.state(entries, settings, results, LOT_SEED)
        if state.is_finished or len(results) == len(shares):
            return state
        number = len(results)
        assert all(match.extra == number for match in state.to_play)
        share = shares[number]
        results.append(
            result(state.to_play[0], [share, 1 - share], faults=faults[number] if faults else None)
        )


def test_a_level_pairing_plays_extra_deals_until_it_is_decided() -> None:
    state = knocked([0.5, 0.5], extra_deals=3)
    (match,) = state.to_play
    assert (match.key, match.deals, match.extra) == ("M1-1+2", 3, 2)
    end = knocked([0.5, 0.5, 0.6], extra_deals=5)
    final = end.pairings[0]
    assert (final.how, final.winner) == (How.EXTRA, end.pairings[0].slots[0].entry)
    assert final.played == ("M1-1", "M1-1+1", "M1-1+2")


def test_after_the_extra_matches_mean_points_then_faults_then_a_lot_decide() -> None:
    entries = field(2)
    one, two = (entry.id for entry in entries)
    (match,) = SINGLE.state(entries, {"extra_matches": 0}).to_play
    level = result(match, [0.5, 0.5])

    def decided(
        totals: tuple[int, int], clean: tuple[int, int], faults: tuple[int, int]
    ) -> tuple[How | None, int | None]:
        found = Result(level.match, level.entries, level.games, level.pairs, totals, clean, faults)
        final = SINGLE.state(entries, {"extra_matches": 0}, [found], LOT_SEED).pairings[0]
        return final.how, final.winner

    games = level.games
    assert decided((5000, 4999), (games, games), (0, 0)) == (How.MEAN_POINTS, two)
    assert decided((4000, 4020), (games - 1, games), (1, 0)) == (How.MEAN_POINTS, two)
    assert decided((0, 0), (games - 1, games), (1, 0)) == (How.FAULTS, two)
    how, winner = decided((5000, 5000), (games, games), (0, 0))
    assert how is How.LOT
    assert winner in (one, two)


def test_a_match_in_which_neither_has_a_game_without_fault_is_a_double_forfeit() -> None:
    entries = field(2)
    (match,) = SINGLE.state(entries, {}).to_play
    games = match.deals * 2
    # The referee ends a match of two seats after the third fault of either.
    for n_faults in (games, 3):
        both = Result(match.key, match.entries, games, (games / 2,), (0, 0), (0, 0), (n_faults, n_faults))
        final = SINGLE.state(entries, {}, [both]).pairings[0]
        assert (final.how, final.winner) == (How.DOUBLE_FORFEIT, entries[0].id)


def test_the_organiser_may_decide_that_one_or_both_forfeit() -> None:
    entries = field(4)
    match = SINGLE.state(entries, {}).to_play[0]
    one, two = match.entries
    lost = (
        SINGLE.state(entries, {}, [Result.forfeited(match.key, match.entries, [one])]).rounds[0].pairings[0]
    )
    assert (lost.how, lost.winner, lost.played) == (How.FORFEIT, two, ())
    both = SINGLE.state(entries, {}, [Result.forfeited(match.key, match.entries, [one, two])])
    assert (both.rounds[0].pairings[0].how, both.rounds[0].pairings[0].winner) == (How.DOUBLE_FORFEIT, one)


def test_a_pairing_waits_until_it_is_known_who_comes() -> None:
    state = SINGLE.state(field(4), {})
    final = state.rounds[1].pairings[0]
    assert final.status is Status.WAITING
    assert [slot.source.of for slot in final.slots] == ["M1-1", "M1-2"]
    assert state.rounds[0].pairings[0].winner_to == "M2-1"
