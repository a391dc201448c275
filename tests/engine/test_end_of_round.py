"""What ends a round, and what its points are."""

from __future__ import annotations

import pytest

from matches.engine import DRAW, Rules, flip, swap, take
from matches.engine.scoring import doubles

from .staging import (
    TABLE_SIZES,
    Staged,
    dealt,
    draw_and_flip,
    finish_round,
    flip_until,
    hands_worth,
    new_game,
    play,
    staged_game,
    start,
)


@pytest.mark.parametrize("seats", TABLE_SIZES)
def test_after_the_closer_every_other_seat_has_exactly_one_more_turn_in_order(seats):
    game = start(new_game(seats=seats))
    flip_until(game, lambda g: g.current.closer is not None)
    closer, turn = game.current.closer, game.turn
    movers = []
    while game.round == 1 and game.outcome is None:
        movers.append(game.seat)
        draw_and_flip(game)
    assert movers == [(closer + i) % seats for i in range(1, seats)]
    assert game.rounds[0].closer == closer
    assert game.rounds[0].turns == turn - 1 + seats - 1


def test_a_second_grid_that_is_all_face_up_does_not_close_again():
    game = staged_game(Staged((20, 30), closer=0))
    assert [event for event in game.events if event[0] == "close"] == [("close", 0)]
    assert None not in game.rounds[0].grids[1]


def test_a_round_is_closed_by_a_swap_for_the_last_face_down_card():
    game = start(dealt([range(1, 13), []]), (0, 1), (0, 1))
    flip_until(game, lambda g: len(g.current.hidden(g.seat)) == 1)
    seat = game.seat
    play(game, take(game.current.hidden(seat)[0]))
    assert game.view(0)["closer"] == seat


def test_a_clear_that_takes_the_last_face_down_card_closes():
    hand = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 12, 12]
    game = start(dealt([hand, [0, 1]]), (9, 10), (0, 1))
    for _ in range(9):
        play(game, DRAW, flip(game.current.hidden(0)[0]))
        draw_and_flip(game)
    assert game.current.hidden(0) == (11,)
    play(game, DRAW, flip(11))
    assert game.view(1)["closer"] == 0
    assert game.view(1)["grids"][0][9:] == ["x"] * 3


def test_an_empty_grid_closes_scores_nothing_and_never_doubles():
    hand = [3, 3, 3, 8, 8, 8, -2, -2, -2, 12, 12, 12]
    low = [-2, -2, -1, -1, 0, -1, 0, -1, 0, 1, 1, 0]
    game = finish_round(start(dealt([hand, low]), (9, 10), (0, 1)))
    result = game.rounds[0]
    assert (result.closer, result.grids[0], result.points) == (0, ("x",) * 12, (0, sum(low)))
    assert result.points[1] < 0
    assert result.doubled is None


def test_face_down_cards_stay_so_until_all_final_turns_are_over():
    game = start(new_game(seats=3))
    flip_until(game, lambda g: g.current.closer is not None)
    first = game.seat
    play(game, take(0))
    assert None in game.view(0)["grids"][first]


class TestFinalReveal:
    def test_columns_clear_and_two_adjacent_ones_do(self):
        result = self.revealed([5, 1, 2, 10, 10, 10, 9, 9, 9, 0, 1, 0])
        assert result.columns == ((1, 1, 10), (1, 2, 9))
        assert result.grids[1][3:9] == ("x",) * 6
        assert result.grids[1][9:] == (0, 1, 0)
        assert result.discard[-6:] == (10, 10, 10, 9, 9, 9)

    def test_all_four_do(self):
        result = self.revealed([4, 4, 4, 10, 10, 10, 9, 9, 9, 2, 2, 2])
        assert result.columns == ((1, 0, 4), (1, 1, 10), (1, 2, 9), (1, 3, 2))
        assert result.points_before[1] == 0

    def test_negative_columns_clear_too(self):
        result = self.revealed([5, 1, 2, -2, -2, -2, 9, 8, 9, 0, 1, 0])
        assert result.columns == ((1, 1, -2),)
        assert result.points_before[1] == 5 + 1 + 2 + 26 + 1

    def test_points_are_compared_only_then(self):
        result = self.revealed([5, 1, 2, 10, 10, 10, 9, 9, 9, 0, 1, 0])
        assert (result.closer, result.points_before, result.doubled, result.points) == (
            0,
            (30, 9),
            0,
            (60, 9),
        )

    def revealed(self, hand):
        """The result of a round that seat 0 closes with 30 points while seat 1 turns over nothing."""
        closer = [12, 11, 1, 2, 3, 4, 1, 2, -1, -2, -1, -2]
        last_draw = [None] * 19 + [hand[0]]
        game = start(dealt([closer, [None, *hand[1:]]], draw=last_draw), (0, 1), (0, 3))
        while game.round == 1:
            if game.seat == 0:
                draw_and_flip(game)
            else:
                play(game, DRAW, swap(0))
        return game.rounds[0]


class TestDoubling:
    @pytest.mark.parametrize(
        ("points", "closer", "doubled"),
        [
            ((10, 24, 10), 0, True),
            ((35, 28, 31, 40), 0, True),
            ((10, 24, 11), 0, False),
            ((24, 10, 24), 1, False),
            ((10, 10), 1, True),
            ((1, 0), 0, True),
            ((0, 0), 0, False),
            ((0, -3), 0, False),
            ((-4, -5), 0, False),
            ((-4, -4), 0, False),
            ((5, 9, 5, 9), 2, True),
        ],
    )
    def test_on_the_sheet_positive_points_that_are_not_alone_the_lowest(self, points, closer, doubled):
        assert doubles(Rules(), points, closer, range(len(points))) is doubled

    @pytest.mark.parametrize(
        ("points", "doubled"), [((10, 10), False), ((10, 9), True), ((-4, -5), False), ((10, 11), False)]
    )
    def test_only_if_another_seat_has_fewer(self, points, doubled):
        assert doubles(Rules(tie_doubles=False), points, 0, range(2)) is doubled

    @pytest.mark.parametrize(
        ("points", "doubled"), [((-4, -5), True), ((-4, -4), True), ((-4, 0), False), ((10, 3), True)]
    )
    def test_whatever_the_sign(self, points, doubled):
        assert doubles(Rules(double_only_positive=False), points, 0, range(2)) is doubled

    def test_seats_that_sit_out_do_not_count(self):
        assert not doubles(Rules(), (0, 5, 9), 1, (1, 2))

    def test_negative_points_double_in_play_where_the_rules_say_so(self):
        result = staged_game(Staged((-4, -5), closer=0), rules="skyjo-info").rounds[0]
        assert (result.points_before, result.points, result.doubled) == ((-4, -5), (-8, -5), 0)

    def test_nobody_is_named_where_doubling_changes_nothing(self):
        result = staged_game(Staged((0, -5), closer=0), rules="skyjo-info").rounds[0]
        assert (result.points, result.doubled) == ((0, -5), None)


class TestTurnCap:
    def stall(self, game, n):
        for _ in range(n):
            play(game, DRAW, swap(0))
        return game

    def test_after_a_hundred_turns_of_every_seat_a_round_is_cut(self):
        game = self.stall(start(new_game(seats=2)), 199)
        assert game.turn == 200
        self.stall(game, 1)
        result = game.rounds[0]
        assert (result.cut, result.closer, result.doubled, result.turns) == (True, None, None, 200)
        assert all(None not in grid for grid in result.grids)
        assert result.points == result.points_before

    def test_columns_clear_in_a_cut_round(self):
        game = start(dealt([[1, 2, 3, 9, 9, 9], []], rules={"turn_cap": 1}))
        assert self.stall(game, 2).rounds[0].columns == ((0, 1, 9),)

    @pytest.mark.parametrize("next_start", ["closer", "round_winner", "highest_sum"])
    def test_the_starter_of_a_cut_round_starts_the_next(self, next_start):
        hands = hands_worth(60, 20, 40)
        game = dealt(hands, rules={"turn_cap": 1, "next_start": next_start, "target": 500})
        start(game, (0, 1), *[(10, 11)] * 2)
        starter = game.seat
        self.stall(game, 3)
        assert game.round == 2
        assert game.view(0)["starter"] == starter

    def test_a_seat_that_closes_on_the_last_turn_is_not_cut(self):
        game = staged_game(Staged((20, 30, 10), closer=2, starter=0), rules={"turn_cap": 10})
        result = game.rounds[0]
        assert (result.closer, result.cut, result.turns) == (2, False, 32)

    def test_the_cap_counts_the_seats_at_the_table(self):
        assert self.stall(start(new_game({"turn_cap": 3}, 5)), 15).rounds[0].turns == 15
