"""Files that are no replays, or are made to hurt, each end in one sentence."""

from __future__ import annotations

import copy
import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matches.replay import MAX_BYTES, ReplayError, core_sha256, decode, encode, expand, verify
from matches.replay.decoding import MAX_DECISIONS

from .games import SHORT, as_json, play

GAME = play(SHORT, seed=3, faults={1: (12, "crash")})
STORED = encode(GAME.core(), GAME.timing())
COMPACT = json.loads(gzip.decompress(STORED))
EXPANDED = expand(decode(STORED))


def compact(**core):
    document = copy.deepcopy(COMPACT)
    document["core"].update(core)
    return as_json(document)


def changed(form, *path_and_value):
    *path, last, value = path_and_value
    document = copy.deepcopy(form)
    place = document
    for key in path:
        place = place[key]
    place[last] = value
    return as_json(document)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b"\xff\xfe{}", "not UTF-8: byte 0"),
        (b"{", "not JSON: "),
        (b"\xef\xbb\xbf{}", "the file begins with a byte order mark"),
        (STORED[2:], "not UTF-8"),
        (b"null", 'a JSON object with the member "replay"'),
        (b"[1]", 'a JSON object with the member "replay"'),
        (b'{"type":"hello"}', 'a JSON object with the member "replay"'),
        (b'{"replay":"film"}', "replay must be one of compact, expanded"),
        (b'{"replay":["compact"]}', "replay must be one of compact, expanded"),
        (b'{"replay":"compact"}', "core is missing"),
        (b'{"replay":"expanded"}', "format is missing"),
        (b'{"replay":"compact","replay":"compact"}', 'a key twice in one object: "replay"'),
        (b'{"replay":NaN}', "holds NaN"),
        (b'{"replay":-Infinity}', "holds -Infinity"),
        (b'{"replay":1.0}', 'only integers are meant: "1.0"'),
        (b'{"replay":1e999}', 'only integers are meant: "1e999"'),
        (b'{"replay":' + b"9" * 21 + b"}", "more than 20 characters"),
        (b'{"replay":' + b"9" * 100_000 + b"}", "more than 20 characters"),
        (b"[" * 100_000, "nested deeper than 16"),
        (b'{"a":' * 20 + b"1" + b"}" * 20, "nested deeper than 16"),
        (b'"' + b"\\" * 100_001, "not JSON: "),
        (b" " * (MAX_BYTES + 1), "larger than 16,777,216 bytes"),
        (gzip.compress(b" " * (MAX_BYTES + 1)), "unpacks to more than 16,777,216 bytes"),
        (gzip.compress(STORED), "not UTF-8"),
        (STORED + STORED, "something follows the gzip data"),
        (STORED + b"\0", "something follows the gzip data"),
        (b"\x1f\x8b" + bytes(40), "the gzip data is damaged"),
        (compact(format=2), "has format 2; this program reads format 1"),
        (compact(format=True), "core.format must be an integer"),
        (compact(engine_rules=7), "played under engine_rules 7; this program plays 1"),
        (compact(rules=[]), "core.rules must be an object"),
        (compact(rules={"target": 0}), "The flag target must be an integer from 1"),
        (compact(rules={"luck": 1}), "There is no flag"),
        (compact(rules={"target": 1, "columns": True}), "the flags that differ from `official`"),
        (compact(rules={"preset": "official"}), "the flags that differ from `official`"),
        (compact(seed="00"), "core.seed must be 64 lower-case hex digits"),
        (compact(seed="A" * 64), "core.seed must be 64 lower-case hex digits"),
        (compact(seed=7), "core.seed must be 64 lower-case hex digits"),
        (compact(deal=-1), "core.deal must be an integer from 0"),
        (compact(deal=True), "core.deal must be an integer from 0"),
        (compact(deal=2**31), "core.deal must be an integer from 0"),
        (compact(seats=["a" * 64]), "core.seats must be a list of 2 to 8 items"),
        (compact(seats=["a" * 64] * 9), "core.seats must be a list of 2 to 8 items"),
        (compact(seats=["a" * 64, None]), "core.seats[1] must be 64 lower-case hex digits"),
        (compact(decisions="#\n"), "core.decisions must be"),
        (compact(decisions='#"'), "decision 1: "),
        (compact(decisions="#é"), "decision 1: "),
        (compact(decisions="#" * (MAX_DECISIONS + 1)), "at most 100,000 characters"),
        (compact(decisions=[]), "core.decisions must be"),
        (compact(faults=[[1, 12]]), "core.faults[0] must be [seat, decision, kind]"),
        (compact(faults=[[2, 12, "crash"]]), "core.faults[0].seat must be an integer from 0 to 1"),
        (compact(faults=[[1, 10**6, "crash"]]), "core.faults[0].decision must be an integer"),
        (compact(faults=[[1, 12, "bored"]]), "core.faults[0].kind must be one of start"),
        (compact(faults=[[1, 12, "crash"], [1, 13, "crash"]]), "a seat faults once a game"),
        (compact(faults=[[1, 12, "crash"], [0, 3, "crash"]]), "in the order of their decisions"),
        (compact(faults=[[1, 12, "crash"]] * 3), "core.faults must be a list of 0 to 2 items"),
        (compact(extra=1), '"extra" in core is no part of the format'),
        (changed(COMPACT, "more", 1), '"more" in the file is no part of the format'),
        (changed(COMPACT, "timing", "cpu", "0"), "timing.cpu must be"),
        (changed(COMPACT, "timing", "cpu", 0), "timing.cpu must be"),
        (changed(COMPACT, "timing", "seat_cpu_ms", [1]), "timing.seat_cpu_ms must be a list of 2 to 2 items"),
        (changed(COMPACT, "timing", "seat_cpu_ms", [1, -1]), "timing.seat_cpu_ms.[1] must be an integer"),
        (changed(COMPACT, "core_sha256", "0" * 63), "core_sha256 must be 64 lower-case hex digits"),
        (changed(EXPANDED, "format", 3), "has format 3"),
        (changed(EXPANDED, "seats", 0, []), "seats[0] must be an object, not a list of 0"),
        (changed(EXPANDED, "rounds", []), "rounds must be a list of 1 to"),
        (changed(EXPANDED, "rounds", 0, 7), "rounds[0] must be an object, not 7"),
        (
            changed(EXPANDED, "rounds", 0, "decisions", 0, "phase", "over"),
            "phase must be one of reveal, draw, place",
        ),
        (changed(EXPANDED, "rounds", 0, "decisions", 2, "action", {"swap": True}), "decision 2: "),
        (
            changed(EXPANDED, "rounds", 0, "decisions", 2, "action", {"swap": 99}),
            "names cells that no grid has",
        ),
        (
            changed(EXPANDED, "rounds", 0, "decisions", 0, "action", {"cells": [3, 3]}),
            "names cells that no grid has",
        ),
        (
            changed(EXPANDED, "rounds", 0, "decisions", 2, "cpu_ms_below", 3),
            "neither null nor a power of two",
        ),
        (
            changed(EXPANDED, "rounds", 0, "decisions", 2, "cpu_ms_below", 0),
            "cpu_ms_below must be an integer",
        ),
        (changed(EXPANDED, "rules", "preset", "marquoir-50"), "The preset marquoir-50 has target 50, not 1"),
        (changed(EXPANDED, "rules", "preset", "chess"), "There is no preset"),
        (changed(EXPANDED, "about", {"deep": [[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]}), "nested deeper than 16"),
    ],
)
def test_a_bad_file_is_told_why(data, sentence):
    with pytest.raises(ReplayError) as caught:
        verify(data)
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 600
    assert str(caught.value).isprintable()


def test_a_version_of_the_future_is_named_before_anything_else_is_wrong():
    with pytest.raises(ReplayError, match="format 2"):
        decode(b'{"replay":"compact","core":{"format":2,"engine_rules":5,"moves":[]}}')


def test_a_truncated_file_is_told_at_whatever_byte_it_ends():
    for n in range(len(STORED)):
        with pytest.raises(ReplayError):
            decode(STORED[:n])


def test_a_truncated_plain_file_is_told_at_whatever_byte_it_ends():
    plain = gzip.decompress(STORED)
    for n in range(len(plain)):
        with pytest.raises(ReplayError):
            decode(plain[:n])


def test_a_flipped_bit_is_told_or_changes_nothing():
    """Nothing: gzip has a time stamp and the like in its header, and padding at its end."""
    for bit in range(8 * len(STORED)):
        data = bytearray(STORED)
        data[bit // 8] ^= 1 << bit % 8
        try:
            replay = decode(bytes(data))
        except ReplayError:
            continue
        assert core_sha256(replay.core) == core_sha256(GAME.core())


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_with_a_sentence(data):
    for variant in (data, b"\x1f\x8b" + data, gzip.compress(data)):
        with pytest.raises(ReplayError):
            verify(variant)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([COMPACT, EXPANDED]).flatmap(
        lambda form: st.tuples(st.just(form), st.sampled_from(sorted(form)), JSON)
    )
)
def test_any_json_in_the_place_of_a_part_is_refused_with_a_sentence(case):
    form, name, value = case
    if value == form[name] and type(value) is type(form[name]):
        return
    with pytest.raises(ReplayError):
        verify(as_json(form | {name: value}))


def test_a_hostile_game_without_end_ends():
    """Its rules never cut a round, and nobody closes one."""
    data = compact(rules={"target": 1, "turn_cap": 2**53 - 1}, decisions="##" + ".a" * 20_000, faults=[])
    document = json.loads(data)
    document["timing"]["cpu"] = "0" * 40_002
    with pytest.raises(ReplayError, match="decision 40002: the decisions end, but the game is not over"):
        verify(as_json(document))


@pytest.mark.parametrize(
    "text", ["[" * 50, '"' + "[" * 50, "\\" + '"' + "{" * 50, "\\\\" + "[" * 50, "\\\\\\"]
)
def test_brackets_within_text_are_no_nesting(text):
    verify(as_json(EXPANDED | {"about": {"names": [text, text]}}))
