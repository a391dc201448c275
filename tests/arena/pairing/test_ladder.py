"""Who meets whom: distinct versions, owners apart at big tables, newcomers first, nobody starved, an end to it."""

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.pairing.ladder import (
    PLACEMENT_MATCHES,
    SETTLED_STANDARD_ERROR,
    Contender,
    Meeting,
    openness,
    pick_tables,
)


def contender(version: int, **fields: object) -> Contender:
    known = {
        "owner": version,
        "is_house": False,
        "n_matches": 50,
        "max_matches": 1000,
        "elo": 1500.0,
        "standard_error": 20.0,
    }
    return Contender(version=version, **{**known, **fields})  # type: ignore[arg-type]


def tables(
    field: list[Contender], *, seats: int = 2, n: int = 1, seed: int = 1, meetings: tuple[Meeting, ...] = ()
) -> list[tuple[int, ...]]:
    return pick_tables(field, seats=seats, n_tables=n, meetings=meetings, rng=random.Random(seed))


fields = st.lists(
    st.builds(
        Contender,
        version=st.integers(1, 60),
        owner=st.integers(1, 5),
        is_house=st.booleans(),
        n_matches=st.integers(0, 60),
        max_matches=st.integers(0, 50),
        elo=st.none() | st.floats(-2000, 4000),
        standard_error=st.none() | st.floats(0, 400),
    ),
    unique_by=lambda one: one.version,
    max_size=15,
)


@given(fields, st.integers(2, 8), st.integers(0, 6), st.integers(0, 99))
def test_tables_are_of_distinct_versions_with_owners_apart(
    field: list[Contender], seats: int, n: int, seed: int
) -> None:
    by_version = {one.version: one for one in field}
    picked = tables(field, seats=seats, n=n, seed=seed)
    assert len(picked) <= n
    for table in picked:
        assert len(set(table)) == seats
        assert list(table) == sorted(table)
        assert not all(by_version[version].is_settled for version in table)
        if seats > 2:
            guests = [by_version[version].owner for version in table if not by_version[version].is_house]
            assert len(set(guests)) == len(guests)


@given(fields, st.integers(0, 99))
def test_the_order_of_the_field_does_not_matter(field: list[Contender], seed: int) -> None:
    shuffled = random.Random(seed).sample(field, len(field))
    assert tables(field, n=4, seed=seed) == tables(shuffled, n=4, seed=seed)


@given(fields.filter(lambda field: len(field) >= 2), st.integers(0, 99))
def test_two_seats_are_filled_while_anybody_is_unsettled(field: list[Contender], seed: int) -> None:
    assert bool(tables(field, seed=seed)) == any(not one.is_settled for one in field)


def test_nothing_is_played_when_every_rating_is_known_well_enough() -> None:
    known = [contender(version, standard_error=SETTLED_STANDARD_ERROR) for version in range(1, 5)]
    assert tables(known, n=5) == []
    assert tables([*known, contender(9, standard_error=SETTLED_STANDARD_ERROR + 0.1)], n=1)[0].count(9) == 1


def test_a_version_that_has_played_enough_is_given_no_match_of_its_own() -> None:
    weak = contender(1, max_matches=50, standard_error=200.0)
    known = contender(2, standard_error=1.0)
    assert tables([weak, known], n=3) == []
    assert tables([weak, known, contender(3)], n=1) != []


def test_a_newcomer_comes_first_and_no_error_settles_it_at_once() -> None:
    field = [contender(version) for version in range(1, 6)]
    newcomer = contender(9, n_matches=0, elo=None, standard_error=None)
    for seed in range(20):
        assert 9 in tables([*field, newcomer], seed=seed)[0]
    lucky = contender(9, n_matches=PLACEMENT_MATCHES - 1, standard_error=0.0)
    assert not lucky.is_settled


def test_a_newcomer_meets_many_others_during_its_placement() -> None:
    field = [contender(version, elo=1000.0 + 100 * version) for version in range(1, 9)]
    newcomer = contender(9, n_matches=0, elo=None, standard_error=None)
    picked = tables([*field, newcomer], n=PLACEMENT_MATCHES)
    opponents = {version for table in picked for version in table} - {9}
    assert len(opponents) >= 5


def test_the_house_may_sit_at_a_table_with_itself() -> None:
    house = [contender(version, owner=1, is_house=True) for version in range(1, 5)]
    assert tables(house, seats=4) == [(1, 2, 3, 4)]


def test_bots_of_one_owner_are_kept_apart_at_four_seats_and_may_meet_at_two() -> None:
    mine = [contender(version, owner=1) for version in range(1, 4)]
    others = [contender(version) for version in range(4, 6)]
    assert tables([*mine, *others], seats=4) == []
    assert tables(mine, seats=2) != []


def test_another_is_picked_where_no_table_can_be_filled_around_the_first() -> None:
    """Versions 1 to 4 have one owner and are the newest, but only 5 to 8 fill a table of five with one of them."""
    mine = [contender(version, owner=1, n_matches=0) for version in range(1, 5)]
    others = [contender(version) for version in range(5, 9)]
    assert len(tables([*mine, *others], seats=5, n=3)) == 3
    assert tables(mine, seats=3) == []


def test_matches_are_shared_out_evenly_among_equals() -> None:
    field = [contender(version, n_matches=0) for version in range(1, 11)]
    counts = Counter(version for table in tables(field, n=100) for version in table)
    assert min(counts.values()) >= 12


def test_those_who_met_often_meet_less() -> None:
    field = [contender(version) for version in range(1, 4)]
    often = tuple([(1, 2)] * 40)
    met = Counter(tables(field, seed=seed, meetings=often)[0] for seed in range(300))
    assert met[1, 2] < met[1, 3] / 2
    assert met[1, 2] < met[2, 3] / 2


def test_equals_meet_more_often_than_opposites() -> None:
    field = [contender(1, elo=1000.0), contender(2, elo=2000.0), contender(3, elo=2000.0)]
    met = Counter(tables(field, seed=seed)[0] for seed in range(300))
    assert met[2, 3] > met[1, 2] + met[1, 3]


def test_the_most_uncertain_play_most() -> None:
    field = [contender(version) for version in range(1, 10)] + [contender(10, standard_error=60.0)]
    counts = Counter(version for seed in range(300) for version in tables(field, seed=seed)[0])
    assert counts[10] == max(counts.values())


@pytest.mark.parametrize(("one", "two"), list(combinations([0.0, 1500.0, 9000.0], 2)))
def test_no_pairing_is_quite_ruled_out(one: float, two: float) -> None:
    first, second = contender(1, elo=one), contender(2, elo=two)
    assert 0 < openness(first, second, random.Random(1)) <= 0.25
