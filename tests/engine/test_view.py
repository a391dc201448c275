"""What a seat is told: the protocol's view, and the public events."""

from __future__ import annotations

import json

from matches.engine import DRAW, PUBLIC, event_json, event_text, flip, swap

from .staging import Staged, dealt, new_game, play, randomly, staged_game, start


def test_a_view_has_exactly_the_protocols_keys_in_its_order():
    game = start(dealt([[9], [1, 2, 3, 5]], opening=4))
    keys = [
        "round",
        "turn",
        "seat",
        "starter",
        "closer",
        "totals",
        "points_now",
        "grids",
        "discard",
        "discards",
        "draw_pile",
    ]
    assert list(game.view(1)) == keys
    play(game, DRAW)
    assert list(game.view(1)) == keys
    assert list(game.view(0)) == [*keys, "drawn"]


def test_a_view_in_full():
    game = start(dealt([[-2, 1, 1, 12], [1, 2, 3, 5]], opening=4, draw=[7]))
    play(game, DRAW)
    assert game.view(0) == {
        "round": 1,
        "turn": 1,
        "seat": 0,
        "starter": 0,
        "closer": None,
        "totals": [0, 0],
        "points_now": [10, 6],
        "grids": [[-2, None, None, 12] + [None] * 8, [1, None, None, 5] + [None] * 8],
        "discard": 4,
        "discards": {str(value): int(value == 4) for value in range(-2, 13)},
        "draw_pile": 124,
        "drawn": 7,
    }
    play(game, flip(1))
    assert game.view(1)["turn"] == 2
    assert game.view(1)["discards"]["7"] == 1


def test_a_view_is_the_callers_to_keep():
    game = start(new_game())
    view = game.view(0)
    told = json.dumps(view)
    play(game, DRAW, swap(4))
    assert json.dumps(view) == told
    view["grids"][0][0] = view["totals"][0] = view["discards"]["0"] = view["points_now"][0] = 99
    assert game.view(0)["grids"][0][0] != 99
    assert game.view(0)["totals"] == [0, 0]


def test_a_view_tells_totals_and_the_closer():
    game = staged_game(Staged((20, 30), closer=0))
    assert game.view(1)["totals"] == [20, 30]
    assert game.view(1)["closer"] is None


def test_the_text_of_a_view_is_its_compact_json(rng):
    game = new_game("guide-2026", 3)
    while game.outcome is None:
        for seat in range(3):
            assert game.view_text(seat) == json.dumps(game.view(seat), separators=(",", ":"))
        randomly(game, rng, 1)


def test_the_text_of_an_event_is_its_compact_json(rng):
    game = randomly(new_game("gamerules", 8), rng)
    kinds = set()
    for event in game.events:
        kinds.add(event[0])
        for seat in (None, PUBLIC, *range(8)):
            assert event_text(event, seat) == json.dumps(event_json(event, seat), separators=(",", ":"))
    assert kinds >= {
        "round",
        "open",
        "reveal",
        "start",
        "draw",
        "take",
        "swap",
        "discard",
        "flip",
        "close",
        "score",
        "over",
    }


def test_a_drawn_card_is_told_to_its_seat_alone():
    game = play(start(dealt([[9], [1]], draw=[7])), DRAW)
    event = game.events[-1]
    assert event_json(event) == event_json(event, 0) == {"event": "draw", "seat": 0, "card": 7}
    assert event_json(event, 1) == event_json(event, PUBLIC) == {"event": "draw", "seat": 0}


def test_all_other_events_are_told_to_everybody_alike(rng):
    for event in randomly(new_game("guide-2026", 3), rng).events:
        if event[0] != "draw":
            assert event_json(event) == event_json(event, 0) == event_json(event, PUBLIC)
