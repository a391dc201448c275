"""Same rules, deal and decisions: the same game, wherever the bots sit."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from pathlib import Path

import pytest

from matches.engine import CELLS, PRESETS, SeededDeal, autopilot, reveal, swap, take

from .scenarios import thrifty
from .staging import SEED, TABLE_SIZES, GivenDeal, new_game


def eager(game):
    """Takes every low discard; a plain function of what its seat sees."""
    view = game.view(game.seat)
    grid = view["grids"][game.seat]
    legal = game.legal_actions()
    if game.phase == "reveal":
        return reveal(4, 7)
    closed = [cell for cell in range(CELLS) if grid[cell] is None]
    if game.phase == "draw":
        return take(closed[-1]) if view["discard"] < 4 else legal[0]
    return swap(closed[0]) if view["drawn"] < 6 else legal[-1]


def played(bots, deal=None):
    game = new_game(seats=len(bots), deal=deal or SeededDeal(SEED, 5))
    while game.outcome is None:
        game.apply(bots[game.seat](game))
    return game


class Turned:
    """A deal in which every seat has the cards of its neighbour."""

    def __init__(self, seats):
        self._deal = GivenDeal(deal=5)
        self._seats = seats

    def pack(self, round):
        cards = self._deal.pack(round)
        n = CELLS * self._seats
        return cards[n - CELLS : n] + cards[: n - CELLS] + cards[n:]

    def reshuffle(self, round, k, pile):
        return self._deal.reshuffle(round, k, pile)


@pytest.mark.parametrize("bot", [thrifty, eager, autopilot])
def test_equal_bots_in_swapped_seats_of_a_deal_give_mirrored_games(bot):
    def other(game):
        return bot(game)

    first, second = played([bot, other]), played([other, bot])
    assert first.events == second.events
    assert first.totals[0] - first.totals[1] == -(second.totals[1] - second.totals[0])


@pytest.mark.parametrize("seats", TABLE_SIZES)
def test_the_seats_are_alike(seats):
    """When all cards and bots move on by one seat, so does all that happens (where no tie is for the lowest seat)."""
    bots = [eager, autopilot] * 4
    game = played(bots[:seats], GivenDeal(deal=5))
    turned = played([*bots[seats - 1 : seats], *bots[: seats - 1]], Turned(seats))
    moved = [(*result.points[1:], result.points[0]) for result in turned.rounds]
    assert moved == [result.points for result in game.rounds]
    assert (*turned.outcome.placing[1:], turned.outcome.placing[0]) == game.outcome.placing


@pytest.mark.parametrize("preset", PRESETS)
def test_the_same_seed_and_decisions_give_the_same_game(preset):
    def once():
        rng = random.Random(3)
        game = new_game(preset, 4, SeededDeal(SEED, 2))
        while game.outcome is None:
            game.apply(rng.choice(game.legal_actions()))
        return game

    first, second = once(), once()
    assert first.events == second.events
    assert first.rounds == second.rounds


PROGRAM = """
import random
from matches.engine import Game, SeededDeal, event_text, parse_seed, rules_from
rng = random.Random(3)
game = Game(rules_from("guide-2026"), 5, SeededDeal(parse_seed("7"), 2))
while game.outcome is None:
    legal = game.legal_actions()
    game.apply(legal[int(rng.random() * len(legal))])
print("\\n".join(map(event_text, game.events)))
"""


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_any_process_on_any_machine_gives_the_same_bytes(hash_seed):
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=Path(__file__).parents[2],
        env={"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
    ).stdout
    assert (
        hashlib.sha256(told).hexdigest() == "cb9d5b55d306f433217079f27d6d7205e5f448e0f824c74df0db4eb11ecdceb7"
    )


def test_the_autopilot_reveals_and_turns_over_the_lowest_cells_and_always_draws():
    game = new_game({"start_tie": "flip_more"}, 2)
    seen = {"reveal": set(), "draw": set(), "place": set()}
    while game.round == 1 and game.outcome is None:
        seat, phase = game.seat, game.phase
        lowest = game.current.hidden(seat)
        action = autopilot(game)
        seen[phase].add(action.kind)
        assert action.cells in ((), lowest[:1], lowest[:2])
        game.apply(action)
    assert seen == {"reveal": {"reveal"}, "draw": {"draw"}, "place": {"flip"}}


def test_the_autopilot_has_nothing_to_decide_when_the_game_is_over():
    game = played([autopilot, autopilot])
    with pytest.raises(ValueError, match="The game is over"):
        autopilot(game)
