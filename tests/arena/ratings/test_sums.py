"""Sums of results by pair: matches come in any order, and leave no trace when they are taken back."""

from __future__ import annotations

import random

import numpy as np
import pytest

from arena.ratings import sums
from arena.ratings.bradley_terry import Fit, fit
from arena.ratings.sums import Sums, Tables
from tests.arena.ratings.results import field, four_at_a_table, of_two, one_game_each

N = 20


@pytest.fixture(params=[1000, 2], ids=["all pairs have a place", "only pairs who met have one"])
def _places(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "MANY_PLAYERS_TO_PLACE", request.param)


def tens(seed: int, n_matches: int = 400) -> Tables:
    """Matches of ten games between two, with ties."""
    rng = np.random.default_rng(seed)
    (met,) = one_game_each(rng, field(rng, N), n_matches)
    return Tables(met.players, met.games * 10, rng.integers(0, 21, met.scores.shape) / 2)


def fours(seed: int, n_matches: int = 100) -> Tables:
    (tables,) = four_at_a_table(random.Random(seed), np.linspace(0, 1, N).tolist(), n_matches)
    return tables


def part(tables: Tables, which: slice) -> Tables:
    return Tables(tables.players[:, which], tables.games[which], tables.scores[:, which])


def bits(found: Fit) -> list[bytes]:
    return [each.tobytes() for each in (found.strengths, found.sandwich_errors, found.model_errors)]


@pytest.mark.usefixtures("_places")
def test_the_order_of_matches_between_two_changes_no_bit_of_a_fit() -> None:
    tables = tens(1)
    whole = bits(fit(Sums(N, [tables])))
    turned = Sums(N)
    for first in range(350, -50, -50):
        turned.add([part(tables, slice(first, first + 50))])
    assert bits(fit(turned)) == whole


@pytest.mark.usefixtures("_places")
def test_matches_that_are_taken_back_leave_no_trace() -> None:
    few = part(tens(1), slice(20))
    before = Sums(N, [few])
    after = Sums(N, [few])
    after.add([tens(2)])
    after.take_back([tens(2)])
    assert bits(fit(after)) == bits(fit(before))
    assert after.n_matches == before.n_matches == 20
    assert after.pairs().low.tolist() == before.pairs().low.tolist()


@pytest.mark.usefixtures("_places")
def test_larger_tables_can_be_taken_back_too() -> None:
    before = fit(Sums(N, [tens(1), fours(3)]))
    changed = Sums(N, [tens(1), fours(3), fours(4)])
    changed.take_back([fours(4)])
    after = fit(changed)
    assert after.strengths == pytest.approx(before.strengths, abs=1e-9)
    assert after.sandwich_errors == pytest.approx(before.sandwich_errors, rel=1e-9)


@pytest.mark.usefixtures("_places")
def test_pairs_are_those_who_met_with_their_games_and_wins() -> None:
    found = Sums(4, of_two([(1, 3, 10, 7.5), (0, 1, 2, 2), (1, 3, 4, 0.5)])).pairs()
    rows = zip(*(column.tolist() for column in (found.low, found.high, found.games, found.won)), strict=True)
    assert sorted(rows) == [(0, 1, 2, 2), (1, 3, 14, 8)]


@pytest.mark.usefixtures("_places")
def test_the_meat_is_the_sum_over_matches_of_their_gradients_squares() -> None:
    tables = [tens(5, 60), fours(6, 40)]
    found = fit(Sums(N, tables))
    expected = np.zeros((N, N))
    for table in tables:
        pairs = sums.seat_pairs(len(table.players))
        for players, games, scores in zip(table.players.T, table.games, table.scores.T, strict=True):
            gradient = np.zeros(N)
            for (one, two), won in zip(pairs, scores, strict=True):
                low, high = players[one], players[two]
                chance = 1 / (1 + np.exp(found.strengths[high] - found.strengths[low]))
                gradient[low] += won - games * chance
                gradient[high] -= won - games * chance
            expected += np.outer(gradient, gradient)
    assert found.half_meat + found.half_meat.T == pytest.approx(expected * 100 / 99, abs=1e-9)
