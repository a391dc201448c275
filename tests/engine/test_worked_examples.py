"""The examples of the published rule texts."""

from __future__ import annotations

import pytest

from matches.engine import Outcome, take

from .staging import Staged, dealt, finish_round, play, staged_game, start


def test_twelve_and_minus_two_start_before_four_and_two():
    assert start(dealt([[12, -2], [4, 2]]), (0, 1), (0, 1)).seat == 0


def test_seven_and_five_start_before_eight_and_three():
    assert start(dealt([[8, 3], [7, 5]]), (0, 1), (0, 1)).seat == 1


def test_the_closer_with_10_against_24_and_10_scores_20():
    result = staged_game(Staged((10, 24, 10), closer=0)).rounds[0]
    assert (result.points_before, result.points, result.doubled) == ((10, 24, 10), (20, 24, 10), 0)


@pytest.mark.parametrize("preset", ["official", "guide-2026"])
def test_the_closer_with_35_against_28_31_40_scores_70(preset):
    result = staged_game(Staged((35, 28, 31, 40), closer=0), rules=preset).rounds[0]
    assert (result.points, result.doubled) == ((70, 28, 31, 40), 0)


def test_a_9_swapped_for_the_minus_one_of_9_9_minus_one_leaves_three_9s_on_top():
    game = play(start(dealt([[9, 9, -1], [1]], opening=9), (0, 1), (0, 1)), take(2))
    assert game.current.discard == [-1, 9, 9, 9]


def test_a_grid_of_twelve_cards_worth_42():
    hand = [-2, -1, 2, 3, 4, 7, 0, 1, 8, 5, 6, 9]
    assert finish_round(start(dealt([hand, []]))).rounds[0].points_before[0] == 42


def test_a_grid_without_its_column_of_fours_worth_31():
    hand = [-1, 0, 1, 4, 4, 4, 2, 5, 7, 3, 6, 8]
    result = finish_round(start(dealt([hand, []]))).rounds[0]
    assert result.points_before[0] == 31
    assert (0, 1, 4) in result.columns


def test_bob_closes_and_carol_dave_and_alice_have_one_turn_each():
    game = staged_game(Staged((40, 10, 30, 20), closer=1))
    after = game.events[game.events.index(("close", 1)) :]
    assert [event[1] for event in after if event[0] == "draw"] == [2, 3, 0]


def test_the_long_example_of_the_guide_contradicts_its_own_rule():
    """The guide goes on to a fourth round (22, 12 and 15 points more) and lets Bob win with 98. But Carol has
    45 + 38 + 31 = 114 after the third, which ends the game: Alice wins with 85.
    """
    game = staged_game(
        Staged((28, 32, 45), closer=0),
        Staged((35, 29, 38), closer=1, starter=0),
        Staged((22, 25, 31), closer=0, starter=1),
        rules="guide-2026",
    )
    assert game.outcome == Outcome("target", (85, 86, 114), (1, 2, 3))


def test_minus_four_against_minus_five_stays_on_the_sheet():
    result = staged_game(Staged((-4, -5), closer=0)).rounds[0]
    assert (result.points, result.doubled) == ((-4, -5), None)
