"""Every house bot plays whole legal games under every preset, at every table size, and fairly."""

from __future__ import annotations

import random
from itertools import count, pairwise

import pytest

from bots.house import HOUSE, house_source
from bots.kit.skyjo import View
from matches.engine import PRESETS, Action, Game, SeededDeal, parse_seed, rules_from
from matches.engine.rules import MAX_SEATS, MIN_SEATS

from .driver import DETERMINISTIC, NAMES, bot_class, house_table, play_game

# Much work for one test: on a busy host it takes its time.
pytestmark = pytest.mark.timeout(600)

SEED = parse_seed("2")
OFFICIAL = rules_from("official")


def test_the_house_bots_are_these_five_and_each_tells_its_strategy():
    assert NAMES == ("random", "greedy", "threshold", "collector", "ev")
    for bot in HOUSE:
        assert len(bot.strategy.split()) > 40
        assert house_source(bot.name) == bot.path.read_bytes()
        assert b"from skyjo import" in house_source(bot.name)


def test_an_unknown_house_bot_is_a_key_error():
    with pytest.raises(KeyError, match="nobody"):
        house_source("nobody")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", NAMES)
def test_a_house_bot_plays_whole_legal_games_under_every_preset_at_every_table(name, preset):
    rules = rules_from(preset)
    for seats in range(MIN_SEATS, MAX_SEATS + 1):
        game = play_game(house_table([name] * seats), rules, SeededDeal(SEED, seats))

        assert game.outcome is not None
        assert not any(result.cut for result in game.rounds)


@pytest.mark.parametrize("preset", PRESETS)
def test_all_house_bots_play_together_at_one_table(preset):
    game = play_game(house_table(NAMES), rules_from(preset), SeededDeal(SEED, 0))

    assert game.outcome is not None
    assert game.outcome.placing[NAMES.index("random")] == len(NAMES)


@pytest.mark.parametrize("name", ["random", "threshold", "collector", "ev"])
def test_a_house_bot_uses_the_right_to_discard_without_turning_a_card_over(name):
    rules = rules_from({"flip_after_discard": "may"})
    n_without = 0
    for deal in range(5):
        events = play_game(house_table([name, name]), rules, SeededDeal(SEED, deal)).events
        n_without += sum(one[0] == "discard" and other[0] != "flip" for one, other in pairwise(events))

    assert n_without > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_house_bot_reveals_one_more_card_in_a_tie_for_the_start(name):
    rules = rules_from({"start_tie": "flip_more", "target": 1})
    for deal in count():
        game = play_game(house_table([name] * 4), rules, SeededDeal(SEED, deal))
        more = [event for event in game.events if event[0] == "reveal" and len(event[2]) == 1]
        if more:
            break

    assert len(more) >= 2


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_a_deterministic_house_bot_needs_no_memory(name):
    """A bot made afresh for each decision plays the same game: nothing but the view decides."""
    game = Game(OFFICIAL, 3, SeededDeal(SEED, 1))
    while (seat := game.seat) is not None:
        bot = bot_class(name)()
        bot.rules = OFFICIAL.as_dict()
        action = bot.decide(View(game.view(seat), game.phase, (), None, bot.rules))
        game.apply(Action(action.kind, action.cells))

    assert game.events == play_game(house_table([name] * 3), OFFICIAL, SeededDeal(SEED, 1)).events


class TurnedDeal:
    """A deal whose hands have moved on by so many seats; the rest of each pack is as it was."""

    def __init__(self, deal: SeededDeal, seats: int, by: int) -> None:
        self.deal, self.seats, self.by = deal, seats, by

    def pack(self, round: int, /) -> list[int]:
        pack = self.deal.pack(round)
        hands = [pack[12 * seat : 12 * seat + 12] for seat in range(self.seats)]
        turned = [card for seat in range(self.seats) for card in hands[seat - self.by]]
        return turned + pack[12 * self.seats :]

    def reshuffle(self, round: int, k: int, pile: list[int], /) -> list[int]:
        return self.deal.reshuffle(round, k, pile)


def _turned(values, by: int) -> list:
    return [values[seat - by] for seat in range(len(values))]


@pytest.mark.parametrize("names", [("ev", "greedy"), ("threshold", "collector"), DETERMINISTIC])
def test_deterministic_house_bots_mirror_a_game_when_they_change_seats_with_their_cards(names):
    seats = len(names)
    n_mirrored = 0
    for number in range(8):
        deal = SeededDeal(SEED, number)
        game = play_game(house_table(names), OFFICIAL, deal)
        sums = [sum(event[3]) for event in game.events[:20] if event[0] == "reveal"][:seats]
        if sums.count(max(sums)) > 1:
            continue  # the lowest seat starts, so changing seats changes the starter
        for by in range(1, seats):
            mirrored = play_game(house_table(_turned(names, by)), OFFICIAL, TurnedDeal(deal, seats, by))
            assert mirrored.n_decisions == game.n_decisions
            assert [list(result.points) for result in mirrored.rounds] == [
                _turned(result.points, by) for result in game.rounds
            ]
        n_mirrored += 1
    assert n_mirrored >= 5


def test_random_chooses_evenly_among_all_legal_actions():
    random.seed(5)
    game = Game(OFFICIAL, 2, SeededDeal(SEED, 0))
    bot = bot_class("random")()
    bot.rules = OFFICIAL.as_dict()
    for cells in ((0, 1), (2, 3)):
        game.apply(Action("reveal", cells))
    view = View(game.view(game.seat), game.phase, (), None, bot.rules)
    n = 13_000
    counts = dict.fromkeys(game.legal_actions(), 0)
    for _ in range(n):
        action = bot.draw(view)
        counts[Action(action.kind, action.cells)] += 1

    assert len(counts) == 13
    expected = n / 13
    assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())
