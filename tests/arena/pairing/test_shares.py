"""No owner but the house has more than a tenth of anybody's matches, once the field allows."""

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.pairing.field import Contender, Field, Record
from arena.pairing.first import Reason
from arena.pairing.opponents import fill_table, may_join
from arena.pairing.shares import excess, most_matches, table_excess
from tests.arena.pairing.fields import contender, history_of, no_history, seated


def played_ladder(field: list[Contender], *, seats: int, n: int, seed: int) -> list[tuple[int, ...]]:
    """So many matches, made one after the other; their ratings do not change."""
    matches: list[tuple[int, ...]] = []
    for number in range(n):
        counts = Counter(version for match in matches for version in match)
        now = [replace(one, n_rated=counts[one.version]) for one in field]
        matches += seated(now, seats=seats, seed=seed * 10_000 + number, history=history_of(field, matches))
    return matches


def largest_shares(field: list[Contender], matches: list[tuple[int, ...]]) -> dict[int, tuple[int, int]]:
    """By version: matches with the owner that it met most, house aside, and all its matches."""
    by_version = {one.version: one for one in field}
    met: dict[int, Counter[int]] = {one.version: Counter() for one in field}
    totals = Counter(version for match in matches for version in match)
    for match in matches:
        for one, two in combinations(match, 2):
            for own, other in ((one, two), (two, one)):
                if not by_version[other].is_house:
                    met[own][by_version[other].owner] += 1
    return {version: (max(owners.values(), default=0), totals[version]) for version, owners in met.items()}


@settings(max_examples=10, deadline=None)
@given(
    n_owners=st.integers(11, 14),
    n_bots=st.integers(1, 3),
    n_house=st.integers(0, 5),
    seed=st.integers(0, 99),
)
def test_with_ten_others_no_owner_has_more_than_a_tenth_of_a_versions_matches(
    n_owners: int, n_bots: int, n_house: int, seed: int
) -> None:
    field = [
        contender(10 * owner + bot, owner=owner, elo=1300.0 + 30 * owner, standard_error=25.0)
        for owner in range(1, n_owners + 1)
        for bot in range(n_bots)
    ]
    field += [contender(1000 + house, owner=999, is_house=True) for house in range(n_house)]
    matches = played_ladder(field, seats=2, n=150, seed=seed)
    assert len(matches) == 150
    for most, total in largest_shares(field, matches).values():
        # A whole match is the least that can be played.
        assert most <= 0.1 * total + 1


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 99))
def test_with_thirty_others_that_holds_at_four_seats_too(seed: int) -> None:
    field = [contender(version) for version in range(1, 41)]
    matches = played_ladder(field, seats=4, n=120, seed=seed)
    for most, total in largest_shares(field, matches).values():
        assert most <= 0.1 * total + 1


def test_an_owner_who_floods_the_ladder_gets_no_more() -> None:
    flood = [contender(version, owner=1) for version in range(1, 31)]
    others = [contender(100 + number, owner=100 + number) for number in range(12)]
    victim = contender(500, standard_error=29.0)
    field = [*flood, *others, victim]
    matches = played_ladder(field, seats=2, n=200, seed=7)
    most, total = largest_shares(field, matches)[500]
    assert total >= 30
    assert most <= 0.1 * total + 1


def test_in_a_small_field_no_owner_has_more_than_an_even_share() -> None:
    field = [contender(version) for version in range(1, 5)]
    for most, total in largest_shares(field, played_ladder(field, seats=2, n=90, seed=1)).values():
        assert most <= total / 3 + 2


def test_own_bots_count_as_one_owner_and_the_house_as_nobody() -> None:
    mine = [contender(version, owner=1) for version in (1, 2)]
    others = [contender(version) for version in range(3, 13)]
    house = contender(99, owner=77, is_house=True)
    field = Field([*mine, *others, house], lambda version: Record(20, {2: 2, 99: 18}, {1: 2}))
    assert most_matches(mine[0], field, 2) == 3
    assert excess(mine[0], mine[1], field, 2) == 0
    full = Field([*mine, *others, house], lambda version: Record(20, {2: 3, 99: 17}, {1: 3}))
    assert excess(mine[0], mine[1], full, 2) == 1
    assert excess(mine[0], house, full, 2) == 0


def test_a_pair_is_played_at_all_where_there_is_nobody_else() -> None:
    field = [contender(1), contender(2)]
    assert seated(field, n=5) == [(1, 2)] * 5


@given(
    n_owners=st.integers(2, 12),
    n_house=st.integers(0, 2),
    played=st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), max_size=60),
    seed=st.integers(0, 99),
)
def test_a_share_is_exceeded_only_where_everybody_would_exceed_it(
    n_owners: int, n_house: int, played: list[tuple[int, int]], seed: int
) -> None:
    field = [contender(version) for version in range(1, n_owners + 1)]
    field += [contender(100 + house, is_house=True) for house in range(n_house)]
    matches = [(one, two) for one, two in played if one != two and max(one, two) <= n_owners]
    state = Field(field, history_of(field, matches))
    first = state.contenders[1]
    versions = fill_table(first, Reason.UNIFORM, state, 2, random.Random(seed))
    able = [one for one in field if may_join(one, [first], 2)]
    within = {one.version for one in able if not table_excess(one, [first], state, 2)}
    if versions is None:
        assert not within
    else:
        assert set(versions) - {1} <= within


def test_the_bound_is_whole_matches_and_not_a_float_below() -> None:
    field = Field([contender(version) for version in range(1, 30)], no_history)
    one = field.contenders[1]
    for n, most in ((0, 1), (9, 1), (10, 2), (29, 3), (69, 7), (70, 8)):
        assert most_matches(one, Field(field.contenders.values(), lambda _, n=n: Record(n)), 2) == most
