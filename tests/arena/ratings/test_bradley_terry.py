"""The fit against closed forms and numbers that other programs reckoned."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from arena.ratings.bradley_terry import ELO_PER_NAT, Comparison, Fit, errors_of, fit

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "bradley-terry.json").read_text())
# So wide that the prior moves nothing that the vectors show.
NO_PRIOR = 1e6


def pair_matches(pairs: list[tuple[int, int, int, float]]) -> list[Comparison]:
    return [Comparison((one, two), games, (score,)) for one, two, games, score in pairs]


def centred(fitted: Fit) -> list[float]:
    return (ELO_PER_NAT * fitted.strengths).tolist()


def test_two_players_match_the_closed_form() -> None:
    won, games = VECTORS["pair"]["score"]
    fitted = fit([Comparison((0, 1), games, (won,))], NO_PRIOR)
    high, low = centred(fitted)
    assert high - low == pytest.approx(ELO_PER_NAT * math.log(won / (games - won)), abs=1e-4)
    assert high - low == pytest.approx(VECTORS["pair"]["elo_difference"], abs=1e-4)
    error = ELO_PER_NAT * errors_of(fitted.model_covariance, 0)[1]
    assert error == pytest.approx(VECTORS["pair"]["standard_error"], abs=1e-3)


def test_three_players_with_ties_match_other_solvers() -> None:
    vector = VECTORS["three"]
    fitted = fit(pair_matches(vector["pairs"]), NO_PRIOR)
    assert centred(fitted) == pytest.approx(vector["elo_centred"], abs=1e-3)
    assert ELO_PER_NAT * errors_of(fitted.model_covariance, None) == pytest.approx(
        vector["se_centred"], abs=1e-3
    )
    assert ELO_PER_NAT * errors_of(fitted.model_covariance, 0) == pytest.approx(
        vector["se_vs_bot0"], abs=1e-3
    )


def test_the_prior_pulls_as_a_gaussian_of_its_width() -> None:
    vector = VECTORS["three"]
    assert centred(fit(pair_matches(vector["pairs"]), 200)) == pytest.approx(
        vector["map_prior_sd200"], abs=1e-3
    )


def test_single_wins_match_choix() -> None:
    vector = VECTORS["choix"]
    fitted = fit(pair_matches([(won, lost, 1, 1) for won, lost in vector["data"]]), NO_PRIOR)
    assert fitted.strengths.tolist() == pytest.approx(vector["theta"], abs=1e-6)


def test_a_circle_of_wins_leaves_all_equal() -> None:
    fitted = fit(pair_matches([(0, 1, 5, 5), (1, 2, 5, 5), (0, 2, 5, 0)]))
    assert fitted.strengths.tolist() == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_player_who_lost_every_game_has_a_finite_rating_below_all() -> None:
    fitted = fit(pair_matches([(0, 1, 500, 500), (0, 2, 500, 250), (1, 2, 500, 0)]))
    assert np.isfinite(fitted.strengths).all()
    assert fitted.strengths.argmin() == 1


def test_a_match_that_ends_even_again_and_again_leaves_no_error() -> None:
    """Equal deterministic players mirror each other: no surprise, whatever the model thinks of single games."""
    fitted = fit([Comparison((0, 1), 10, (5.0,))] * 40)
    assert fitted.standard_errors(0).tolist() == pytest.approx([0, 0], abs=1e-9)


def test_few_matches_are_given_the_larger_of_both_errors() -> None:
    fitted = fit([Comparison((0, 1), 10, (5.0,))] * 10)
    model = ELO_PER_NAT * errors_of(fitted.model_covariance, 0)[1]
    assert fitted.standard_errors(0)[1] == pytest.approx(model)
    assert model > 20


def test_the_errors_of_independent_games_agree_with_the_model() -> None:
    rng = random.Random(5)
    games = [Comparison((0, 1), 1, (float(rng.random() < 0.6),)) for _ in range(4000)]
    fitted = fit(games, NO_PRIOR)
    model = ELO_PER_NAT * errors_of(fitted.model_covariance, 0)[1]
    assert fitted.standard_errors(0)[1] == pytest.approx(model, rel=0.01)


def test_games_that_come_in_pairs_of_one_outcome_count_half() -> None:
    rng = random.Random(6)
    outcomes = [float(rng.random() < 0.5) for _ in range(2000)]
    once = fit([Comparison((0, 1), 1, (won,)) for won in outcomes], NO_PRIOR)
    doubled = fit([Comparison((0, 1), 2, (2 * won,)) for won in outcomes], NO_PRIOR)
    assert doubled.standard_errors(0)[1] == pytest.approx(once.standard_errors(0)[1], rel=1e-6)


def order_of_four(rng: random.Random, strengths: list[float]) -> tuple[float, ...]:
    """The six comparisons of one game at a table of four."""
    scores = [strength + rng.gauss(0, 1.7) for strength in strengths]
    return tuple(float(scores[i] > scores[j]) for i in range(4) for j in range(i + 1, 4))


def test_errors_at_tables_of_four_cover_the_truth() -> None:
    """95 % intervals of the difference to the anchor, over 150 pools; the bound is four standard errors wide."""
    rng = random.Random(11)
    strengths = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    far = fit(four_player_matches(rng, strengths, 30_000))
    truth = ELO_PER_NAT * (far.strengths - far.strengths[0])
    covered = trials = 0
    for _ in range(150):
        fitted = fit(four_player_matches(rng, strengths, 300))
        estimate, errors = fitted.elo(0, 0.0), fitted.standard_errors(0)
        covered += int((np.abs(estimate - truth)[1:] < 1.96 * errors[1:]).sum())
        trials += len(strengths) - 1
    assert covered / trials == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 150))


def four_player_matches(rng: random.Random, strengths: list[float], n: int) -> list[Comparison]:
    matches = []
    for _ in range(n):
        players = tuple(sorted(rng.sample(range(len(strengths)), 4)))
        matches.append(Comparison(players, 1, order_of_four(rng, [strengths[p] for p in players])))
    return matches


def test_nothing_played_gives_nothing() -> None:
    fitted = fit([])
    assert fitted.players == ()
    assert fitted.standard_errors(None).tolist() == []
