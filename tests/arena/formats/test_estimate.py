"""The estimate: deterministic, of the right size, and telling formats apart as measured."""

from collections.abc import Iterator

import pytest

from arena.formats import FORMATS, Assumptions, Format, SettingsError, estimate
from arena.formats.estimate import _estimate
from tests.arena.formats.events import better_seed_wins, field, play_out


@pytest.fixture(autouse=True)
def estimates() -> Iterator[None]:
    """As good as the site's, and none of the rough ones of other tests."""
    _estimate.cache_clear()
    yield
    _estimate.cache_clear()


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("n", [8, 13, 32])
def test_matches_and_games_are_those_of_the_event(format: Format, n: int) -> None:
    settings = {"deals": 3, "reset": False} if format.name == "double-elimination" else {"deals": 3}
    entries = field(n)
    _, _, results = play_out(format, entries, settings, better_seed_wins(entries))
    found = estimate(format, n, settings)
    assert found.matches == len(results)
    assert found.games == sum(result.games for result in results)


# Chances that the best of 16 wins, simulated elsewhere in full for these formats with as many deals in every
# pairing; the
# standard error of either is about 0.01.
MEASURED = {
    ("single-elimination", 1): 0.38,
    ("single-elimination", 5): 0.57,
    ("single-elimination", 25): 0.75,
    ("double-elimination", 5): 0.65,
    ("double-elimination", 25): 0.82,
    ("swiss", 5): 0.60,
    ("swiss", 25): 0.75,
    ("round-robin", 5): 0.76,
    ("round-robin", 25): 0.88,
}


@pytest.mark.parametrize(("name", "deals"), MEASURED)
def test_the_chance_of_the_best_is_near_what_a_full_simulation_gave(name: str, deals: int) -> None:
    settings: dict[str, int | str] = {"deals": deals}
    if name.endswith("elimination"):
        settings["final_deals"] = deals
    elif name == "swiss":
        settings["rounds"] = 5
    else:
        settings["scoring"] = "games"
    found = estimate(FORMATS[name], 16, settings)
    assert found.best_wins == pytest.approx(MEASURED[name, deals], abs=0.06)


def test_the_same_question_has_the_same_answer() -> None:
    first = estimate(FORMATS["pods"], 12, {})
    assert estimate(FORMATS["pods"], 12, {}) is first


def test_more_deals_and_more_lives_find_the_best_more_often() -> None:
    few, many = (estimate(FORMATS["swiss"], 16, {"deals": deals}).best_wins for deals in (1, 50))
    assert many > few + 0.2
    single, double = (
        estimate(FORMATS[name], 16, {"deals": 5, "final_deals": 5}).best_wins
        for name in ("single-elimination", "double-elimination")
    )
    assert double > single


def test_points_by_games_find_the_best_more_often_in_a_round_robin() -> None:
    wins, games = (
        estimate(FORMATS["round-robin"], 16, {"deals": 5, "scoring": scoring}).best_wins
        for scoring in ("wins", "games")
    )
    assert games > wins + 0.05


def test_minutes_follow_from_games_workers_and_rounds() -> None:
    slow = estimate(FORMATS["round-robin"], 8, {"deals": 5}, Assumptions(game_s=6, workers=1))
    assert (slow.games, slow.minutes) == (280, 28)
    quick = estimate(FORMATS["round-robin"], 8, {"deals": 5}, Assumptions(game_s=6, workers=100))
    assert quick.minutes == 1
    cup = estimate(
        FORMATS["single-elimination"], 8, {"deals": 5, "final_deals": 10}, Assumptions(game_s=6, workers=100)
    )
    assert cup.minutes == 1 + 1 + 2


def test_the_assumptions_are_said_beside_the_figures() -> None:
    found = estimate(FORMATS["swiss"], 16, {"deals": 5}, Assumptions(game_s=0.25, workers=4))
    assert "on 4 workers" in found.figures[1]
    assert "96 Elo points" in found.assumptions[0]
    assert "0.25 s a game" in found.assumptions[0]
    assert f"{100 * found.best_wins:.0f} times in 100" in found.figures[0]


def test_settings_are_checked_first() -> None:
    with pytest.raises(SettingsError):
        estimate(FORMATS["swiss"], 2, {})
