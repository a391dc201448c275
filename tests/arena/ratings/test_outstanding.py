"""Pairs that let each other win stand out, and honest ones do not."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from arena.ratings.outstanding import Survey, survey
from arena.ratings.table import Outcome

GAMES = 10


def played(
    strengths: list[float],
    *,
    seed: int,
    n_matches: int = 1500,
    n_seats: int = 2,
    thrown: dict[tuple[int, int], float] | None = None,
    share_thrown: float = 0.05,
) -> list[Outcome]:
    """Matches of versions 0, 1, … of these Elo strengths, met at random; between those of `thrown` the first wins each
    game with the chance given there, and so large a share of all matches is theirs."""
    rng = np.random.default_rng(seed)
    thrown = thrown or {}
    outcomes = []
    for match in range(n_matches):
        if thrown and rng.random() < share_thrown * len(thrown):
            versions = list(list(thrown)[rng.integers(len(thrown))])
        else:
            versions = sorted(rng.choice(len(strengths), n_seats, replace=False).tolist())
        # Each deal is played from every seat: its cards favour one and then the other.
        luck = rng.normal(0, 60, len(versions))
        pairs = []
        for (a, one), (b, other) in combinations(enumerate(versions), 2):
            gap = strengths[one] - strengths[other]
            won = 0.0
            for sign in (1, -1):
                chance = 1 / (1 + 10 ** (-(gap + sign * (luck[a] - luck[b])) / 400))
                chance = thrown.get((one, other), chance)
                won += rng.binomial(GAMES // 2, chance)
            pairs.append(won)
        n = len(versions)
        outcomes.append(
            Outcome(match, tuple(versions), GAMES, tuple(pairs), (0,) * n, (GAMES,) * n, (0,) * n, (0,) * n)
        )
    return outcomes


def surveyed(outcomes: list[Outcome], group: dict[int, int] | None = None) -> Survey:
    return survey(outcomes, group=group or {version: version for version in range(len(FIELD))})


def outstanding(found: Survey) -> set[tuple[int, int]]:
    return {(each.one, each.other) for each in found.encounters if each.stands_out}


FIELD = [float(elo) for elo in np.linspace(1200, 1800, 20)]


@pytest.mark.parametrize("n_seats", [2, 4])
def test_honest_fields_raise_hardly_an_alarm(n_seats: int) -> None:
    n_matches = 1500 if n_seats == 2 else 400
    found = [surveyed(played(FIELD, seed=seed, n_matches=n_matches, n_seats=n_seats)) for seed in range(12)]
    assert sum(bool(outstanding(one)) for one in found) <= 1
    z = np.array([each.z for one in found for each in one.encounters])
    assert len(z) > 1000
    assert abs(z.mean()) < 0.1
    assert z.std() == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_a_bot_that_lets_another_win_stands_out_alone(seed: int) -> None:
    thrown = {(9, 10): 0.05}
    found = surveyed(played(FIELD, seed=seed, thrown=thrown))
    assert outstanding(found) == {(9, 10)}
    worst = found.encounters[0]
    assert (worst.one, worst.other) == (9, 10)
    assert worst.z < -found.threshold
    assert worst.won < 0.2 < worst.expected


def test_a_pair_that_meets_often_stands_out_though_its_ratings_come_from_there() -> None:
    # A fifth of all that each of the two plays.
    found = surveyed(played(FIELD, seed=4, n_matches=2000, thrown={(9, 10): 0.05}, share_thrown=0.02))
    assert outstanding(found) == {(9, 10)}


def test_puppets_that_each_throw_a_little_stand_out_by_their_owner() -> None:
    # Owner 100 has one bot, owner 200 five puppets, everybody else one bot each.
    puppets = (5, 7, 9, 12, 14)
    thrown = {(min(10, puppet), max(10, puppet)): 0.0 if puppet < 10 else 1.0 for puppet in puppets}
    outcomes = played(FIELD, seed=5, n_matches=2500, thrown=thrown, share_thrown=0.002)
    group = {version: version for version in range(20)} | {10: 100} | dict.fromkeys(puppets, 200)
    assert outstanding(surveyed(outcomes, group)) == {(100, 200)}


def test_a_difference_that_is_sure_but_small_is_no_reason_to_look() -> None:
    # Styles may suit each other: 5 % more than the ratings say, over very many games.
    strengths = [1500.0] * 6
    found = surveyed(played(strengths, seed=6, n_matches=6000, thrown={(0, 1): 0.45}, share_thrown=0.3))
    (pair,) = [each for each in found.encounters if (each.one, each.other) == (0, 1)]
    assert abs(pair.z) > found.threshold
    assert not pair.stands_out


def test_names_and_the_order_of_matches_change_nothing() -> None:
    outcomes = played(FIELD[:6], seed=7, n_matches=200)
    one = surveyed(outcomes)
    other = surveyed(outcomes[::-1], {version: -version for version in range(6)})
    turned = {(-each.other, -each.one): -each.z for each in other.encounters}
    assert turned == pytest.approx({(each.one, each.other): each.z for each in one.encounters})


def test_fields_with_next_to_nothing_have_no_encounters() -> None:
    assert surveyed([]) == Survey((), math.inf, 1.0)
    assert surveyed(played([1500.0, 1500.0], seed=8, n_matches=4)).encounters == ()
