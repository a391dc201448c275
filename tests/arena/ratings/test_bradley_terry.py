"""The fit against closed forms, numbers that other programs reckoned, choix, and simulated fields."""

import json
import math
import random
from pathlib import Path

import choix
import numpy as np
import pytest

from arena.ratings import bradley_terry, sums
from arena.ratings.bradley_terry import Fit, Matrix, fit
from arena.ratings.sums import Sums, Tables
from matches.differences import ELO_PER_NAT
from tests.arena.ratings.results import field, four_at_a_table, of_two, one_game_each

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "bradley-terry.json").read_text())
# So wide that the prior moves nothing that the vectors show.
NO_PRIOR = 1e6


def centred(fitted: Fit) -> list[float]:
    return (ELO_PER_NAT * (fitted.strengths - fitted.strengths.mean())).tolist()


def about_the_mean(covariance: Matrix) -> list[float]:
    """Standard errors in Elo of strengths about their plain mean."""
    centring = np.eye(len(covariance)) - 1 / len(covariance)
    return (ELO_PER_NAT * np.sqrt(np.diag(centring @ covariance @ centring))).tolist()


def of_difference(covariance: Matrix, one: int, two: int) -> float:
    return ELO_PER_NAT * math.sqrt(covariance[one, one] + covariance[two, two] - 2 * covariance[one, two])


def test_two_players_match_the_closed_form() -> None:
    won, games = VECTORS["pair"]["score"]
    fitted = fit(Sums(2, of_two([(0, 1, games, won)])), prior_sd_elo=NO_PRIOR)
    high, low = centred(fitted)
    assert high - low == pytest.approx(ELO_PER_NAT * math.log(won / (games - won)), abs=1e-4)
    assert high - low == pytest.approx(VECTORS["pair"]["elo_difference"], abs=1e-4)
    error = of_difference(fitted.model_covariance, 0, 1)
    assert error == pytest.approx(VECTORS["pair"]["standard_error"], abs=1e-3)


def test_three_players_with_ties_match_other_solvers() -> None:
    vector = VECTORS["three"]
    fitted = fit(Sums(3, of_two(sorted(vector["pairs"]))), prior_sd_elo=NO_PRIOR)
    assert centred(fitted) == pytest.approx(vector["elo_centred"], abs=1e-3)
    # Ordo publishes hundredths, at a scale that differs in the seventh figure.
    assert centred(fitted) == pytest.approx(vector["ordo"], abs=0.01)
    assert about_the_mean(fitted.model_covariance) == pytest.approx(vector["se_centred"], abs=1e-3)
    with_first = [of_difference(fitted.model_covariance, 0, player) for player in (1, 2)]
    assert with_first == pytest.approx(vector["se_vs_bot0"][1:], abs=1e-3)


def test_the_prior_pulls_as_a_gaussian_of_its_width() -> None:
    vector = VECTORS["three"]
    fitted = fit(Sums(3, of_two(vector["pairs"])), prior_sd_elo=200)
    assert centred(fitted) == pytest.approx(vector["map_prior_sd200"], abs=1e-3)


def test_single_wins_match_choix() -> None:
    vector = VECTORS["choix"]
    games = [(min(won, lost), max(won, lost), 1, float(won < lost)) for won, lost in vector["data"]]
    fitted = fit(Sums(5, of_two(games)), prior_sd_elo=NO_PRIOR)
    assert fitted.strengths.tolist() == pytest.approx(vector["theta"], abs=1e-6)


@pytest.mark.parametrize("virtual", VECTORS["virtual_draws"], ids=lambda vector: vector["games"])
def test_virtual_draws_of_another_arena_come_out_the_same(virtual: dict) -> None:
    """Four draws more instead of a prior, which is half of four wins; the opponent is held, and so has no error."""
    fitted = fit(Sums(2, of_two([(0, 1, virtual["played"], virtual["won"])])), prior_sd_elo=NO_PRIOR)
    assert fitted.strengths[0] - fitted.strengths[1] == pytest.approx(virtual["log_gamma"], abs=1e-6)
    error = of_difference(fitted.model_covariance, 0, 1) / ELO_PER_NAT
    assert error == pytest.approx(virtual["uncertainty"], abs=1e-6)


def test_a_simulated_field_matches_choix_to_a_millionth_of_a_nat() -> None:
    rng = np.random.default_rng(3)
    tables = one_game_each(rng, field(rng, 30), 2000)
    (low, high), won = tables[0].players, tables[0].scores[0] > 0
    winners, losers = np.where(won, low, high), np.where(won, high, low)
    sd = 150 / ELO_PER_NAT
    oracle = choix.opt_pairwise(
        30, list(zip(winners, losers, strict=True)), alpha=1 / (2 * sd**2), method="Newton-CG", tol=1e-12
    )
    fitted = fit(Sums(30, tables), prior_sd_elo=150)
    ours = fitted.strengths - fitted.strengths.mean()
    assert np.abs(ours - (oracle - oracle.mean())).max() < 1e-6


def test_many_players_in_single_precision_get_the_same_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    tables = one_game_each(rng, field(rng, 80), 4000)
    double = fit(Sums(80, tables))
    monkeypatch.setattr(bradley_terry, "MANY_PLAYERS", 2)
    monkeypatch.setattr(sums, "MANY_PLAYERS_TO_PLACE", 2)
    single = fit(Sums(80, tables))
    assert single.half_meat.dtype == np.float32
    assert np.abs(single.strengths - double.strengths).max() * ELO_PER_NAT < 1e-3
    assert np.abs(single.model_errors - double.model_errors).max() * ELO_PER_NAT < 1e-2
    assert np.abs(single.sandwich_errors - double.sandwich_errors).max() * ELO_PER_NAT < 1e-2


def test_a_circle_of_wins_leaves_all_equal() -> None:
    fitted = fit(Sums(3, of_two([(0, 1, 5, 5), (1, 2, 5, 5), (0, 2, 5, 0)])))
    assert fitted.strengths.tolist() == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_player_who_lost_every_game_has_a_finite_rating_below_all() -> None:
    fitted = fit(Sums(3, of_two([(0, 1, 500, 500), (0, 2, 500, 250), (1, 2, 500, 0)])))
    assert np.isfinite(fitted.strengths).all()
    assert fitted.strengths.argmin() == 1


def test_the_prior_is_as_wide_as_the_field() -> None:
    for sd in (75.0, 150.0):
        rng = np.random.default_rng(5)
        fitted = fit(Sums(200, one_game_each(rng, field(rng, 200, sd), 40_000)))
        assert fitted.prior_sd * ELO_PER_NAT == pytest.approx(sd, rel=0.15)


@pytest.mark.parametrize(("n", "n_games"), [(2, 1), (3, 10), (5, 4), (50, 60), (50, 1000), (200, 40_000)])
def test_the_prior_is_as_wide_as_its_own_posterior_says(n: int, n_games: int) -> None:
    """Where expectation and maximisation ends: its next step, made here with a dense Hessian, leads nowhere."""
    rng = np.random.default_rng(n_games)
    (table,) = one_game_each(rng, field(rng, n), n_games)
    found = fit(Sums(n, [table]))
    assert not found.outliers
    variance = found.prior_sd**2
    # As the maximum of the posterior stands they add to zero, and errors are about the prior's middle.
    strengths = found.strengths - found.strengths.mean()
    hessian = np.eye(n) / variance
    for low, high in table.players.T:
        chance = 1 / (1 + math.exp(strengths[high] - strengths[low]))
        hessian[[low, high], [low, high]] += chance * (1 - chance)
        hessian[[low, high], [high, low]] -= chance * (1 - chance)
    expected = (strengths**2).sum() + np.trace(np.linalg.inv(hessian))
    usual = bradley_terry.USUAL_WEIGHT * (bradley_terry.USUAL_SD_ELO / ELO_PER_NAT) ** 2
    assert (expected + usual) / (n + bradley_terry.USUAL_WEIGHT) == pytest.approx(variance, rel=1e-4)


def test_nobody_but_outliers_leave_the_prior_at_its_usual_width() -> None:
    found = fit(Sums(2, of_two([(0, 1, 500, 400)])), outliers=[0, 1])
    assert found.prior_sd * ELO_PER_NAT == pytest.approx(bradley_terry.USUAL_SD_ELO, rel=1e-3)


def test_an_outlier_widens_no_prior_and_is_not_drawn_into_the_field() -> None:
    rng = np.random.default_rng(6)
    strengths = field(rng, 40)
    without = fit(Sums(40, one_game_each(rng, strengths, 20_000)))
    rng = np.random.default_rng(6)
    strengths = field(rng, 40)
    strengths[7] = -1200 / ELO_PER_NAT
    found = fit(Sums(40, one_game_each(rng, strengths, 20_000)))
    assert found.outliers == {7}
    assert found.prior_sd == pytest.approx(without.prior_sd, rel=0.1)
    assert found.strengths[7] * ELO_PER_NAT < -700


def test_who_is_named_an_outlier_is_left_out_whatever_its_results() -> None:
    rng = np.random.default_rng(7)
    tables = one_game_each(rng, field(rng, 20), 3000)
    assert fit(Sums(20, tables)).outliers == frozenset()
    assert fit(Sums(20, tables), outliers=[3]).outliers == {3}


def parted(tables: Tables, n_first: int) -> list[Tables]:
    return [
        Tables(tables.players[:, part], tables.games[part], tables.scores[:, part])
        for part in (slice(n_first), slice(n_first, None))
    ]


@pytest.mark.parametrize("many_players", [40, 1000], ids=["single precision", "double precision"])
@pytest.mark.parametrize("n_new", [20, 200, 2000])
def test_an_earlier_fit_as_a_start_changes_nothing_that_is_published(
    many_players: int, n_new: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bradley_terry, "MANY_PLAYERS", many_players)
    rng = np.random.default_rng(8)
    (tables,) = one_game_each(rng, field(rng, 50), 20_000)
    early, late = parted(tables, 20_000 - n_new)
    held = Sums(50, [early])
    before = fit(held)
    held.add([late])
    cold, warm = fit(Sums(50, [tables])), fit(held, start=before)
    assert centred(warm) == pytest.approx(centred(cold), abs=1e-4)
    assert np.abs(warm.sandwich_errors - cold.sandwich_errors).max() * ELO_PER_NAT < 2e-3
    assert np.abs(warm.model_errors - cold.model_errors).max() * ELO_PER_NAT < 2e-3
    assert warm.outliers == cold.outliers


def test_a_start_helps_under_a_given_prior_too() -> None:
    rng = np.random.default_rng(13)
    (tables,) = one_game_each(rng, field(rng, 30), 6000)
    early, _ = parted(tables, 5900)
    cold = fit(Sums(30, [tables]), prior_sd_elo=150)
    warm = fit(Sums(30, [tables]), prior_sd_elo=150, start=fit(Sums(30, [early])))
    assert centred(warm) == pytest.approx(centred(cold), abs=1e-6)
    assert warm.prior_sd == cold.prior_sd


def test_a_start_far_from_the_maximum_leads_there_too() -> None:
    rng = np.random.default_rng(12)
    (tables,) = one_game_each(rng, field(rng, 30), 6000)
    few, _ = parted(tables, 30)
    reversed_wins = Tables(tables.players, tables.games, 1 - tables.scores)
    cold = fit(Sums(30, [tables]))
    for start in (fit(Sums(30, [few])), fit(Sums(30, [reversed_wins])), fit(Sums(30))):
        assert centred(fit(Sums(30, [tables]), start=start)) == pytest.approx(centred(cold), abs=1e-3)


def test_a_match_that_ends_even_again_and_again_leaves_no_error() -> None:
    """Equal deterministic players mirror each other: no surprise, whatever the model thinks of single games."""
    fitted = fit(Sums(2, of_two([(0, 1, 10, 5)] * 40)))
    assert fitted.sandwich_errors.tolist() == [0, 0]
    assert fitted.model_errors.min() * ELO_PER_NAT > 5


def test_the_errors_of_independent_games_agree_with_the_model() -> None:
    rng = np.random.default_rng(5)
    fitted = fit(Sums(2, one_game_each(rng, np.array([0.4, 0.0]), 4000)), prior_sd_elo=NO_PRIOR)
    assert fitted.sandwich_errors == pytest.approx(fitted.model_errors, rel=0.01)


def test_games_that_come_in_pairs_of_one_outcome_count_half() -> None:
    rng = random.Random(6)
    outcomes = [float(rng.random() < 0.5) for _ in range(2000)]
    once = fit(Sums(2, of_two([(0, 1, 1, won) for won in outcomes])), prior_sd_elo=NO_PRIOR)
    doubled = fit(Sums(2, of_two([(0, 1, 2, 2 * won) for won in outcomes])), prior_sd_elo=NO_PRIOR)
    assert doubled.sandwich_errors == pytest.approx(once.sandwich_errors, rel=1e-5)


def test_one_who_is_hardly_known_blurs_nobody_else() -> None:
    rng = np.random.default_rng(9)
    known = of_two([(i, j, 200, float(rng.binomial(200, 0.5))) for i in range(10) for j in range(i + 1, 10)])
    newcomer = of_two([(0, 10, 2, 1.0)])
    alone, joined = fit(Sums(10, known)), fit(Sums(11, [*known, *newcomer]))
    assert joined.model_errors[1:10] == pytest.approx(alone.model_errors[1:10], rel=0.02)


def test_errors_at_tables_of_four_cover_the_truth() -> None:
    """95 % intervals of strengths about the mean, over 150 pools; the bound is four standard errors wide."""
    rng = random.Random(11)
    strengths = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    far = fit(Sums(6, four_at_a_table(rng, strengths, 30_000)))
    covered = trials = 0
    for _ in range(150):
        fitted = fit(Sums(6, four_at_a_table(rng, strengths, 300)))
        covered += int((np.abs(fitted.strengths - far.strengths) < 1.96 * fitted.sandwich_errors).sum())
        trials += len(strengths)
    assert covered / trials == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 150))


def test_nothing_played_gives_nothing() -> None:
    fitted = fit(Sums(0, []))
    assert fitted.strengths.tolist() == []
    assert fitted.sandwich_errors.tolist() == []
