"""The sequential test against figures of other programs, the exact ratio, and simulated trials."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from arena.ratings.sequential import SequentialTest, Verdict
from matches.differences import NELO_PER_SIGMA, difference
from tests.arena.ratings.exact_ratio import exact_llr

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "sequential-test.json").read_text())
NORMALISED = [vector for vector in VECTORS["llr"] if vector["model"] == "normalized"]


@pytest.mark.parametrize("vector", NORMALISED, ids=lambda vector: str(vector["counts"]))
def test_the_ratio_matches_the_vectors(vector: dict) -> None:
    test = SequentialTest(vector["elo0"], vector["elo1"])
    assert test.llr(vector["counts"]) == pytest.approx(vector["closed"], abs=1e-9)
    assert test.llr(vector["counts"]) == pytest.approx(vector["exact"], abs=0.0101)


@pytest.mark.parametrize("vector", VECTORS["llr"], ids=lambda v: f"{v['model']} {v['counts']}")
def test_the_exact_ratio_matches_the_vectors(vector: dict) -> None:
    exact = exact_llr(vector["counts"], vector["elo0"], vector["elo1"], vector["model"])
    assert exact == pytest.approx(vector["exact"], abs=1e-4)
    assert exact == pytest.approx(vector.get("published", exact), abs=0.01)


@pytest.mark.parametrize("vector", VECTORS["difference"], ids=lambda vector: str(vector["counts"]))
def test_the_difference_matches_the_vectors(vector: dict) -> None:
    found = difference(vector["counts"])
    assert found is not None
    assert found.score == pytest.approx(vector["score"], abs=1e-12)
    assert found.elo == pytest.approx(vector["elo"], abs=1e-9)
    assert found.nelo == pytest.approx(vector["nelo"], abs=1e-9)
    assert found.elo_half_width == pytest.approx(vector["elo_half_width"], abs=0.006)
    assert found.nelo_half_width == pytest.approx(vector["nelo_half_width"], abs=0.006)


@pytest.mark.parametrize(
    ("alpha", "beta", "lower", "upper"),
    [(0.05, 0.05, -2.944438979166, 2.944438979166), (0.05, 0.10, -2.251291799, 2.890371758)],
)
def test_the_bounds_are_walds(alpha: float, beta: float, lower: float, upper: float) -> None:
    test = SequentialTest(alpha=alpha, beta=beta)
    assert (test.lower, test.upper) == pytest.approx((lower, upper), abs=1e-9)


def test_the_closed_form_is_near_the_exact_one_for_a_short_trial() -> None:
    counts = [9, 2, 55, 3, 59]
    assert SequentialTest().llr(counts) == pytest.approx(exact_llr(counts, 0, 10, "normalized"), abs=0.01)


def test_nothing_played_says_nothing() -> None:
    test = SequentialTest()
    assert test.llr([0] * 5) == 0
    assert test.verdict([0] * 5) is None
    assert 0 < test.games_left([0] * 5) < 2 * test.max_pairs
    assert difference([0] * 5) is None


def test_winning_more_never_counts_for_less() -> None:
    """The closed form alone falls for ever better scores, and would let a clean sweep go on and on."""
    test = SequentialTest()
    ratios = [test.llr([100 - wins, 0, 0, 0, wins]) for wins in range(101)]
    assert ratios == sorted(ratios)
    assert test.verdict([0, 0, 0, 0, 120]) is Verdict.BETTER
    assert test.verdict([120, 0, 0, 0, 0]) is Verdict.NOT_BETTER


def test_twins_that_mirror_each_other_are_not_better() -> None:
    test = SequentialTest()
    assert test.verdict([0, 0, 3000, 0, 0]) is None
    assert test.verdict([0, 0, 4000, 0, 0]) is Verdict.NOT_BETTER


def test_a_trial_ends_undecided_at_its_limit() -> None:
    test = SequentialTest(max_pairs=50)
    assert test.verdict([10, 0, 29, 0, 10]) is None
    assert test.verdict([10, 0, 30, 0, 10]) is Verdict.UNDECIDED
    assert test.games_left([10, 0, 30, 0, 10]) == 0


def test_a_sweep_has_a_finite_difference() -> None:
    up, down = difference([0, 0, 0, 0, 30]), difference([30, 0, 0, 0, 0])
    assert up is not None
    assert down is not None
    assert up.score == 1
    assert 300 < up.elo < 1000
    assert 100 < up.elo_half_width < 500
    assert down.elo == pytest.approx(-up.elo)


def test_the_games_left_are_those_that_trials_take() -> None:
    """From no knowledge but the truth: mean lengths of simulated trials, ten per cent either way for overshoot."""
    test, rng = SequentialTest(0, 40), np.random.default_rng(7)
    scores = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    for nelo in (-20, 20, 60):
        signal = nelo / NELO_PER_SIGMA
        chances = tilted(np.array([0.2, 0.02, 0.56, 0.02, 0.2]), scores, signal)
        lengths = [trial_length(test, rng, chances) for _ in range(150)]
        error = np.std(lengths) / math.sqrt(len(lengths))
        expected = test.pairs_from(0.0, signal)
        assert abs(np.mean(lengths) - expected) < 4 * error + 0.1 * expected


def tilted(chances: np.ndarray, scores: np.ndarray, signal: float) -> np.ndarray:
    """These chances, bent so that (mean - ½) / σ is the signal."""
    low, high = -3.0, 3.0
    for _ in range(60):
        middle = (low + high) / 2
        bent = chances * np.exp(middle * scores)
        bent /= bent.sum()
        mean = bent @ scores
        sigma = math.sqrt(2 * (bent @ (scores - mean) ** 2))
        low, high = (middle, high) if (mean - 0.5) / sigma < signal else (low, middle)
    return bent


def trial_length(test: SequentialTest, rng: np.random.Generator, chances: np.ndarray) -> int:
    outcomes = rng.choice(5, size=test.max_pairs, p=chances)
    counts = [0] * 5
    for length, outcome in enumerate(outcomes, 1):
        counts[outcome] += 1
        if test.verdict(counts) is not None:
            return length
    raise AssertionError("the trial did not end")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"nelo0": 10.0}, "nelo0"),
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": 0.6, "beta": 0.5}, "alpha"),
        ({"max_pairs": 0}, "max_pairs"),
    ],
)
def test_bounds_that_make_no_sense_are_refused(changes: dict, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        SequentialTest(**changes)


@pytest.mark.parametrize("counts", [[1, 2], [1, 2, 3, 4, -1]])
def test_counts_that_are_none_are_refused(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="Counts are five"):
        SequentialTest().llr(counts)
