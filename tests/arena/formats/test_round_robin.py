"""Round robin: the published tables, and those who leave on the way."""

import random
from itertools import combinations
from pathlib import Path

import pytest

from arena.formats import FORMATS, How, Leaving, Result, State
from arena.formats.berger import berger_rounds
from tests.arena.formats.events import (
    LOT_SEED,
    better_seed_wins,
    by_chance,
    check_state,
    field,
    leave,
    play_out,
    result,
)

ROUND_ROBIN = FORMATS["round-robin"]


def published() -> dict[int, list[list[tuple[int, int]]]]:
    tables: dict[int, list[list[tuple[int, int]]]] = {}
    size = 0
    for line in (Path(__file__).parent / "berger.txt").read_text().splitlines():
        if line.isdigit():
            size = int(line)
        elif not line.startswith("#"):
            pairs = [pair.split("-") for pair in line.split()]
            tables.setdefault(size, []).append([(int(one), int(two)) for one, two in pairs])
    return tables


PUBLISHED = published()


def test_the_published_tables_are_all_there() -> None:
    assert [(n, len(rounds)) for n, rounds in PUBLISHED.items()] == [(n, n - 1) for n in range(4, 17, 2)]


@pytest.mark.parametrize("n", range(4, 17))
def test_rounds_are_those_of_the_published_berger_tables(n: int) -> None:
    assert berger_rounds(n) == PUBLISHED[n + n % 2]


@pytest.mark.parametrize("n", [*range(2, 20), 63, 64])
def test_everybody_meets_everybody_once_and_has_at_most_one_match_a_round(n: int) -> None:
    rounds = berger_rounds(n)
    met = [frozenset(pair) for drawn in rounds for pair in drawn if max(pair) <= n]
    assert sorted(map(sorted, met)) == [list(pair) for pair in combinations(range(1, n + 1), 2)]
    for drawn in rounds:
        assert len({who for pair in drawn for who in pair}) == n + n % 2


def test_the_event_follows_the_table_by_seed() -> None:
    entries = field(5)
    state = ROUND_ROBIN.state(entries, {})
    seed = {entry.id: entry.seed for entry in entries}
    drawn = [[tuple(seed[who] for who in pairing.entries) for pairing in r.pairings] for r in state.rounds]
    assert drawn == [[pair for pair in r if max(pair) <= 5] for r in PUBLISHED[6]]
    assert [[seed[who] for who in r.byes] for r in state.rounds] == [[1], [4], [2], [5], [3]]


@pytest.mark.parametrize("scoring", ["wins", "games"])
@pytest.mark.parametrize("twice", [False, True])
def test_the_better_seed_wins_everything_and_the_order_is_that_of_the_seeds(
    twice: bool, scoring: str
) -> None:
    entries = field(6)
    settings = {"twice": twice, "scoring": scoring}
    state, _, results = play_out(ROUND_ROBIN, entries, settings, better_seed_wins(entries), check=check_state)
    assert [standing.entry for standing in state.standings] == [entry.id for entry in entries]
    assert len(results) == (30 if twice else 15)
    points = [standing.values[0] for standing in state.standings]
    if scoring == "wins":
        assert points == [w * (2 if twice else 1) for w in (5, 4, 3, 2, 1, 0)]
    else:
        assert sum(points) == len(results)  # type: ignore[arg-type]


def part_played(n_results: int, n: int = 5) -> tuple[State, list[Result]]:
    """The first of the matches of the last seed are played, all other matches too."""
    entries = field(n)
    weakest = entries[-1].id
    state = ROUND_ROBIN.state(entries, {})
    play = better_seed_wins(entries)
    mine = [match for match in state.to_play if weakest in match.entries]
    kept = mine[:n_results] + [match for match in state.to_play if weakest not in match.entries]
    results = [play(match) for match in kept]
    return ROUND_ROBIN.state(leave(entries, weakest, 1), {}, results, LOT_SEED), results


def test_who_leaves_before_half_of_its_matches_is_annulled() -> None:
    state, _ = part_played(1)
    check_state(state, leave(field(5), field(5)[-1].id, 1))
    assert state.is_finished
    last = state.standings[-1]
    assert (last.entry, last.status, last.values[0]) == (field(5)[-1].id, "withdrawn", 0)
    assert [standing.values[0] for standing in state.standings] == [3, 2, 1, 0, 0]
    annulled = [pairing for pairing in state.pairings if last.entry in pairing.entries]
    assert {pairing.how for pairing in annulled} == {How.ANNULLED}
    assert len(annulled) == 4


def test_who_leaves_later_forfeits_the_rest() -> None:
    state, _ = part_played(2)
    assert state.is_finished
    assert [standing.values[0] for standing in state.standings] == [4, 3, 2, 1, 0]
    left = [pairing for pairing in state.pairings if state.standings[-1].entry in pairing.entries]
    assert sorted(str(pairing.how) for pairing in left) == ["forfeit", "forfeit", "games", "games"]


def test_who_leaves_after_everything_keeps_its_place() -> None:
    entries = field(4)
    _, _, results = play_out(ROUND_ROBIN, entries, {}, better_seed_wins(entries))
    gone = leave(entries, entries[0].id, 1)
    assert ROUND_ROBIN.state(gone, {}, results).winner == entries[0].id
    expelled = leave(entries, entries[0].id, 1, Leaving.DISQUALIFIED)
    after = ROUND_ROBIN.state(expelled, {}, results)
    assert after.winner == entries[1].id
    assert after.standings[-1].entry == entries[0].id


def test_two_who_have_left_forfeit_both() -> None:
    entries = field(4)
    _, _, results = play_out(ROUND_ROBIN, entries, {}, better_seed_wins(entries))
    one, two = entries[2].id, entries[3].id
    kept = [found for found in results if set(found.entries) != {one, two}]
    after = ROUND_ROBIN.state(leave(leave(entries, one, 1), two, 1), {}, kept)
    between = next(pairing for pairing in after.pairings if set(pairing.entries) == {one, two})
    assert (between.how, between.winner) == (How.DOUBLE_FORFEIT, None)
    assert [slot.points for slot in between.slots] == [0, 0]


@pytest.mark.parametrize("seed", range(60))
def test_random_events_with_withdrawals_end_with_a_live_winner(seed: int) -> None:
    rng = random.Random(seed)
    entries = field(rng.randint(2, 10))

    def step(state: State, now: list) -> list:  # type: ignore[type-arg]
        live = [entry.id for entry in now if entry.departure is None]
        if rng.random() < 0.2 and len(live) > 1:
            kind = rng.choice([Leaving.WITHDRAWN, Leaving.DISQUALIFIED])
            return leave(now, rng.choice(live), state.stage, kind)
        return now

    state, now, _ = play_out(
        ROUND_ROBIN,
        entries,
        {"twice": rng.random() < 0.3, "scoring": rng.choice(["wins", "games"])},
        by_chance(rng),
        step=step,
        check=check_state,
        some=lambda matches: rng.sample(matches, rng.randint(1, len(matches))),
    )
    live = {entry.id for entry in now if entry.departure is None}
    missed = {
        slot.entry
        for pairing in state.pairings
        for slot in pairing.slots
        if slot.forfeits or pairing.how is How.ANNULLED
    }
    assert state.winner is not None
    assert state.winner in live or state.winner not in missed


def test_a_tie_for_the_first_place_plays_extra_deals() -> None:
    entries = field(3)
    first = ROUND_ROBIN.state(entries, {"extra_deals": 7})
    ids = [entry.id for entry in entries]
    results = []
    for match in first.to_play:
        a, b = (ids.index(who) + 1 for who in match.entries)
        # 1 beats 2, 2 beats 3, 3 beats 1, all by as much.
        wins = (a, b) in {(1, 2), (2, 3), (3, 1)}
        results.append(result(match, [0.6, 0.4] if wins else [0.4, 0.6]))
    state = ROUND_ROBIN.state(entries, {"extra_deals": 7}, results, LOT_SEED)
    assert not state.is_finished
    assert [standing.place_to for standing in state.standings] == [3, 3, 3]
    assert [(match.deals, len(match.entries)) for match in state.to_play] == [(7, 2)] * 3
    decided = results + [
        result(match, [0.8, 0.2] if match.entries[0] == ids[1] or match.entries[1] == ids[2] else [0.2, 0.8])
        for match in state.to_play
    ]
    end = ROUND_ROBIN.state(entries, {"extra_deals": 7}, decided, LOT_SEED)
    assert end.is_finished
    assert end.standings[1].split_by == "extra_deals"
    level = results + [result(match, [0.5, 0.5]) for match in state.to_play]
    lots = ROUND_ROBIN.state(entries, {"extra_deals": 7}, level, LOT_SEED)
    assert lots.is_finished
    assert lots.standings[1].split_by == "lot"
    drawn = [standing.values[-1] for standing in lots.standings]
    assert drawn == sorted(drawn)  # type: ignore[type-var]
    assert ROUND_ROBIN.state(entries, {"decided_places": 0}, results, LOT_SEED).is_finished
