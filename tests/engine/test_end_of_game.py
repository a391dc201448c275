"""Totals, the target, extra rounds, the caps, and the placing."""

from __future__ import annotations

import pytest

from matches.engine import CELLS, DRAW, Outcome, Rules, swap
from matches.engine.scoring import next_clockwise, placing

from .staging import GivenDeal, Staged, finish_round, new_game, pack, play, staged_game, start


def test_points_add_up_and_exactly_a_hundred_ends_the_game():
    game = staged_game(Staged((20, 30), closer=0), Staged((25, 70), closer=0, starter=0))
    assert game.outcome == Outcome("target", (45, 100), (1, 2))
    assert game.events[-1] == ("over", "target", (1, 2), (45, 100))


def test_ninety_nine_does_not():
    game = staged_game(Staged((20, 30), closer=0), Staged((25, 69), closer=0, starter=0))
    assert game.outcome is None
    assert (game.round, game.totals) == (3, [45, 99])


def test_doubling_can_end_it():
    game = staged_game(Staged((55, 50), closer=0))
    assert game.outcome == Outcome("target", (110, 50), (2, 1))


@pytest.mark.parametrize(("target", "over"), [(50, True), (51, False), (200, False)])
def test_other_targets(target, over):
    game = staged_game(Staged((20, 50), closer=0), rules={"target": target})
    assert (game.outcome is not None) is over


def test_the_round_is_finished_first():
    game = staged_game(Staged((60, 55, 30), closer=2, starter=0), Staged((45, 40, 20), closer=2, starter=2))
    assert game.outcome.totals == (105, 95, 50)


@pytest.mark.parametrize(
    ("totals", "places"),
    [
        ((103, 80), (2, 1)),
        ((80, 103, 80), (1, 3, 1)),
        ((90, 50, 90, 100), (2, 1, 2, 4)),
        ((5, 5, 5), (1, 1, 1)),
        ((100, -3, 7, 7, 99, 7, 12, -3), (8, 1, 3, 3, 7, 3, 6, 1)),
    ],
)
def test_equal_totals_share_the_placing(totals, places):
    assert placing(totals) == places


def test_a_tie_for_the_lowest_total_is_shared_on_the_sheet():
    game = staged_game(Staged((30, 60, 31), closer=0), Staged((22, 45, 21), closer=2, starter=0))
    assert game.outcome == Outcome("target", (52, 105, 52), (1, 3, 1))


class TestExtraRounds:
    RULES = {"target": 30, "tie_doubles": False, "final_tie": "extra_round"}

    def test_the_tied_seats_play_one_more_round_alone(self):
        first = Staged((20, 31, 20), closer=0)
        game = staged_game(first, rules=self.RULES)
        assert game.outcome is None
        assert game.current.table == (0, 2)
        view = game.view(1)
        assert view["grids"] == [[None] * CELLS, ["x"] * CELLS, [None] * CELLS]
        assert view["draw_pile"] == 150 - 24 - 1
        assert view["starter"] == 0
        pack = GivenDeal().pack(2)
        start(game, (0, 1), (0, 1))
        view = game.view(1)
        assert view["grids"][0][:2] == pack[:2]
        assert view["grids"][2][:2] == pack[12:14]
        assert view["discard"] == pack[24]
        assert view["points_now"][1] == 0

    def test_the_others_are_not_asked_and_have_no_points(self):
        game = staged_game(
            Staged((20, 31, 20), closer=0),
            Staged((30, 11), closer=0, starter=0, table=(0, 2)),
            rules=self.RULES,
        )
        last = max(i for i, event in enumerate(game.events) if event[0] == "round")
        assert {event[1] for event in game.events[last:] if event[0] in {"reveal", "draw"}} == {0, 2}
        result = game.rounds[1]
        assert result.table == (0, 2)
        assert result.points_before == (30, 0, 11)
        assert (result.doubled, result.points) == (0, (60, 0, 11))
        assert result.grids[1] == ("x",) * CELLS
        assert game.outcome == Outcome("target", (80, 31, 31), (2, 3, 1))

    def test_points_of_nought_of_those_who_sit_out_double_nobody(self):
        game = staged_game(
            Staged((20, 31, 20), closer=0),
            Staged((10, 11), closer=0, starter=0, table=(0, 2)),
            rules=self.RULES,
        )
        assert game.rounds[1].doubled is None

    @pytest.mark.parametrize(
        ("last", "starter"),
        [
            (Staged((20, 31, 20), closer=0), 0),
            (Staged((20, 31, 20), closer=2, starter=0), 2),
            (Staged((31, 20, 20, 32), closer=3, starter=2), 1),
            (Staged((20, 31, 20, 31), closer=1, starter=0), 2),
        ],
    )
    def test_the_last_closer_starts_if_at_the_table_else_the_next_tied_seat(self, last, starter):
        first = Staged([9] * len(last.points), closer=last.order[0])
        rules = self.RULES | {"target": 40}
        game = staged_game(first, last, rules=rules)
        assert len(game.current.table) == 2
        assert game.view(0)["starter"] == starter

    def test_even_where_the_highest_sum_starts_all_other_rounds(self):
        game = staged_game(Staged((20, 31, 20), closer=2), rules=self.RULES | {"next_start": "highest_sum"})
        assert game.view(0)["starter"] == 2

    @pytest.mark.parametrize(("cells", "starter"), [((10, 11), 0), ((0, 1), 1)])
    def test_after_a_cut_its_starter_counts_instead_of_a_closer(self, cells, starter):
        hands = [range(1, 13), range(1, 13), [*range(2, 13), 12]]
        game = new_game(self.RULES | {"turn_cap": 1}, 3, GivenDeal([pack(hands)]))
        start(game, (0, 1), (2, 3), cells)
        finish_round(game)
        assert game.rounds[0].cut
        assert game.rounds[0].starter == (2 if cells == (10, 11) else 1)
        assert game.current.table == (0, 1)
        assert game.view(0)["starter"] == starter

    def test_the_tie_goes_on_among_those_who_stay_level(self):
        first = Staged((20, 20, 31, 20), closer=0)
        second = Staged((12, 25, 12), closer=0, starter=0, table=(0, 1, 3))
        third = Staged((9, 8), closer=3, starter=0, table=(0, 3))
        game = staged_game(first, second, third, rules=self.RULES)
        assert [result.table for result in game.rounds] == [(0, 1, 2, 3), (0, 1, 3), (0, 3)]
        assert game.outcome == Outcome("target", (41, 45, 31, 40), (2, 3, 4, 1))

    def test_those_who_left_together_are_ranked_by_that_round(self):
        tables = [(0, 1, 2, 3), (0, 1)]
        assert placing((50, 49, 60, 55, 12, 90), tables) == (2, 1, 4, 3, 5, 6)
        assert placing((50, 50, 60, 60, 12, 12), tables) == (1, 1, 3, 3, 5, 5)

    def test_at_most_ten_are_played_and_then_the_placing_is_shared(self):
        game = self.level_game(3, self.RULES)
        assert len(game.rounds) == 11
        assert game.outcome.reason == "target"
        assert game.outcome.placing == (1, 1, 1)
        assert len(set(game.totals)) == 1

    def test_they_end_with_the_round_cap(self):
        game = self.level_game(2, self.RULES | {"round_cap": 4})
        assert len(game.rounds) == 4
        assert game.outcome.placing == (1, 1)

    def test_none_is_played_when_the_game_ends_by_the_round_cap(self):
        game = self.level_game(2, self.RULES | {"round_cap": 1, "target": 500})
        assert (len(game.rounds), game.outcome.reason) == (1, "round_cap")

    def test_their_turn_cap_counts_the_seats_that_play(self):
        first = Staged((20, 31, 20), closer=0)
        game = staged_game(first, rules=self.RULES | {"turn_cap": 11})
        start(game, (0, 1), (0, 1))
        while game.round == 2 and game.outcome is None:
            play(game, DRAW, swap(0))
        assert game.rounds[1].turns == 22

    def level_game(self, seats, rules):
        """All hands are equal in every round."""
        level = pack([range(1, 13)] * seats)
        game = new_game(rules, seats, GivenDeal([level] * 20))
        while game.outcome is None:
            start(game, *[(0, 1)] * len(game.current.table))
            finish_round(game)
        return game


def test_the_game_ends_with_the_round_cap_and_its_totals():
    game = staged_game(Staged((20, 30), closer=0), rules={"round_cap": 1})
    assert game.outcome == Outcome("round_cap", (20, 30), (1, 2))


def test_fifty_rounds_are_the_default_cap():
    game = new_game({"turn_cap": 1, "target": 10**6})
    while game.outcome is None:
        start(game, (0, 1), (0, 1))
        play(game, DRAW, swap(0), DRAW, swap(0))
    assert len(game.rounds) == Rules().round_cap == 50
    assert game.outcome.reason == "round_cap"


def test_the_next_clockwise_of_several():
    assert next_clockwise(3, (0, 3), 5) == 3
    assert next_clockwise(2, (0, 3), 5) == 3
    assert next_clockwise(4, (0, 3), 5) == 0
