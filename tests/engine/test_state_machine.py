"""All flags, all table sizes, any legal play: what rules.md says must hold holds after every decision."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from matches.engine import (
    CELLS,
    DECK,
    DISCARD,
    DRAW,
    PUBLIC,
    IllegalAction,
    Rules,
    autopilot,
    event_json,
    event_text,
    flip,
    reveal,
    swap,
    take,
)

from .onlooker import Onlooker
from .staging import GivenDeal, has_column, pack
from .twin import Recorded

# Much work for one test: on a busy host it takes its time.
pytestmark = pytest.mark.timeout(600)

RULES = st.builds(
    Rules,
    target=st.sampled_from([1, 50, 100, 200]),
    start_tie=st.sampled_from(["lowest_seat", "flip_more"]),
    next_start=st.sampled_from(["closer", "round_winner", "highest_sum"]),
    open_discard=st.sampled_from(["before_reveal", "after_reveal"]),
    columns=st.booleans(),
    flip_after_discard=st.sampled_from(["must", "may"]),
    tie_doubles=st.booleans(),
    double_only_positive=st.booleans(),
    final_tie=st.sampled_from(["shared", "extra_round"]),
    turn_cap=st.sampled_from([100, 100, 3]),
    round_cap=st.sampled_from([1, 3, 50]),
)
ALL_ACTIONS = [
    DRAW,
    DISCARD,
    *(make(cell) for make in (take, swap, flip, reveal) for cell in range(-1, CELLS + 1)),
    *(reveal(a, b) for a in range(CELLS) for b in range(a, CELLS)),
    reveal(0, 1, 2),
    reveal(),
]


def uniformly(rng, game):
    return rng.choice(game.legal_actions())


def in_a_hurry(rng, game):
    """Turns over a card with every turn, so that rounds close."""
    return autopilot(game) if rng.random() < 0.9 else uniformly(rng, game)


def by_the_book(rng, game):
    return autopilot(game)


def for_columns(rng, game):
    """Puts cards beside their equals, so that columns clear."""
    grid = game.view(game.seat)["grids"][game.seat]
    card = game.current.drawn if game.phase == "place" else game.view(game.seat)["discard"]
    make = swap if game.phase == "place" else take
    for action in game.legal_actions():
        cell = action.cells[0] if action.cells else 0
        column = [other for other in range(cell // 3 * 3, cell // 3 * 3 + 3) if other != cell]
        if action == make(cell) and grid[cell] != card and card in [grid[other] for other in column]:
            return action
    return in_a_hurry(rng, game)


def seeded(deal, seats):
    return GivenDeal(deal=deal)


def with_columns(deal, seats):
    """The first 48 cards lie sorted, so that columns clear in every way."""
    cards = GivenDeal(deal=deal).pack(1)
    return GivenDeal([sorted(cards[:48]) + cards[48:]] * 3, deal=deal)


def level(deal, seats):
    """All hands are equal, so that seats tie for the start and at the end."""
    return GivenDeal([pack([range(1, CELLS + 1)] * seats)] * 20, deal=deal)


class AnyGame(RuleBasedStateMachine):
    @initialize(
        rules=RULES,
        seats=st.integers(2, 8),
        deal=st.integers(0, 10**6),
        dealt=st.sampled_from([seeded, with_columns, level]),
    )
    def deal(self, rules, seats, deal, dealt):
        self.recorded = Recorded(rules, seats, dealt(deal, seats))
        self.game = self.recorded.game
        self.onlooker = Onlooker(self.game)
        self.rng = random.Random(deal)
        self.check()

    @precondition(lambda self: self.game.outcome is None)
    @rule(
        n=st.sampled_from([1, 10, 100, 2000]),
        how=st.sampled_from([uniformly, in_a_hurry, by_the_book, for_columns]),
    )
    def decide(self, n, how):
        for _ in range(n):
            if self.game.outcome is None:
                n_events = len(self.game.events)
                is_last_reveal = self.is_last_reveal()
                self.recorded.apply(how(self.rng, self.game))
                assert is_last_reveal is None or is_last_reveal == (len(self.game.events) > n_events)
                self.check()

    def is_last_reveal(self):
        """Whether this choice shows all choices; None outside phase reveal."""
        if self.game.phase != "reveal":
            return None
        asked = self.game.current._asked
        return self.game.seat == asked[-1]

    @precondition(lambda self: self.game.outcome is None)
    @rule(actions=st.lists(st.sampled_from(ALL_ACTIONS), min_size=1, max_size=20))
    def try_illegal_actions(self, actions):
        before = self.game.view_text(self.game.seat)
        n_before = len(self.game.events), self.game.n_decisions
        for action in set(actions) - set(self.game.legal_actions()):
            with pytest.raises(
                IllegalAction, match=r"Round \d+, turn \d+, seat \d, phase \w+: .* is illegal\. \w"
            ):
                self.game.apply(action)
        assert self.game.view_text(self.game.seat) == before
        assert (len(self.game.events), self.game.n_decisions) == n_before

    @rule(seat=st.integers(0, 7))
    def swap_what_a_seat_has_not_seen(self, seat):
        self.recorded.assert_twin_looks_the_same(seat % self.game.seats, self.rng)

    @invariant()
    def the_texts_are_the_json(self):
        if hasattr(self, "game"):
            for seat in range(self.game.seats):
                assert json.loads(self.game.view_text(seat)) == self.game.view(seat)
            for event in self.game.events[-40:]:
                for seat in (None, PUBLIC, 0, 1):
                    assert json.loads(event_text(event, seat)) == event_json(event, seat)

    def check(self):
        game = self.game
        current = game.current
        self.onlooker.listen()
        views = [game.view(seat) for seat in range(game.seats)]

        # Everybody sees the same but for the card in the hand, and it is what the public events tell.
        for seat, view in enumerate(views):
            assert (view.pop("drawn", None) is not None) == (game.phase == "place" and game.seat == seat)
            assert view.pop("turn") == game.turn
            assert view == self.onlooker.view(seat)

        # No card is lost, none is made.
        cards = Counter(current._pile) + Counter(current.discard)
        if game.phase == "place":
            cards[current.drawn] += 1
        for seat in current.table:
            grid = current.grids[seat]
            cards.update(card for card, cell in zip(current._under[seat], grid, strict=True) if cell != "x")
        assert cards == Counter(DECK)

        # No three equal cards lie open in a column.
        if game.rules.columns:
            assert not any(
                has_column([cell if isinstance(cell, int) else object() for cell in grid])
                for grid in current.grids
            )

        if game.outcome is not None:
            assert game.phase == "over"
            assert game.seat is None
            assert game.legal_actions() == ()
            assert self.onlooker.placing == list(game.outcome.placing)
        else:
            # Who is to act has a face-down card and something to choose; an empty grid never has to.
            assert current.hidden(game.seat)
            legal = game.legal_actions()
            assert len(legal) == len(set(legal)) > 1
            if game.phase == "place":
                assert any(action.kind == "flip" for action in legal)
        assert game.turn <= game.rules.turn_cap * len(current.table) + len(current.table) - 1
        assert len(game.rounds) <= game.rules.round_cap


AnyGame.TestCase.settings = settings(
    max_examples=400,
    database=None,
    stateful_step_count=8,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    print_blob=True,
)
test_any_game = AnyGame.TestCase
