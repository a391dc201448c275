"""Points and tie-breaks, against worked examples and by hand."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from arena.formats.pairings import POINT, Turnout
from arena.formats.tiebreaks import DIRECT_ENCOUNTER, LEVEL, SQUARE, Ranking, Table, Turn

WIN, DRAW, LOSS = 2, 1, 0


def turn(other: int, halves: int, turnout: Turnout = Turnout.PLAYED) -> Turn:
    return Turn(
        turnout, LEVEL * halves, {other: halves}, frozenset({other} if turnout is Turnout.PLAYED else ())
    )


def points_of(total: float, rounds: int) -> list[Turn]:
    """Rounds against nobody of interest that come to this total."""
    halves = int(2 * total)
    return [Turn(Turnout.PLAYED, LEVEL * min(2, max(0, halves - 2 * r))) for r in range(rounds)]


def swiss(rounds: int, mine: Sequence[Turn], scores: dict[int, float]) -> Table:
    """A table of entry 1 with these rounds and of opponents with these points."""
    table = Table([1, *scores], forfeits_are_games=False)
    table.turns[1] = list(mine)
    for who, total in scores.items():
        table.turns[who] = points_of(total, rounds)
    table.rounds = rounds
    return table


def buchholz(table: Table, who: int = 1) -> float:
    return table.buchholz(who) / SQUARE


# Worked examples of the FIDE Arbiters' Manual 2026 on unplayed rounds (C.07, article 16): the totals printed there.


def test_a_round_sat_out_counts_as_against_a_dummy_that_was_level_in_all_rounds_at_most() -> None:
    results = [
        (11, WIN),
        (12, WIN),
        (13, LOSS),
        (15, WIN),
        (16, DRAW),
        (17, WIN),
        (18, DRAW),
        (19, WIN),
        (20, WIN),
    ]
    scores = {11: 5, 12: 5, 13: 6.5, 15: 4.5, 16: 6, 17: 5, 18: 6.5, 19: 5.5, 20: 6}
    mine = [turn(other, halves) for other, halves in results]
    mine.insert(3, Turn(Turnout.ABSENT, 0))
    table = swiss(10, mine, scores)
    assert table.points[1] == 7 * POINT
    assert buchholz(table) == 55
    assert table.sonneborn_berger(1) / SQUARE / 2 == 37.25
    # Cut-1 is 50: the round sat out goes first, although 4.5 is less. The median cuts 6.5 as well.
    assert table.median_buchholz(1) / SQUARE == 50 - 6.5


@pytest.mark.parametrize(("own", "theirs", "total"), [(7, 5.5, 49.5), (5, 5.5, 49)])
def test_a_forfeit_counts_as_against_a_dummy_no_better_than_the_opponent(
    own: float, theirs: float, total: float
) -> None:
    scores = dict.fromkeys(range(11, 19), 5.5) | {30: theirs}
    wins = int(own) - 1
    mine = [turn(other, WIN if number < wins else LOSS) for number, other in enumerate(range(11, 19))]
    mine.insert(6, turn(30, WIN, Turnout.WON_BY_FORFEIT))
    assert buchholz(swiss(9, mine, scores)) == total


def test_a_forfeited_and_a_missed_round_count_as_dummies_with_their_own_limits() -> None:
    scores = dict.fromkeys(range(11, 18), 6.5) | {18: 6, 30: 8}
    mine = [turn(other, WIN) for other in range(11, 17)] + [turn(17, DRAW), turn(18, LOSS)]
    mine += [turn(30, LOSS, Turnout.FORFEITED), Turn(Turnout.ABSENT, 0)]
    table = swiss(10, mine, scores)
    assert table.points[1] == 6.5 * POINT
    assert buchholz(table) == 51.5 + 6.5 + 5


def test_rounds_after_a_withdrawal_count_as_level_for_the_opponents_and_forfeits_as_lost() -> None:
    table = Table([1, 2], forfeits_are_games=False)
    table.turns[1] = [turn(2, LOSS)]
    table.turns[2] = [
        turn(1, WIN),
        turn(9, LOSS, Turnout.FORFEITED),
        Turn(Turnout.ABSENT, 0),
        Turn(Turnout.ABSENT, 0),
    ]
    table.turns[9] = []
    table.rounds = 4
    assert table.points[2] == POINT
    assert buchholz(table) == 2


def test_a_bye_counts_its_points_for_the_opponents_and_a_dummy_for_oneself() -> None:
    table = Table([1, 2, 3], forfeits_are_games=False)
    table.turns[1] = [turn(2, WIN), Turn(Turnout.BYE, POINT), turn(3, WIN)]
    table.turns[2] = [turn(1, LOSS), Turn(Turnout.BYE, POINT), turn(3, LOSS)]
    table.turns[3] = [Turn(Turnout.BYE, POINT), turn(2, WIN), turn(1, LOSS)]
    table.rounds = 3
    # 3 points, but the dummy is worth no more than 1.5.
    assert buchholz(table) == 1 + 1.5 + 2
    assert table.sonneborn_berger(1) / SQUARE / 2 == 1 + 1.5 + 2


def test_the_median_of_fewer_than_three_rounds_cuts_nothing() -> None:
    table = swiss(2, [turn(11, WIN), turn(12, LOSS)], {11: 1, 12: 2})
    assert table.median_buchholz(1) == table.buchholz(1) == 3 * SQUARE


def test_a_table_of_four_counts_as_one_round_against_the_mean_of_the_others() -> None:
    table = Table([1, 2, 3, 4], forfeits_are_games=False)
    table.turns[1] = [Turn(Turnout.PLAYED, POINT, {2: WIN, 3: WIN, 4: WIN}, frozenset({2, 3, 4}))]
    for who, total in ((2, 2), (3, 1), (4, 0)):
        table.turns[who] = points_of(total, 2)
    table.rounds = 1
    assert buchholz(table) == 1
    assert table.sonneborn_berger(1) / SQUARE / 2 == 1


def test_in_a_round_robin_forfeits_are_games() -> None:
    table = Table([1, 2], forfeits_are_games=True)
    table.turns[1] = [turn(2, WIN, Turnout.WON_BY_FORFEIT)]
    table.turns[2] = [turn(1, LOSS, Turnout.FORFEITED)]
    assert table.met == {(1, 2): [WIN], (2, 1): [LOSS]}
    assert Table([1], forfeits_are_games=True).met == {}


def encounter(
    results: dict[tuple[int, int], int], tied: Sequence[int], extra: Sequence[int] = ()
) -> list[list[int]]:
    """How direct encounter splits these, given half wins of the first against the second."""
    table = Table([*tied, *extra], forfeits_are_games=False)
    for (one, two), halves in results.items():
        table.turns[one].append(turn(two, halves))
        table.turns[two].append(turn(one, 2 - halves))
    ranking = Ranking(tied)
    keys = DIRECT_ENCOUNTER.keys(table, tied)
    ranking.split("direct_encounter", {who: key for who, (key, _) in keys.items()})
    return ranking.groups


def test_direct_encounter_of_two_is_their_match() -> None:
    assert encounter({(2, 1): WIN}, [1, 2]) == [[2], [1]]
    assert encounter({(2, 1): DRAW}, [1, 2]) == [[1, 2]]
    assert encounter({}, [1, 2]) == [[1, 2]]


def test_direct_encounter_looks_again_at_those_who_are_still_tied() -> None:
    # 1 beats all; 2, 3, 4 have a win each but against 1, in a circle; without it 5 is last.
    circle = {(1, 2): WIN, (1, 3): WIN, (1, 4): WIN, (2, 3): WIN, (3, 4): WIN, (4, 2): WIN}
    assert encounter(circle, [1, 2, 3, 4]) == [[1], [2, 3, 4]]
    # 1 and 2 have two points each of three, 3 and 4 one; the matches between the two decide.
    pairs = {(1, 2): WIN, (1, 3): WIN, (1, 4): LOSS, (2, 3): WIN, (2, 4): WIN, (3, 4): WIN}
    assert encounter(pairs, [1, 2, 3, 4]) == [[1], [2], [3], [4]]


def test_direct_encounter_without_all_meetings_decides_only_what_none_could_change() -> None:
    # 1 has beaten 2 and 3, who have not met: nobody can come near it.
    assert encounter({(1, 2): WIN, (1, 3): WIN}, [1, 2, 3]) == [[1], [2, 3]]
    # 3 has not met 1 and might have won.
    assert encounter({(1, 2): WIN, (2, 3): LOSS}, [1, 2, 3]) == [[1, 2, 3]]


def test_who_met_twice_counts_the_mean_of_both() -> None:
    table = Table([1, 2, 3], forfeits_are_games=False)
    for one, two, halves in ((1, 2, WIN), (1, 2, LOSS), (2, 3, WIN), (3, 1, WIN)):
        table.turns[one].append(turn(two, halves))
        table.turns[two].append(turn(one, 2 - halves))
    keys = DIRECT_ENCOUNTER.keys(table, [1, 2, 3])
    assert {who: shown for who, (_, shown) in keys.items()} == {1: 0.5, 2: 1.5, 3: 1.0}


def test_mean_points_difference_is_over_matches_in_which_it_can_be_told() -> None:
    table = Table([1, 2], forfeits_are_games=False)
    table.better[1] = [Fraction(3), Fraction(-1, 2)]
    assert table.mean_better(1) == Fraction(5, 4)
    assert table.mean_better(2) is None
