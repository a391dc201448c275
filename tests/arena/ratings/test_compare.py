"""Chances and ranks from ratings and their errors."""

import numpy as np
import pytest

from arena.ratings.bradley_terry import fit
from arena.ratings.compare import SURE_ERRORS, chance_better, placed, rank_ranges
from arena.ratings.sums import Sums
from tests.arena.ratings.results import field, one_game_each


def test_the_chance_follows_the_difference_in_errors() -> None:
    assert chance_better(1500, 10, 1500, 30) == 0.5
    # 1.96 errors of the difference: half of 5 % is left on the other side.
    assert chance_better(1500 + 1.959964 * 50, 30, 1500, 40) == pytest.approx(0.975, abs=1e-6)
    assert chance_better(1400, 30, 1500, 40) == pytest.approx(1 - chance_better(1500, 40, 1400, 30))


def test_ratings_without_error_are_sure() -> None:
    assert [chance_better(elo, 0, 1500, 0) for elo in (1499, 1500, 1501)] == [0, 0.5, 1]


def test_the_chance_agrees_with_the_whole_covariance_of_a_fit() -> None:
    """Errors of two add in squares to that of their difference: within some per cent, in a field that is mixed."""
    for n in (3, 10, 40):
        rng = np.random.default_rng(n)
        fitted = fit(Sums(n, one_game_each(rng, field(rng, n), 200 * n)))
        half = fitted.model_covariance @ fitted.half_meat @ fitted.model_covariance
        whole = half + half.T
        alone = fitted.sandwich_errors**2 * n / (n - 1)
        exact = np.diag(whole)[:, None] + np.diag(whole)[None, :] - 2 * whole
        summed = alone[:, None] + alone[None, :]
        apart = ~np.eye(n, dtype=bool)
        assert np.sqrt(summed[apart] / exact[apart]) == pytest.approx(1, abs=0.1)


def ranks(*figures: tuple[float, float]) -> list[tuple[int, int]]:
    return rank_ranges(figures)


def test_ranks_are_ranges_while_nobody_is_surely_better_or_worse() -> None:
    assert ranks((1500, 20), (1500, 20), (1500, 20)) == [(1, 3)] * 3
    assert ranks((1700, 20), (1500, 20), (1300, 20)) == [(1, 1), (2, 2), (3, 3)]
    assert ranks((1700, 20), (1690, 20), (1300, 20)) == [(1, 2), (1, 2), (3, 3)]
    assert ranks() == []


def test_an_exact_rating_is_before_and_behind_those_that_surely_are() -> None:
    assert ranks((1500, 0), (1500, 0), (1499, 0)) == [(1, 2), (1, 2), (3, 3)]


@pytest.mark.parametrize("widest", [0.0, 5.0, 400.0])
def test_the_ranges_of_all_ranks_are_those_of_each(widest: float) -> None:
    rng = np.random.default_rng(7)
    ratings = np.sort(np.round(rng.normal(1500, 150, 300)))[::-1]
    errors = np.round(rng.uniform(0, widest, 300))
    figures = list(zip(ratings.tolist(), errors.tolist(), strict=True))
    apart = ratings - ratings[:, None]
    spread = np.sqrt(np.maximum(errors**2 + errors[:, None] ** 2, 1e-12))
    n_above = (apart / spread >= SURE_ERRORS).sum(axis=1)
    n_below = (apart / spread <= -SURE_ERRORS).sum(axis=1)
    assert rank_ranges(figures) == list(zip(1 + n_above, 300 - n_below, strict=True))


def test_nobody_has_no_ranks() -> None:
    assert rank_ranges([]) == []


def test_those_that_play_are_placed_among_themselves_too() -> None:
    figures = [(1700.0, 20.0), (1690.0, 20.0), (1300.0, 20.0), (1290.0, 20.0)]
    first, second, third, fourth = placed(figures, [False, True, True, False])
    assert (first.rank_low, first.rank_high, first.place) == (1, 2, None)
    assert (second.rank_low, second.rank_high) == (1, 2)
    assert (second.place, second.place_low, second.place_high) == (1, 1, 1)
    assert (third.rank_low, third.rank_high) == (3, 4)
    assert (third.place, third.place_low, third.place_high) == (2, 2, 2)
    assert second.better_than_next == pytest.approx(chance_better(1690, 20, 1300, 20))
    assert third.better_than_next is None
    assert (fourth.place_low, fourth.better_than_next) == (None, None)
