"""The start of a round: the deal, the reveals, and who has the first turn."""

from __future__ import annotations

import pytest

from matches.engine import DRAW, IllegalAction, RulesError, reveal

from .staging import (
    TABLE_SIZES,
    GivenDeal,
    Staged,
    dealt,
    finish_round,
    new_game,
    pack,
    play,
    staged_game,
    start,
)


@pytest.mark.parametrize("seats", TABLE_SIZES)
def test_twelve_cards_a_seat_one_opens_the_rest_is_the_draw_pile(seats):
    game = new_game(seats=seats)
    view = game.view(seats - 1)
    cards = GivenDeal().pack(1)
    assert view["grids"] == [[None] * 12] * seats
    assert view["draw_pile"] == 150 - 12 * seats - 1
    assert view["discard"] == cards[12 * seats]
    start(game, *[(0, 11)] * seats)
    for seat in range(seats):
        assert game.view(0)["grids"][seat][0] == cards[12 * seat]
        assert game.view(0)["grids"][seat][11] == cards[12 * seat + 11]
    game.apply(DRAW)
    assert game.view(game.seat)["drawn"] == cards[12 * seats + 1]


def test_eight_seats_leave_53_cards_to_draw():
    assert new_game(seats=8).view(0)["draw_pile"] == 53


@pytest.mark.parametrize("seats", [1, 9])
def test_a_table_of_another_size_is_refused(seats):
    with pytest.raises(RulesError, match=f"A table has 2 to 8 seats, not {seats}"):
        new_game(seats=seats)


def test_reveals_are_asked_in_seat_order_and_shown_when_all_have_chosen():
    game = new_game(seats=3)
    before = [game.view(seat) for seat in range(3)], len(game.events)
    for seat, cells in enumerate([(0, 1), (5, 3)]):
        assert (game.phase, game.seat, game.turn) == ("reveal", seat, 0)
        game.apply(reveal(*cells))
        assert ([game.view(seat) for seat in range(3)], len(game.events)) == before
    game.apply(reveal(10, 11))
    assert [[c for c, card in enumerate(grid) if card is not None] for grid in game.view(0)["grids"]] == [
        [0, 1],
        [3, 5],
        [10, 11],
    ]
    assert [event[:3] for event in game.events[2:5]] == [
        ("reveal", 0, (0, 1)),
        ("reveal", 1, (3, 5)),
        ("reveal", 2, (10, 11)),
    ]


def test_the_highest_sum_starts_round_one():
    game = start(dealt([[12, -2], [4, 2]]), (0, 1), (0, 1))
    assert (game.seat, game.turn, game.phase) == (0, 1, "draw")
    game = start(dealt([[4, 2], [12, -2]]), (0, 1), (0, 1))
    assert game.seat == game.view(0)["starter"] == 1


def test_the_lowest_of_tied_seats_starts():
    assert start(dealt([[1, 1], [5, 4], [7, 2], [9, 0]]), *[(0, 1)] * 4).seat == 1


def test_the_discard_pile_opens_after_the_reveals_where_the_rules_say_so():
    game = dealt([[1], [2]], opening=9, rules="skyjo-info")
    game.apply(reveal(0, 1))
    assert game.view(0)["discard"] is None
    assert game.view(0)["draw_pile"] == 126
    assert sum(game.view(0)["discards"].values()) == 0
    game.apply(reveal(0, 1))
    assert game.view(0)["discard"] == 9
    assert game.view(0)["draw_pile"] == 125


class TestFlipMore:
    RULES = {"start_tie": "flip_more"}

    def test_only_the_tied_seats_reveal_one_more_card_each(self):
        game = start(dealt([[5, 3, 1], [1, 1], [6, 2, 0]], rules=self.RULES), *[(0, 1)] * 3)
        assert (game.phase, game.seat) == ("reveal", 0)
        assert set(game.legal_actions()) == {reveal(cell) for cell in range(2, 12)}
        n_events = len(game.events)
        game.apply(reveal(2))
        assert (game.seat, len(game.events)) == (2, n_events)
        game.apply(reveal(2))
        assert (game.phase, game.seat, game.turn) == ("draw", 0, 1)

    def test_two_cells_or_an_open_one_are_illegal_then(self):
        game = start(dealt([[5, 3], [6, 2]], rules=self.RULES), (0, 1), (0, 1))
        with pytest.raises(IllegalAction, match="Reveal one face-down cell"):
            game.apply(reveal(2, 3))
        with pytest.raises(IllegalAction, match="Cell 0 is face-up already; face-down are 2, 3, 4,"):
            game.apply(reveal(0))

    def test_a_seat_that_was_not_tied_does_not_come_back_in(self):
        hands = [[5, 3, -2], [4, 3, 12], [6, 2, -1]]
        game = play(start(dealt(hands, rules=self.RULES), *[(0, 1)] * 3), reveal(2), reveal(2))
        assert game.seat == 2  # 7 against 6; seat 1 has 7 too, and is not asked

    def test_cleared_cards_count_in_the_sum(self):
        game = start(dealt([[4, 4, 4], [5, 3, 3]], rules=self.RULES), (0, 1), (0, 1))
        play(game, reveal(2), reveal(2))
        assert game.seat == 0  # 12 against 11, although seat 0 shows nothing
        assert game.view(0)["points_now"] == [0, 11]
        assert game.current.discard[-3:] == [4, 4, 4]

    def test_a_seat_keeps_its_last_face_down_card_and_then_the_lowest_starts(self):
        hand = [5, 4, 3, 6, 7, 2, 8, 1, 9, 10, 11, 12]
        game = start(dealt([[5, 4, *hand[2:]], [5, 4, *hand[2:]], [5, 3]], rules=self.RULES), *[(0, 1)] * 3)
        for cell in range(2, 11):
            play(game, reveal(cell), reveal(cell))
        assert (game.phase, game.seat, game.turn) == ("draw", 0, 1)
        assert game.current.hidden(0) == game.current.hidden(1) == (11,)

    def test_ties_are_broken_in_every_round_that_the_highest_sum_starts(self):
        level = pack([range(1, 13), range(1, 13)])
        game = new_game(
            self.RULES | {"next_start": "highest_sum", "target": 500}, 2, GivenDeal([level, level])
        )
        finish_round(start(game, (0, 1), (2, 3)))
        start(game, (0, 1), (0, 1))
        assert (game.round, game.phase, game.view(0)["starter"]) == (2, "reveal", None)
        play(game, reveal(4), reveal(5))
        assert game.seat == 1


def test_the_closer_starts_the_next_round():
    game = staged_game(Staged((30, 10, 20), closer=1), rules={"target": 500})
    assert game.view(0)["starter"] == 1
    start(game, (0, 1), (2, 3), (4, 5))
    assert game.seat == 1


def test_the_round_winner_starts_the_next_where_the_rules_say_so():
    def starter(*staged):
        return staged_game(*staged, rules={"next_start": "round_winner"}).view(0)["starter"]

    assert starter(Staged((10, 30, 5), closer=0)) == 2
    # After doubling: the closer had the lowest points, and shares them no more.
    assert starter(Staged((10, 30, 10), closer=0)) == 2
    # Several: the closer when among them, else the next of them clockwise after it.
    assert starter(Staged((0, 30, 0), closer=2)) == 2
    assert starter(Staged((5, 5, 30, 40), closer=2)) == 0
    assert starter(Staged((5, 30, 40, 5), closer=2)) == 3


def test_the_highest_sum_starts_every_round_where_the_rules_say_so():
    game = staged_game(Staged((10, 30), closer=0), rules={"next_start": "highest_sum"})
    assert game.view(0)["starter"] is None
    cards = GivenDeal().pack(2)
    best = sorted(range(12), key=lambda cell: cards[12 + cell])[-2:]
    worst = sorted(range(12), key=lambda cell: cards[cell])[:2]
    start(game, worst, best)
    assert game.seat == 1
