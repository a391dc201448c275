"""Faults that were found in public Skyjo engines, each with the test that this one does not share it.

A few are the same fault seen in several engines; the names say what went wrong, not where.
"""

from __future__ import annotations

from collections import Counter

import pytest

from matches.engine import DECK, DRAW, IllegalAction, Rules, flip, swap, take
from matches.engine.scoring import doubles

from .staging import (
    GivenDeal,
    Staged,
    dealt,
    draw_and_flip,
    finish_round,
    flip_until,
    new_game,
    play,
    staged_game,
    start,
)


def drained(seats=8):
    """A table whose draw pile is empty."""
    return flip_until(start(new_game(seats=seats)), lambda game: game.view(0)["draw_pile"] == 0)


def test_a_reshuffle_does_not_take_the_top_discard_and_turn_over_a_new_one():
    game = drained()
    top = game.view(0)["discard"]
    game.apply(DRAW)
    assert game.view(0)["discard"] == top
    assert game.current.discard == [top]


def test_a_reshuffle_shuffles():
    game = drained()
    under = game.current.discard[:-1]
    game.apply(DRAW)
    pile = [game.current.drawn, *reversed(game.current._pile)]
    assert sorted(pile) == sorted(under)
    assert pile not in (under, under[::-1])


def test_an_empty_draw_pile_stops_nothing():
    game = drained()
    while game.round == 1 and game.outcome is None:
        draw_and_flip(game)
    assert game.rounds


def test_the_new_draw_pile_holds_discards_only_never_cards_that_lie_face_down():
    deal = GivenDeal()
    game = start(new_game(seats=8, deal=deal))
    flip_until(game, lambda g: g.view(0)["draw_pile"] == 0)
    discards = Counter(game.current.discard[:-1])
    game.apply(DRAW)
    assert Counter(deal.reshuffled[0]) == discards


def test_a_bot_that_names_a_cleared_cell_is_told_so_and_the_game_goes_on():
    game = start(dealt([[9, 9, -1], [1]], opening=9), (0, 1), (0, 1))
    play(game, take(2))
    draw_and_flip(game)
    for action in (take(0), take(1), take(2)):
        with pytest.raises(IllegalAction, match="is empty: column 0 was removed"):
            game.apply(action)
    play(game, DRAW)
    for action in (swap(0), flip(1)):
        with pytest.raises(IllegalAction, match="is empty: column 0 was removed"):
            game.apply(action)
    play(game, swap(3))


def test_endless_play_is_cut_with_a_score():
    game = start(new_game())
    while game.round == 1 and game.outcome is None:
        play(game, take(0))
    assert game.rounds[0].cut
    assert game.rounds[0].turns == 200


def test_twenty_turns_without_a_reveal_have_no_consequence():
    game = start(new_game())
    for _ in range(60):
        play(game, DRAW, swap(0))
    assert (game.round, game.turn, game.totals) == (1, 61, [0, 0])


def test_the_highest_sum_does_not_start_later_rounds():
    game = staged_game(Staged((10, 30), closer=0))
    cards = GivenDeal().pack(2)
    lowest = sorted(range(12), key=lambda cell: cards[cell])[:2]
    highest = sorted(range(12), key=lambda cell: cards[12 + cell])[-2:]
    start(game, lowest, highest)
    assert game.seat == 0


def test_a_tie_for_the_start_is_no_matter_of_luck_or_of_the_highest_card():
    assert start(dealt([[5, 4], [9, 0]]), (0, 1), (0, 1)).seat == 0


def test_a_seat_keeps_its_face_down_cards_after_its_own_final_turn():
    game = start(new_game(seats=3))
    flip_until(game, lambda g: g.current.closer is not None)
    seat = game.seat
    play(game, DRAW, swap(0))
    assert None in game.view(0)["grids"][seat]
    assert game.round == 1


@pytest.mark.parametrize("points", [(0, -1), (-1, -2), (-4, -4)])
def test_points_of_nought_or_below_are_not_doubled(points):
    result = staged_game(Staged(points, closer=0)).rounds[0]
    assert (result.points, result.doubled) == (points, None)


def test_a_tie_doubles():
    assert staged_game(Staged((12, 12), closer=1, starter=0)).rounds[0].points == (12, 24)


@pytest.mark.parametrize("closer", [0, 1, 2])
def test_the_closer_is_compared_with_the_others_whatever_its_seat(closer):
    points = [30, 30, 30]
    points[closer] = 20
    assert not doubles(Rules(), points, closer, range(3))
    points[closer] = 40
    assert doubles(Rules(), points, closer, range(3))


def test_doubling_exists():
    assert staged_game(Staged((30, 20), closer=0)).rounds[0].points == (60, 20)


def test_columns_clear_in_the_final_reveal_two_adjacent_ones_too():
    game = start(dealt([[1, 2, 3, 9, 9, 9, 8, 8, 8], []], rules={"turn_cap": 1}), (0, 1), (0, 1))
    finish_round(game)
    assert game.rounds[0].columns[:2] == ((0, 1, 9), (0, 2, 8))
    assert game.rounds[0].grids[0][3:9] == ("x",) * 6


def test_more_than_one_column_of_a_seat_clears_in_a_round():
    game = start(dealt([[9, 9, 9, 8, 8, 8], [1]]), (0, 1), (0, 1))
    for cell in 2, 3, 4, 5:
        play(game, DRAW, flip(cell))
        draw_and_flip(game)
    assert [column[1] for column in game.current.columns] == [0, 1]


def test_columns_clear_at_once_and_not_only_at_the_end():
    game = start(dealt([[9, 9, 9], [1]]), (0, 1), (0, 1))
    play(game, DRAW, flip(2))
    assert game.view(0)["grids"][0][:3] == ["x"] * 3


def test_cleared_cards_lie_on_the_discard_pile_as_themselves_and_stay_in_the_game():
    game = start(dealt([[9, 9, 9], [1]], opening=5, draw=[4]), (0, 1), (0, 1))
    play(game, DRAW, flip(2))
    assert game.current.discard == [5, 4, 9, 9, 9]
    assert game.view(0)["discards"]["9"] == 3
    assert game.view(0)["discards"]["0"] == 0


def test_a_discarded_drawn_card_does_not_vanish():
    game = start(dealt([[9], [1]], opening=5, draw=[4]))
    play(game, DRAW, flip(1))
    assert game.current.discard == [5, 4]


def test_the_deck_is_not_ten_of_every_value():
    assert (DECK.count(-2), DECK.count(0)) == (5, 15)


def test_seats_choose_what_they_reveal():
    assert len(new_game().legal_actions()) == 66


def test_a_round_is_closed_by_the_turn_that_turns_over_the_last_card_and_not_a_turn_later():
    game = start(new_game())
    flip_until(game, lambda g: len(g.current.hidden(g.seat)) == 1)
    seat = game.seat
    draw_and_flip(game)
    assert game.view(0)["closer"] == seat


def test_equal_totals_share_the_win_and_the_lowest_seat_has_no_right_to_it():
    game = staged_game(Staged((20, 60, 10), closer=2), Staged((21, 45, 31), closer=0, starter=2))
    assert game.totals == [41, 105, 41]
    assert game.outcome.placing == (1, 3, 1)
