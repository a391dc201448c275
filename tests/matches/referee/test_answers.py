"""Strict reading of what a bot wrote, in bounded time."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matches.engine import (
    DISCARD,
    DRAW,
    Game,
    IllegalAction,
    SeededDeal,
    flip,
    reveal,
    rules_from,
    swap,
    take,
)
from matches.referee.answers import BadAnswer, parse_answer, parse_object


def test_an_answer_is_its_action_and_its_note():
    assert parse_answer(b'{"id":7,"swap":5,"note":"hm"}', 7, "place") == (swap(5), "hm")
    assert parse_answer(b' { "cells" : [7, 0] , "id" : 7 }\r', 7, "reveal") == (reveal(0, 7), None)


@pytest.mark.parametrize("phase", ["reveal", "draw", "place"])
def test_every_action_is_read_alike_in_its_shortest_spelling_and_in_others(phase):
    every = [DRAW, DISCARD, *map(reveal, range(12))]
    every += [make(cell) for make in (take, swap, flip) for cell in range(12)]
    every += [reveal(*cells) for cells in combinations(range(12), 2)]
    for action in every:
        said = action.as_json()
        for answer in ({"id": 7, **said}, {**said, "id": 7}):
            short = json.dumps(answer, separators=(",", ":")).encode()
            for line in (short, json.dumps(answer).encode(), short + b" "):
                assert parse_answer(line, 7, phase) == (action, None)
            for number in (0, 70, 77):
                with pytest.raises(BadAnswer, match="id is not"):
                    parse_answer(short, number, phase)


def test_a_note_is_cut_at_200_characters_of_any_kind():
    _, note = parse_answer('{"id":7,"swap":5,"note":"%s"}'.replace("%s", "é😀" * 150).encode(), 7, "place")
    assert note == "é😀" * 100


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"", "The line is empty."),
        (b" \r", "The line is empty."),
        (b"hello", "The line is not JSON: expecting value at line 1, column 1."),
        (b"{'id':7}", "The line is not JSON"),
        (b'{"id":7,}', "The line is not JSON"),
        (b'{"id":7', "The line is not JSON"),
        (b'{"id":7} {"id":7}', "The line is not JSON: extra data"),
        (b'{"id":7}\x00', "The line is not JSON"),
        (b'{"id":7,"note":"\x01"}', "The line is not JSON: invalid control character at line 1, column 17."),
        (b'{"id":7,"take', "The line is not JSON: unterminated string starting at line 1, column 9."),
        (b'{"id":7,"note":"\xff"}', "The line is not UTF-8: byte 16"),
        (b'{"id":7,"note":"\xed\xa0\x80"}', "The line is not UTF-8: byte 16"),
        (b'\xef\xbb\xbf{"id":7}', "The line begins with a byte order mark."),
        ('{"id":7}'.encode("utf-16"), "The line is not UTF-8"),
        ('{"id":7}'.encode("utf-16-le"), "The line is not JSON"),
        (b"[7]", "The line is not a JSON object."),
        (b"7", "The line is not a JSON object."),
        (b"null", "The line is not a JSON object."),
        (b'{"id":7,"swap":NaN}', "The line holds NaN, which is no JSON."),
        (b'{"id":7,"swap":-Infinity}', "holds -Infinity, which"),
        (b'{"id":7,"swap":1e999}', "only integers are meant"),
        (b'{"id":7,"swap":5.0}', "only integers are meant"),
        (b'{"id":7,"swap":5e0}', "only integers are meant"),
        (b'{"id":7,"swap":' + b"9" * 60_000 + b"}", "an integer of more than 20 characters."),
        (b'{"id":7,"swap":5,"swap":5}', "The line has a key twice in one object."),
        (b'{"id":7,"id":7,"swap":5}', "The line has a key twice in one object."),
        (b'{"id":7,"cells":[{"a":1,"a":1}]}', "The line has a key twice in one object."),
        (b'{"swap":5}', "The answer has no id."),
        (b'{"id":null,"swap":5}', "The answer has no id."),
        (b'{"id":8,"swap":5}', "The answer's id is not 7."),
        (b'{"id":"7","swap":5}', "The answer's id is not 7."),
        (b'{"id":7}', "no action"),
        (b'{"id":7,"swap":true}', "no action"),
        (b'{"id":7,"swap":5,"flip":5}', "no action"),
        (b'{"id":7,"swap":5,"colour":"red"}', "no action"),
        (b'{"id":7,"swap":5,"note":5}', "The note is not a string."),
        (b'{"id":7,"swap":5,"note":null}', "The note is not a string."),
        (b'{"id":7,"swap":5,"note":"\\ud800"}', "lone surrogate"),
    ],
)
def test_anything_else_is_a_bad_answer_that_says_why(line, sentence):
    with pytest.raises(BadAnswer) as caught:
        parse_answer(line, 7, "place")
    assert sentence in caught.value.sentence


def test_true_is_not_the_id_1():
    with pytest.raises(BadAnswer):
        parse_answer(b'{"id":true,"swap":5}', 1, "place")


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_deep_nesting_is_refused(opening):
    with pytest.raises(BadAnswer, match="nested deeper than 16 levels"):
        parse_object(opening * (60_000 // len(opening)))


def test_a_sentence_never_repeats_what_the_bot_wrote():
    for line in (
        b'{"id":"secret","a":1}',
        b"secret",
        b'{"secret":1,"secret":1}',
        b'{"id":7,"note":"secret\xff"}',
    ):
        with pytest.raises(BadAnswer) as caught:
            parse_answer(line, 7, "place")
        assert "secret" not in caught.value.sentence


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-2, 13) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(["id", "cells", "take", "cell", "swap", "flip", "discard", "note", "type"])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(KEYS, ODD | st.sampled_from([7, "draw", "discard"]), max_size=4),
    st.sampled_from(["reveal", "draw", "place"]),
)
def test_any_object_is_an_action_for_the_game_to_judge_or_a_bad_answer(answer, phase):
    game = Game(rules_from("official"), 2, SeededDeal(bytes(32), 0))
    try:
        action, note = parse_answer(json.dumps({"id": 7, **answer}).encode(), 7, phase)
        game.apply(action)
    except (BadAnswer, IllegalAction):
        return
    assert note is None or len(note) <= 200


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=300))
def test_any_bytes_are_an_object_or_a_bad_answer(line):
    try:
        obj = parse_object(line)
    except BadAnswer:
        return
    assert isinstance(obj, dict)
