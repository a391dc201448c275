"""One turn: what may be done, where the cards go, and what an illegal action is told."""

from __future__ import annotations

import pytest

from matches.engine import DISCARD, DRAW, IllegalAction, flip, reveal, swap, take

from .staging import GivenDeal, dealt, draw_and_flip, flip_until, new_game, play, randomly, start


def two_seats(**options):
    """Seat 0 shows 9 and 8 and is to move."""
    hands = [[9, 5, 1, 8, 2, 3], [1, 4, 6, 2, 7]]
    return start(dealt(hands, opening=3, draw=[11, 6], **options))


def test_the_top_discard_replaces_a_face_up_card():
    game = play(two_seats(), take(0))
    assert game.view(0)["grids"][0][0] == 3
    assert game.current.discard == [9]
    assert game.view(0)["discards"]["3"] == 0
    assert game.view(0)["points_now"] == [11, 3]
    assert (game.seat, game.turn, game.phase) == (1, 2, "draw")
    assert game.events[-1] == ("take", 0, 3, 0, 9, False)


def test_the_top_discard_replaces_a_face_down_card_unseen():
    game = play(two_seats(), take(1))
    assert game.view(0)["grids"][0][1] == 3
    assert game.current.discard == [5]
    assert game.events[-1] == ("take", 0, 3, 1, 5, True)


def test_a_drawn_card_is_seen_by_its_seat_alone_and_swapped_in():
    game = play(two_seats(), DRAW)
    assert (game.seat, game.turn, game.phase) == (0, 1, "place")
    assert game.view(0)["drawn"] == 11
    assert "drawn" not in game.view(1)
    play(game, swap(4))
    assert game.view(1)["grids"][0][4] == 11
    assert game.current.discard == [3, 2]
    assert "drawn" not in game.view(0)


def test_a_drawn_card_is_discarded_and_a_face_down_card_turned_over():
    game = play(two_seats(), DRAW, flip(5))
    assert game.view(1)["grids"][0][5] == 3
    assert game.current.discard == [3, 11]
    assert [event[0] for event in game.events[-2:]] == ["discard", "flip"]


def test_a_drawn_card_may_be_discarded_alone_where_the_rules_say_so():
    game = play(two_seats(rules="gamerules"), DRAW)
    assert game.legal_actions()[-1] == DISCARD
    play(game, DISCARD)
    assert game.current.discard == [3, 11]
    assert len(game.current.hidden(0)) == 10
    assert game.seat == 1


def test_legal_actions_are_all_that_the_rules_allow_in_a_fixed_order():
    game = new_game()
    assert game.legal_actions() == tuple(reveal(a, b) for a in range(12) for b in range(a + 1, 12))
    start(game)
    assert game.legal_actions() == (DRAW, *map(take, range(12)))
    hidden = [1, 2, *range(4, 12)]
    play(game, DRAW)
    assert game.legal_actions() == (*map(swap, range(12)), *map(flip, hidden))


def test_a_cleared_column_is_no_place_for_a_card():
    game = start(dealt([[9, 9, 9, 7], [1]]), (0, 1), (0, 1))
    play(game, DRAW, flip(2))
    draw_and_flip(game)
    assert game.legal_actions() == (DRAW, *map(take, range(3, 12)))
    play(game, DRAW)
    assert game.legal_actions() == (*map(swap, range(3, 12)), *map(flip, range(3, 12)))


class TestColumns:
    def test_three_equal_cards_leave_by_a_swap_on_top_of_the_replaced_card(self):
        game = start(dealt([[9, 9, -1], [1]], opening=9), (0, 1), (0, 1))
        play(game, take(2))
        assert game.current.discard == [-1, 9, 9, 9]
        assert game.view(1)["grids"][0][:3] == ["x", "x", "x"]
        assert game.view(1)["discard"] == 9

    def test_by_a_drawn_card_too(self):
        game = start(dealt([[9, 9, -1], [1]], opening=2, draw=[9]), (0, 1), (0, 1))
        play(game, DRAW, swap(2))
        assert game.current.discard == [2, -1, 9, 9, 9]

    def test_by_a_flip_on_top_of_the_discarded_card(self):
        game = start(dealt([[9, 9, 9], [1]], opening=2, draw=[4]), (0, 1), (0, 1))
        play(game, DRAW, flip(2))
        assert game.current.discard == [2, 4, 9, 9, 9]
        assert game.view(0)["points_now"][0] == 0
        assert game.current.columns == [(0, 0, 9)]

    def test_negative_ones_must_leave_too(self):
        game = start(dealt([[-2, -2, 5, 12], [1]], opening=-2), (0, 3), (0, 1))
        play(game, take(2))
        draw_and_flip(game)
        play(game, DRAW, flip(1))
        assert game.view(0)["grids"][0][:3] == ["x", "x", "x"]

    def test_the_next_seat_may_take_a_cleared_card(self):
        game = start(dealt([[9, 9, -1], [1]], opening=9), (0, 1), (0, 1))
        play(game, take(2), take(0))
        assert game.view(0)["grids"][1][0] == 9
        assert game.current.discard == [-1, 9, 9, 1]

    def test_rows_never_count(self):
        game = start(dealt([[9, 1, 2, 9, 1, 2, 9, 1, 2, 9], [1]], opening=9), (0, 3), (0, 1))
        play(game, DRAW, flip(6))
        draw_and_flip(game)
        play(game, DRAW, flip(9))
        assert game.view(0)["grids"][0] == [9, None, None] * 4

    def test_two_columns_of_a_seat_may_clear_in_one_round(self):
        game = start(dealt([[9, 9, 9, 8, 8, 8], [1]]), (0, 1), (0, 1))
        for cell in 2, 3, 4, 5:
            play(game, DRAW, flip(cell))
            draw_and_flip(game)
        assert game.current.columns == [(0, 0, 9), (0, 1, 8)]

    def test_an_equal_card_over_an_equal_one_that_is_face_down_waits_until_it_is_seen(self):
        game = start(dealt([[9, 9, 9], [1]], opening=4), (0, 1), (0, 1))
        play(game, take(5))
        assert game.view(0)["grids"][0][:3] == [9, 9, None]

    def test_they_stay_where_the_rules_say_so(self):
        game = start(dealt([[9, 9, 9], [1]], rules="gamerules-plain"), (0, 1), (0, 1))
        play(game, DRAW, flip(2))
        assert game.view(0)["grids"][0][:3] == [9, 9, 9]
        game = start(dealt([[9, 9, -1], [1]], opening=9, rules="gamerules-plain"), (0, 1), (0, 1))
        play(game, take(2))
        assert game.view(0)["grids"][0][:3] == [9, 9, 9]


class TestReshuffle:
    def drained(self):
        """Eight seats, the draw pile empty."""
        game = start(new_game(seats=8))
        return flip_until(game, lambda g: g.view(0)["draw_pile"] == 0)

    def test_nothing_happens_when_the_last_card_is_drawn(self):
        game = self.drained()
        assert len(game.current.discard) == 54
        assert not any(event[0] == "reshuffle" for event in game.events)
        assert game.phase == "draw"

    def test_the_next_draw_shuffles_the_discards_and_leaves_their_top_card(self):
        deal = GivenDeal()
        game = start(new_game(seats=8, deal=deal))
        flip_until(game, lambda g: g.view(0)["draw_pile"] == 0)
        top, under = game.current.discard[-1], game.current.discard[:-1]
        game.apply(DRAW)
        assert deal.reshuffled == [under]
        new = GivenDeal().reshuffle(1, 0, under)
        assert game.current.drawn == new[0]
        assert game.current.discard == [top]
        view = game.view(0)
        assert (view["discard"], view["draw_pile"]) == (top, 52)
        assert {value: n for value, n in view["discards"].items() if n} == {str(top): 1}
        assert game.events[-2] == ("reshuffle", 53)
        assert sorted(new) == sorted(under) != new

    def test_taking_from_the_discard_pile_needs_none(self):
        game = self.drained()
        play(game, take(0))
        assert game.view(0)["draw_pile"] == 0
        assert len(game.current.discard) == 54

    def test_each_reshuffle_of_a_round_has_its_number(self):
        asked = []

        class Asked(GivenDeal):
            def reshuffle(self, round, k, pile):
                asked.append((round, k, len(pile)))
                return super().reshuffle(round, k, pile)

        game = start(new_game({"turn_cap": 100}, 8, Asked()))
        while len(asked) < 3 and game.round == 1:
            play(game, DRAW, swap(0))
        assert asked == [(1, 0, 53), (1, 1, 53), (1, 2, 53)]


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (reveal(0, 1), "Take from the draw pile or from the discard pile first."),
        (swap(0), "Take from the draw pile or from the discard pile first."),
        (DISCARD, "Take from the draw pile or from the discard pile first."),
        (take(12), "There is no cell 12; cells run from 0 to 11."),
        (take(-1), "There is no cell -1; cells run from 0 to 11."),
        (take(10**30), "There is no cell 1000000000000000000000000000000; cells run"),
        (take(10**300), "take a huge integer is illegal. There is no cell a huge integer; cells run"),
        (take(10**9999), "There is no cell a huge integer"),
        (take(1), "Cell 1 is empty: column 0 was removed."),
    ],
)
def test_an_illegal_draw_is_told_why(action, text):
    game = start(dealt([[9, 9, 9], [1]]), (0, 1), (0, 1))
    play(game, DRAW, flip(2))
    draw_and_flip(game)
    before = game.view(0), game.n_decisions
    with pytest.raises(IllegalAction) as caught:
        game.apply(action)
    assert str(caught.value).startswith("Round 1, turn 3, seat 0, phase draw: ")
    assert text in str(caught.value)
    assert (game.view(0), game.n_decisions) == before


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (DRAW, "Swap the drawn card into the grid, or discard it and flip a face-down card."),
        (take(0), "Swap the drawn card into the grid"),
        (reveal(5), "Swap the drawn card into the grid"),
        (DISCARD, "a seat that discards the drawn card must turn over a face-down card."),
        (flip(3), "Cell 3 is face-up already; face-down are 1, 2, 4, 5, 6, 7, 8, 9, 10, 11."),
        (flip(77), "There is no cell 77"),
        (flip(-2), "There is no cell -2"),
        (swap(-3), "There is no cell -3"),
    ],
)
def test_an_illegal_placement_is_told_why(action, text):
    game = play(start(new_game()), DRAW)
    with pytest.raises(IllegalAction) as caught:
        game.apply(action)
    assert text in str(caught.value)
    assert game.phase == "place"


@pytest.mark.parametrize("action", [DRAW, reveal(3), reveal(4, 4), reveal(1, 2, 3), reveal()])
def test_an_illegal_reveal_is_told_why(action):
    with pytest.raises(
        IllegalAction, match=r"phase reveal: .* is illegal\. Reveal two different face-down cells"
    ):
        new_game().apply(action)


def test_a_reveal_of_no_cell_is_told_why():
    with pytest.raises(IllegalAction, match="There is no cell 12"):
        new_game().apply(reveal(0, 12))


def test_a_game_that_is_over_takes_no_action(rng):
    game = randomly(new_game({"target": 1}), rng)
    with pytest.raises(IllegalAction, match=r"Round \d+: draw is illegal\. The round is over\."):
        game.apply(DRAW)
