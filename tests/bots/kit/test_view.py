"""What a View tells and which actions it makes, each against the engine or by hand."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from bots.kit.skyjo import COLUMNS, DECK, VALUES, View
from matches.engine import Action, Game, SeededDeal, cards, parse_seed, rules_from

X = "x"
OFFICIAL = rules_from("official").as_dict()
MAY = rules_from("gamerules").as_dict()
PLAIN = rules_from("gamerules-plain").as_dict()


def raw(cells, rivals=(), **more):
    """The protocol's view of seat 0 with these cells, and of rivals with theirs."""
    grids = [list(cells), *(list(rival) for rival in rivals)]
    return {
        "round": 1,
        "turn": 3,
        "seat": 0,
        "starter": 0,
        "closer": None,
        "totals": [0] * len(grids),
        "points_now": [sum(card for card in grid if isinstance(card, int)) for grid in grids],
        "grids": grids,
        "discard": 4,
        "discards": {str(value): int(value == 4) for value in VALUES},
        "draw_pile": 125,
        **more,
    }


HIDDEN = [None] * 12
MIXED = [None, 5, None, X, X, X, 7, 7, 1, 0, None, 12]


def views(preset, seats=3, games=3, seed=4):
    """Every view of some random games, with the game as it is then."""
    rules = rules_from(preset)
    luck = random.Random(seed)
    for number in range(games):
        game = Game(rules, seats, SeededDeal(parse_seed("9"), number))
        while game.seat is not None:
            yield game, View(game.view(game.seat), game.phase, (), None, rules.as_dict())
            game.apply(luck.choice(game.legal_actions()))


def test_the_kit_knows_the_engine_s_cards():
    assert sorted(Counter(DECK).elements()) == list(cards.DECK)
    assert tuple(cards.VALUES) == VALUES
    assert [cell for column in COLUMNS for cell in column] == list(range(cards.CELLS))


def test_a_view_reads_as_the_protocol_s_view():
    for game, view in views("official"):
        seen = game.view(game.seat)
        assert view.raw == seen
        for name in (
            "round",
            "turn",
            "seat",
            "starter",
            "closer",
            "totals",
            "points_now",
            "grids",
            "discard",
        ):
            assert getattr(view, name) == seen[name]
        assert view.draw_pile == seen["draw_pile"]
        assert view.cells == seen["grids"][game.seat]
        assert view.drawn == seen.get("drawn")
        assert {str(value): n for value, n in view.discards.items()} == seen["discards"]


@pytest.mark.parametrize("preset", ["official", "gamerules", "guide-2026"])
def test_legal_actions_are_those_of_the_engine(preset):
    for game, view in views(preset):
        if game.phase != "reveal":
            assert {Action(a.kind, a.cells) for a in view.legal_actions()} == set(game.legal_actions())


def test_unseen_cards_are_those_in_the_draw_pile_and_face_down():
    for game, view in views("official", seats=8, games=2):
        seen = Counter(game.current.discard if game.current.is_open else ())
        seen.update(card for grid in view.grids for card in grid if isinstance(card, int))
        if view.drawn is not None:
            seen[view.drawn] += 1
        expected = Counter(cards.DECK)
        expected.subtract(seen)
        unseen = view.unseen()
        if game.current.is_open:
            assert unseen == {value: expected[value] for value in VALUES}
            n_hidden = sum(grid.count(None) for grid in view.grids)
            assert sum(unseen.values()) == view.draw_pile + n_hidden
            assert view.unseen_mean() == pytest.approx(
                sum(value * n for value, n in unseen.items()) / sum(unseen.values())
            )


@pytest.mark.parametrize("preset", ["official", "gamerules-plain"])
def test_clears_foresees_what_the_engine_clears(preset):
    rules = rules_from(preset)
    n_cleared = 0
    for number in range(6):
        game = Game(rules, 2, SeededDeal(parse_seed("9"), number))
        while game.seat is not None:
            view = View(game.view(game.seat), game.phase, (), None, rules.as_dict())
            card = {"draw": view.discard, "place": view.drawn}.get(game.phase)
            make = {"draw": view.take, "place": view.swap}.get(game.phase)
            wanted = [c for c in view.remaining() if card is not None and view.clears(c, card)]
            if wanted:
                action = make(wanted[0])
                n_events = len(game.events)
                game.apply(Action(action.kind, action.cells))
                assert ("clear", view.seat, wanted[0] // 3, card) in game.events[n_events:]
                n_cleared += 1
            else:
                # Like beside like, so that columns come about.
                beside = [
                    c for c in view.remaining() if card in view.columns()[c // 3] and view.cells[c] != card
                ]
                action = make(beside[0]) if beside else None
                game.apply(Action(action.kind, action.cells) if action else game.legal_actions()[0])
    assert (n_cleared > 0) == (preset == "official")


def test_cells_by_what_they_hold():
    view = View(raw(MIXED, [HIDDEN]), "draw")

    assert view.hidden() == [0, 2, 10]
    assert view.face_up() == [1, 6, 7, 8, 9, 11]
    assert view.remaining() == [0, 1, 2, 6, 7, 8, 9, 10, 11]
    assert view.columns() == [[None, 5, None], [X, X, X], [7, 7, 1], [0, None, 12]]
    assert view.hidden(1) == view.remaining(1) == list(range(12))
    assert view.face_up(1) == []
    assert view.columns(1) == [[None] * 3] * 4


@pytest.mark.parametrize(
    ("cells", "worst"),
    [
        (MIXED, 11),
        (HIDDEN, 0),
        ([X, X, X, None, *HIDDEN[4:]], 3),
        ([None, 3, 9, 9, *HIDDEN[4:]], 2),
        ([None, -2, *HIDDEN[2:]], 1),
        ([None, 0, -1, *HIDDEN[3:]], 1),
    ],
)
def test_the_worst_cell_is_the_highest_face_up_card_or_else_the_first_face_down_one(cells, worst):
    assert View(raw(cells), "draw").worst_cell() == worst


def test_the_clearing_cell_completes_a_column_of_equal_cards():
    view = View(raw(MIXED), "draw", rules=OFFICIAL)

    assert view.clearing_cell(7) == 8
    assert view.clears(8, 7)
    assert not view.clears(8, 1)
    assert not view.clears(6, 7)
    assert view.clearing_cell(5) is None
    assert View(raw(MIXED), "draw", rules=PLAIN).clearing_cell(7) is None


def test_a_removed_or_complete_column_clears_nothing():
    assert View(raw([X, X, X, *HIDDEN[3:]]), "draw", rules=OFFICIAL).clearing_cell(4) is None
    three_alike = View(raw([7, 7, 7, *HIDDEN[3:]]), "draw", rules=PLAIN)
    assert three_alike.clearing_cell(7) is None


def test_a_round_is_closed_by_the_last_face_down_card_unless_it_is_closed():
    last = [1] * 11 + [None]

    assert View(raw(last, drawn=3), "place").closes(11)
    assert not View(raw(last, drawn=3), "place").closes(0)
    assert not View(raw(MIXED), "draw").closes(0)
    assert not View(raw(last, [HIDDEN], closer=1), "draw").closes(11)


def test_the_others_are_named_in_turn_order():
    assert View(raw(HIDDEN, [HIDDEN] * 3, seat=0), "draw", rules=OFFICIAL).others() == [1, 2, 3]
    assert View(raw(HIDDEN, [HIDDEN] * 3, seat=2), "draw", rules=OFFICIAL).others() == [3, 0, 1]


def test_the_others_of_an_extra_round_are_those_at_the_table():
    rules = rules_from("guide-2026").as_dict()
    away = [X] * 12
    extra = raw(HIDDEN, [away, HIDDEN], totals=[80, 120, 80])

    assert View(extra, "draw", rules=rules).others() == [2]
    # An empty grid in an ordinary round is a seat that cleared everything, and its points count.
    assert View(raw(HIDDEN, [away, HIDDEN], totals=[80, 90, 80]), "draw", rules=rules).others() == [1, 2]


def test_expected_points_count_the_mean_for_a_face_down_card():
    view = View(raw(MIXED, [[0] * 12]), "draw")

    assert view.expected_points(1) == 0
    assert view.expected_points() == pytest.approx(32 + 3 * view.unseen_mean())
    assert view.expected_points(0) == view.expected_points()


def test_each_action_is_one_object_that_says_what_it_is():
    draw, place = View(raw(MIXED), "draw", rules=MAY), View(raw(MIXED, drawn=3), "place", rules=MAY)

    assert draw.draw() is View(raw(HIDDEN), "draw").draw()
    assert draw.take(5 + 1) is draw.take(6)
    assert [
        repr(a) for a in (draw.draw(), draw.take(6), place.swap(0), place.flip(2), place.discard_drawn())
    ] == [
        "draw()",
        "take(6)",
        "swap(0)",
        "flip(2)",
        "discard()",
    ]


@pytest.mark.parametrize(
    ("phase", "call", "sentence"),
    [
        ("draw", lambda view: view.take(3), "take(3): the card in cell 3 was removed with its column."),
        ("place", lambda view: view.swap(4), "swap(4): the card in cell 4 was removed with its column."),
        ("place", lambda view: view.flip(4), "flip(4): cell 4 is not face-down; face-down are [0, 2, 10]."),
        ("place", lambda view: view.flip(1), "flip(1): cell 1 is not face-down"),
        ("draw", lambda view: view.take(-1), "A cell is an integer from 0 to 11, not -1."),
        ("draw", lambda view: view.take(True), "A cell is an integer from 0 to 11, not True."),
        ("draw", lambda view: view.take("3"), "A cell is an integer from 0 to 11, not '3'."),
        ("draw", lambda view: view.flip(0), "flip(0) is no answer in phase draw"),
        ("draw", lambda view: view.discard_drawn(), "discard_drawn() is no answer in phase draw"),
        ("place", lambda view: view.take(0), "take(0) is no answer in phase place"),
        (
            "reveal",
            lambda view: view.draw(),
            "draw() is no answer in phase reveal: return the cells to turn over",
        ),
        (
            "place",
            lambda view: view.discard_drawn(),
            "under these rules a face-down card must be turned over",
        ),
        ("reveal", lambda view: view.legal_actions(), "is for the phases draw and place"),
    ],
)
def test_an_impossible_action_is_refused_with_the_reason(phase, call, sentence):
    view = View(raw(MIXED, **({"drawn": 3} if phase == "place" else {})), phase, rules=OFFICIAL)

    with pytest.raises(ValueError, match=r".") as caught:
        call(view)
    assert sentence in str(caught.value)


def test_without_rules_a_view_made_by_hand_plays_officially():
    view = View(raw(MIXED, drawn=3), "place")

    assert view.clears(8, 7)
    assert not view.may_discard
    assert View(raw(MIXED), "place", rules=MAY).may_discard
