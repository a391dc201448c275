"""Who meets whom: distinct versions, owners apart at big tables, newcomers first, nobody starved, an end to it."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.models import LadderMatch
from arena.pairing.field import (
    MOST_MATCHES,
    MOST_PLACEMENT_MATCHES,
    ONE_SIDED_MATCHES,
    PLACEMENT_MATCHES,
    SETTLED_STANDARD_ERROR,
    UNRATED_STANDARD_ERROR,
    Contender,
    Field,
    Record,
)
from arena.pairing.first import MOST_PENDING, MOST_PENDING_ALONE, Reason, firsts
from arena.pairing.opponents import openness
from arena.words import PAIRING
from tests.arena.pairing.fields import (
    contender,
    fields,
    history_of,
    newcomer,
    no_history,
    seated,
    tables,
)

KNOWN = SETTLED_STANDARD_ERROR


@given(fields, st.integers(2, 8), st.integers(0, 6), st.integers(0, 99))
def test_tables_are_of_distinct_versions_with_owners_apart(
    field: list[Contender], seats: int, n: int, seed: int
) -> None:
    by_version = {one.version: one for one in field}
    picked = tables(field, seats=seats, n=n, seed=seed)
    assert len(picked) <= n
    for table in picked:
        assert len(set(table.versions)) == seats
        assert list(table.versions) == sorted(table.versions)
        assert table.made_for in table.versions
        assert not by_version[table.made_for].is_settled
        if seats > 2:
            guests = [
                by_version[version].owner
                for version in table.versions
                if not (by_version[version].is_house or by_version[version].is_smoke_test)
            ]
            assert len(set(guests)) == len(guests)


@given(fields, st.integers(0, 99))
def test_the_order_of_the_field_does_not_matter(field: list[Contender], seed: int) -> None:
    shuffled = random.Random(seed).sample(field, len(field))
    assert tables(field, n=4, seed=seed) == tables(shuffled, n=4, seed=seed)


@given(fields, st.integers(0, 99))
def test_two_seats_are_filled_while_anybody_has_something_to_play_for(
    field: list[Contender], seed: int
) -> None:
    others = [one for one in field if not one.is_smoke_test]
    can_play = bool(list(firsts(Field(field, no_history), random.Random(seed))))
    if len(others) >= 2:
        assert bool(tables(field, seed=seed)) == can_play


def test_nothing_is_played_when_every_rating_is_known_well_enough() -> None:
    known = [contender(version, standard_error=KNOWN) for version in range(1, 5)]
    assert tables(known, n=5) == []
    (table,) = tables([*known, contender(9, standard_error=KNOWN + 0.1)])
    assert table.made_for == 9


def test_a_ladder_that_idles_wakes_for_a_newcomer_alone() -> None:
    known = [contender(version, standard_error=KNOWN) for version in range(1, 12)]
    picked = tables([*known, newcomer(99)], n=20)
    assert len(picked) == MOST_PENDING_ALONE
    assert {table.made_for for table in picked} == {99}


@pytest.mark.parametrize("limit", [ONE_SIDED_MATCHES, MOST_MATCHES])
def test_a_version_of_which_more_matches_say_nothing_is_given_no_further_ones(limit: int) -> None:
    hopeless = contender(
        1, n_rated=limit, is_one_sided=limit == ONE_SIDED_MATCHES, standard_error=UNRATED_STANDARD_ERROR
    )
    assert hopeless.is_settled
    assert tables([hopeless, contender(2, standard_error=KNOWN)], n=3) == []
    assert not contender(1, n_rated=limit - 1, is_one_sided=True, standard_error=200.0).is_settled or (
        limit == MOST_MATCHES
    )


def test_no_error_settles_a_version_that_has_hardly_played() -> None:
    assert not contender(9, n_rated=PLACEMENT_MATCHES - 1, standard_error=0.0).is_settled


def test_newcomers_get_most_matches_but_not_all() -> None:
    field = [contender(version) for version in range(1, 20)]
    reasons = Counter(tables([*field, newcomer(99, n_rated=3)], seed=seed)[0].reason for seed in range(300))
    assert 0.65 < reasons[Reason.PLACEMENT] / 300 < 0.85


def test_a_newcomer_waits_for_its_rating_before_more_is_played_blindly() -> None:
    field = [contender(version) for version in range(1, 20)]
    picked = tables([*field, newcomer(99, n_rated=3)], n=40)
    assert sum(table.made_for == 99 for table in picked) <= MOST_PENDING


@pytest.mark.parametrize("seats", [2, 4])
def test_a_newcomer_that_waits_is_left_alone_by_the_matches_of_others(seats: int) -> None:
    field = [contender(version) for version in range(1, 10)]
    waiting = newcomer(99, n_rated=3, n_pending=MOST_PENDING)
    met = [version for table in tables([*field, waiting], seats=seats, n=40) for version in table.versions]
    assert len(met) == seats * 40
    assert 99 not in met
    (alone,) = tables([contender(1, elo=1500.0), waiting])
    assert alone.versions == (1, 99)


def test_a_newcomer_meets_near_equals_that_are_well_known_and_many_of_them() -> None:
    field = [contender(version, elo=1000.0 + 20 * version) for version in range(1, 51)]
    vague = [contender(version, elo=1700.0, standard_error=90.0) for version in range(51, 61)]
    met: Counter[int] = Counter()
    for seed in range(40):
        new = newcomer(99, n_rated=12, n_opponents=4, elo=1700.0, standard_error=60.0)
        record = Record(n_matches=met.total(), met=dict(met), owners=dict(met))
        for table in tables(
            [*field, *vague, new], seed=seed, history=lambda one, r=record: r if one == 99 else Record()
        ):
            if table.made_for == 99:
                met.update(set(table.versions) - {99})
    assert len(met) >= 8
    assert all(25 <= version <= 45 for version in met), met


def test_where_all_are_new_everybody_meets_everybody() -> None:
    field = [newcomer(version) for version in range(1, 11)]
    matches: list[tuple[int, ...]] = []
    for seed in range(60):
        matches += seated(field, seed=seed, history=history_of(field, matches))
    counts = Counter(version for match in matches for version in match)
    assert max(counts.values()) <= 2 * min(counts.values())
    assert len(set(matches)) >= 30


def test_the_bot_that_plays_at_random_meets_each_newcomer_once_and_nobody_else() -> None:
    smoke = contender(1, is_house=True, is_smoke_test=True, n_rated=0, standard_error=None, elo=None)
    field = [smoke, *(contender(version) for version in range(2, 12))]
    (first,) = tables([*field, newcomer(99)], seed=3)
    assert first.versions == (1, 99)
    assert first.reason is Reason.SMOKE_TEST
    picked = tables([*field, newcomer(99, n_rated=1)], n=50)
    assert len(picked) == 50
    assert all(1 not in table.versions for table in picked)


def test_the_house_may_sit_at_a_table_with_itself() -> None:
    house = [contender(version, owner=1, is_house=True) for version in range(1, 5)]
    assert seated(house, seats=4) == [(1, 2, 3, 4)]


def test_bots_of_one_owner_are_kept_apart_at_four_seats() -> None:
    mine = [contender(version, owner=1) for version in range(1, 4)]
    others = [contender(version) for version in range(4, 6)]
    assert tables([*mine, *others], seats=4) == []
    assert tables(mine, seats=2) != []


def test_another_is_picked_where_no_table_can_be_filled_around_the_first() -> None:
    """Versions 1 to 4 have one owner and are the newest, but only 5 to 8 fill a table of five with one of them."""
    mine = [newcomer(version, owner=1) for version in range(1, 5)]
    others = [contender(version) for version in range(5, 9)]
    assert len(tables([*mine, *others], seats=5, n=3)) == 3
    assert tables(mine, seats=3) == []


def test_those_who_met_often_meet_less() -> None:
    field = [contender(version) for version in range(1, 4)]
    history = history_of(field, [(1, 2)] * 40 + [(1, 3)] * 40 + [(2, 3)] * 5)
    met = Counter(seated(field, seed=seed, history=history)[0] for seed in range(300))
    assert met[2, 3] > met[1, 2]
    assert met[2, 3] > met[1, 3]


def test_equals_meet_more_often_than_opposites() -> None:
    field = [contender(version, elo=1000.0 if version < 20 else 2000.0) for version in range(1, 40)]
    met = Counter((one < 20) == (two < 20) for seed in range(200) for one, two in seated(field, seed=seed))
    assert met[True] > 5 * met[False]


def test_the_least_certain_play_most() -> None:
    field = [contender(version) for version in range(1, 10)] + [contender(10, standard_error=29.0)]
    picked = [table for seed in range(300) for table in tables(field, seed=seed)]
    counts = Counter(version for table in picked for version in table.versions)
    assert counts[10] == max(counts.values())
    assert all(table.made_for == 10 for table in picked if table.reason is Reason.LEAST_CERTAIN)


def test_pending_matches_are_taken_into_account_before_they_are_rated() -> None:
    assert contender(1, n_rated=10, n_pending=30, standard_error=28.0).error == pytest.approx(14.0)
    field = [contender(version, standard_error=21.0) for version in range(1, 31)]
    field.append(contender(99, standard_error=22.0))
    picked = tables(field, n=30)
    assert sum(table.made_for == 99 for table in picked) < 10


def test_every_reason_of_the_mixture_occurs_as_often_as_its_weight_says() -> None:
    field = [contender(version) for version in range(1, 31)]
    reasons = Counter(tables(field, seed=seed)[0].reason for seed in range(600))
    shares = {reason: n / 600 for reason, n in reasons.items()}
    assert shares[Reason.LEAST_CERTAIN] == pytest.approx(0.45, abs=0.07)
    assert shares[Reason.FEWEST_MATCHES] == pytest.approx(0.25, abs=0.06)
    assert shares[Reason.CONTENDER] == pytest.approx(0.15, abs=0.05)
    assert shares[Reason.UNIFORM] == pytest.approx(0.15, abs=0.05)


def test_every_reason_has_words_and_fits_its_column() -> None:
    assert set(PAIRING) == set(Reason)
    column = LadderMatch._meta.get_field("reason").max_length
    assert column is not None
    assert all(len(reason) <= column for reason in Reason)


def test_history_is_asked_for_those_alone_whom_it_concerns() -> None:
    asked: Counter[int] = Counter()

    def history(version: int) -> Record:
        asked[version] += 1
        return Record()

    tables([contender(version) for version in range(1, 501)], n=10, history=history)
    assert max(asked.values()) == 1
    assert len(asked) <= 20


@pytest.mark.parametrize("difference", [0.0, 1500.0, -9000.0])
def test_no_pairing_is_quite_ruled_out(difference: float) -> None:
    assert 0 < openness(difference) <= 0.25


def test_nobody_is_a_newcomer_for_ever() -> None:
    lost = newcomer(1, n_rated=MOST_PLACEMENT_MATCHES, standard_error=200.0, elo=500.0)
    assert not lost.is_new(50)
    assert newcomer(1, n_rated=MOST_PLACEMENT_MATCHES - 1, standard_error=200.0, elo=500.0).is_new(50)
