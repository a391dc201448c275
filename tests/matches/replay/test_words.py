"""A game in words."""

from __future__ import annotations

import pytest

from matches.engine import Rules
from matches.replay import log

from .games import expanded, play

NAMES = ["ada", "bob"]


def document(**round):
    """An expanded replay of one round, as little of it as the words need."""
    result = {
        "closer": 0,
        "points_before": [3, 9],
        "points": [3, 9],
        "doubled": None,
        "totals": [3, 9],
        "events": [],
    }
    return {
        "rules": Rules().as_dict() | round.pop("rules", {}),
        "seats": [{}, {}],
        "faults": round.pop("faults", []),
        "rounds": [
            {
                "round": 1,
                "dealt": round.pop("dealt", [[0] * 12, [0] * 12]),
                "opening": round.pop("opening", []),
                "decisions": round.pop("decisions", []),
                "result": result | round,
            }
        ],
        "outcome": {"reason": "target", "placing": [1, 2]},
    }


def decision(*events, **fields):
    return {
        "decision": 0,
        "turn": 1,
        "seat": 0,
        "phase": "place",
        "action": {},
        "by": "bot",
        "events": list(events),
    } | fields


def lines(document, **options):
    [round] = log(document, NAMES, **options)
    return round.lines


PUT = {"seat": 0, "card": -1, "cell": 7, "replaced": 12}


@pytest.mark.parametrize(
    ("events", "text"),
    [
        ([{"event": "draw", "seat": 0, "card": -2}], "ada draws −2."),
        (
            [{"event": "take", **PUT, "was_face_down": False}],
            "ada takes −1 from the discards for 12 in cell 7.",
        ),
        (
            [{"event": "take", **PUT, "was_face_down": True}],
            "ada takes −1 from the discards for the face-down card in cell 7: 12.",
        ),
        ([{"event": "swap", **PUT, "was_face_down": False}], "ada swaps −1 for 12 in cell 7."),
        (
            [{"event": "swap", **PUT, "was_face_down": True}],
            "ada swaps −1 for the face-down card in cell 7: 12.",
        ),
        ([{"event": "discard", "seat": 0, "card": 5}], "ada discards 5."),
        (
            [{"event": "discard", "seat": 0, "card": 5}, {"event": "flip", "seat": 0, "cell": 3, "card": 0}],
            "ada discards 5 and turns over cell 3: 0.",
        ),
        (
            [
                {"event": "discard", "seat": 0, "card": 5},
                {"event": "flip", "seat": 0, "cell": 3, "card": 4},
                {"event": "clear", "seat": 0, "column": 1, "value": 4},
                {"event": "close", "seat": 0},
            ],
            "ada discards 5 and turns over cell 3: 4. Column 1 clears: three times 4. "
            "ada closes the round: every other seat has one more turn.",
        ),
        (
            [{"event": "reshuffle", "cards": 40}, {"event": "draw", "seat": 0, "card": 1}],
            "The draw pile is empty, so 40 discards are shuffled into a new one. ada draws 1.",
        ),
    ],
)
def test_what_a_decision_did_is_said(events, text):
    assert lines(document(decisions=[decision(*events)]))[1].text == text


def test_the_first_cards_are_shown_once_all_have_chosen():
    shown = [
        {"event": "reveal", "seat": 0, "cells": [0, 1], "cards": [5, -1]},
        {"event": "reveal", "seat": 1, "cells": [2, 3], "cards": [12, 0]},
        {"event": "clear", "seat": 0, "column": 2, "value": 7},
        {"event": "start", "seat": 1},
    ]
    choice = {"phase": "reveal", "turn": 0}
    told = lines(
        document(
            opening=[{"event": "round", "round": 1}, {"event": "open", "card": 3}],
            decisions=[
                decision(**choice, action={"cells": [0, 1]}),
                decision(*shown, **choice, action={"cells": [2, 3]}, decision=1, seat=1),
            ],
        )
    )
    assert told[0].text == "Round 1 is dealt. 3 opens the discard pile."
    assert (told[1].text, told[1].more) == ("ada chooses to turn over cells 0, 1.", "")
    assert told[2].text == (
        "bob chooses to turn over cells 2, 3. Column 2 of ada clears: three times 7. bob starts."
    )
    assert told[2].more == "ada turns over 5, −1. bob turns over 12, 0."


@pytest.mark.parametrize(
    ("round", "text"),
    [
        ({}, "ada closed with 3, alone the lowest: not doubled."),
        (
            {"points_before": [9, 9], "points": [18, 9], "doubled": 0},
            "ada closed with 9, but bob has 9: doubled to 18.",
        ),
        (
            {"points_before": [0, -4], "points": [0, -4]},
            "ada closed with 0: only points above zero double.",
        ),
        (
            {"points_before": [-1, -4], "points": [-1, -4]},
            "ada closed with −1: only points above zero double.",
        ),
        (
            {"points_before": [-1, -1], "points": [-1, -1], "rules": {"double_only_positive": False}},
            "ada closed with −1, no more than bob: not doubled.",
        ),
        (
            {"points_before": [0, -1], "points": [0, -1], "rules": {"double_only_positive": False}},
            "ada closed with 0, and doubled that is the same.",
        ),
        (
            {"closer": None, "cut": True},
            "Nobody closed within the turn limit, so the round is cut and nobody doubles.",
        ),
    ],
)
def test_closing_and_doubling_are_explained(round, text):
    assert lines(document(**round))[-1].text == text


def test_the_points_of_a_round_and_the_last_cards_stand_beside_the_explanation():
    events = [
        {"event": "final", "seat": 1, "cells": [4], "cards": [6]},
        {"event": "clear", "seat": 1, "column": 1, "value": 6},
    ]
    result = lines(document(events=events))[-1]
    assert result.mark == "result"
    assert result.more == (
        "bob turns over 6. Column 1 of bob clears: three times 6. Points: ada 3, bob 9. Totals: ada 3, bob 9."
    )


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("target", "The game is over: a total reached 100."),
        ("round_cap", "The game is over: round 1 was the last that the rules allow."),
    ],
)
def test_the_end_of_the_game_says_why_and_who_is_placed_where(reason, text):
    told = document(events=[{"event": "over"}])
    told["outcome"]["reason"] = reason
    result = lines(told)[-1]
    assert result.text.endswith(text)
    assert result.more.endswith("Placing: 1. ada; 2. bob.")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("start", "ada did not start."),
        ("timeout", "ada ran out of time."),
        ("crash", "ada crashed."),
        ("illegal", "ada tried an illegal action."),
        ("protocol", "ada broke the protocol."),
        ("memory", "ada used too much memory."),
        ("output", "ada wrote too much."),
    ],
)
def test_a_fault_is_said_where_it_happened_and_the_autopilot_named(kind, text):
    draw = decision({"event": "draw", "seat": 0, "card": 1}, by="autopilot")
    line = lines(document(decisions=[draw], faults=[{"seat": 0, "decision": 0, "kind": kind}]))[1]
    assert line.text == (
        f"{text} From here the autopilot plays the seat, and it is placed last. ada (autopilot) draws 1."
    )
    assert line.mark == "fault"


def test_a_fault_after_the_last_decision_is_said_at_the_end():
    told = document(events=[{"event": "over"}], faults=[{"seat": 1, "decision": 0, "kind": "crash"}])
    assert "bob crashed." in lines(told)[-1].text


def test_an_extra_round_names_those_who_play_it():
    told = document(
        dealt=[[0] * 12, None, [0] * 12], points_before=[3, 0, 9], points=[3, 0, 9], totals=[3, 0, 9]
    )
    told["outcome"]["placing"] = [1, 3, 2]
    opening, result = log(told, ["ada", "bob", "eve"])[0].lines
    assert opening.text == "Round 1, an extra round between ada, eve, is dealt."
    assert result.text == "ada closed with 3, alone the lowest: not doubled."


def test_notes_stand_beside_their_decisions():
    told = lines(document(decisions=[decision(), decision(decision=1)]), notes={1: "<b>"})
    assert [line.note for line in told] == ["", "", "<b>", ""]


def test_every_sentence_goes_through_the_translation():
    asked = []

    def translate(text):
        asked.append(text)
        return f"«{text}»"

    draw = decision({"event": "draw", "seat": 0, "card": 1})
    assert log(document(decisions=[draw]), NAMES, translate)[0].lines[1].text == "«ada draws 1.»"
    assert "{name} draws {card}." in asked


def test_without_names_seats_are_numbered():
    text = " ".join(line.text for round in log(expanded(play())) for line in round.lines)
    assert "seat 0 draws" in text
    assert "seat 1 closed with" in text or "seat 0 closed with" in text
