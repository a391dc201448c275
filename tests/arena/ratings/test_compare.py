"""Chances and ranks from ratings and their errors."""

import numpy as np
import pytest

from arena.ratings.bradley_terry import fit
from arena.ratings.compare import chance_better, rank_ranges, standings
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
        fitted = fit(one_game_each(rng, field(rng, n), 200 * n), n)
        whole = fitted.sandwich_covariance
        alone = fitted.sandwich_errors**2 * n / (n - 1)
        exact = np.diag(whole)[:, None] + np.diag(whole)[None, :] - 2 * whole
        summed = alone[:, None] + alone[None, :]
        apart = ~np.eye(n, dtype=bool)
        assert np.sqrt(summed[apart] / exact[apart]) == pytest.approx(1, abs=0.1)


def ranks(*figures: tuple[float, float]) -> list[tuple[int, int]]:
    return [(one.rank_low, one.rank_high) for one in standings(figures, range(len(figures)))]


def test_ranks_are_ranges_while_nobody_is_surely_better_or_worse() -> None:
    assert ranks((1500, 20), (1500, 20), (1500, 20)) == [(1, 3)] * 3
    assert ranks((1700, 20), (1500, 20), (1300, 20)) == [(1, 1), (2, 2), (3, 3)]
    assert ranks((1700, 20), (1690, 20), (1300, 20)) == [(1, 2), (1, 2), (3, 3)]
    assert ranks() == []


def test_an_exact_rating_is_before_and_behind_those_that_surely_are() -> None:
    assert ranks((1500, 0), (1500, 0), (1499, 0)) == [(1, 2), (1, 2), (3, 3)]


def test_a_part_of_the_list_is_ranked_among_all_of_it() -> None:
    figures = [(1700, 20), (1690, 20), (1300, 20), (1290, 20)]
    (third,) = standings(figures, [2])
    assert (third.rank_low, third.rank_high) == (3, 4)
    assert third.better_than_next == pytest.approx(chance_better(1300, 20, 1290, 20))
    assert standings(figures, [3])[0].better_than_next is None


@pytest.mark.parametrize("widest", [0.0, 5.0, 400.0])
def test_the_ranges_of_all_ranks_are_those_of_each(widest: float) -> None:
    rng = np.random.default_rng(7)
    ratings = np.sort(np.round(rng.normal(1500, 150, 300)))[::-1]
    errors = np.round(rng.uniform(0, widest, 300))
    figures = list(zip(ratings.tolist(), errors.tolist(), strict=True))
    found = standings(figures, range(300))
    assert rank_ranges(figures) == [(one.rank_low, one.rank_high) for one in found]


def test_nobody_has_no_ranks() -> None:
    assert rank_ranges([]) == []
