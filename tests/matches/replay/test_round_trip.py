"""Compact, expanded, plain, gzip: one and the same game."""

import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings

from matches.replay import Replay, core_sha256, decode, encode, expand, final_placing, log, verify

from .games import as_json, expanded, play, recorders, replay_of


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(recorders())
def test_any_game_comes_back_from_every_form(recorder):
    core, timing = recorder.core(), recorder.timing()
    compact = encode(core, timing)
    document = as_json(expand(decode(compact)))
    for data in (compact, gzip.decompress(compact), document, gzip.compress(document)):
        replay = decode(data)
        assert (replay.core, replay.timing) == (core, timing)
        assert encode(replay.core, replay.timing) == compact
        assert verify(replay).core_sha256 == core_sha256(core)
    assert as_json(expand(decode(document))) == document


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(recorders())
def test_any_game_can_be_told_step_by_step(recorder):
    document = expanded(recorder)
    rounds = log(document)
    lines = [line for round in rounds for line in round.lines]
    assert [line.step for line in lines] == list(range(len(lines)))
    assert [line.decision for line in lines if line.decision is not None] == list(range(recorder.n_decisions))
    assert len(lines) == recorder.n_decisions + 2 * len(document["rounds"])
    assert all(line.text and "{" not in line.text + line.more for line in lines)


def test_the_rules_are_stored_as_flags_off_the_default():
    assert b'"rules":{}' in gzip.decompress(encode(play().core(), play().timing()))


def test_names_and_numbers_for_viewers_are_carried_and_not_verified():
    about = {"names": ["ada", "bob"], "match": 3}
    document = expanded(play(), about)
    assert document["about"] == about
    assert verify(as_json(document)) == verify(replay_of(play()))


def test_events_of_the_expanded_form_give_the_hidden_cards_too():
    document = expanded(play())
    draws = [
        event
        for round in document["rounds"]
        for decision in round["decisions"]
        for event in decision["events"]
        if event["event"] == "draw"
    ]
    assert draws
    assert all(type(event["card"]) is int for event in draws)
    assert all(len(cards) == 12 for round in document["rounds"] for cards in round["dealt"])


def test_a_round_ends_with_its_result_and_the_next_begins_with_its_opening():
    rounds = expanded(play())["rounds"]
    assert len(rounds) > 1
    for round in rounds:
        assert round["opening"][0]["event"] == "round"
        kinds = [event["event"] for event in round["result"]["events"]]
        assert "score" in kinds
        assert set(kinds) <= {"final", "clear", "score", "over"}


def test_autopilot_is_marked_from_the_fault_on():
    document = expanded(play(faults={1: (20, "timeout")}))
    decisions = [decision for round in document["rounds"] for decision in round["decisions"]]
    marked = [d["decision"] for d in decisions if d["by"] == "autopilot"]
    assert marked == [d["decision"] for d in decisions if d["seat"] == 1 and d["decision"] >= 20]
    assert marked
    assert all(d["cpu_ms_below"] is None for d in decisions if d["by"] == "autopilot")
    assert all(d["cpu_ms_below"] >= 1 for d in decisions if d["by"] == "bot")
    assert document["outcome"]["placing"] == [1, 2]


@pytest.mark.parametrize(
    ("placing", "faulted", "final"),
    [
        ([1, 2], set(), (1, 2)),
        ([1, 2], {0}, (2, 1)),
        ([1, 2], {0, 1}, (1, 1)),
        ([1, 1, 3, 4], {1}, (1, 4, 2, 3)),
        ([2, 1, 2, 4], {1, 3}, (1, 3, 1, 3)),
    ],
)
def test_seats_that_faulted_share_the_place_behind_all_others(placing, faulted, final):
    assert final_placing(placing, faulted) == final


def test_stored_bytes_do_not_depend_on_when_they_are_written():
    recorder = play()
    assert encode(recorder.core(), recorder.timing())[4:8] == bytes(4)


def test_a_replay_made_of_its_parts_is_the_replay_that_its_bytes_give():
    recorder = play()
    core, timing = recorder.core(), recorder.timing()
    assert decode(encode(core, timing)) == Replay.of(core, timing)
    assert json.loads(gzip.decompress(encode(core, timing)))["core_sha256"] == core_sha256(core)
