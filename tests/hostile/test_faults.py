"""Attacks by which a program ends its own game: what the record says, and that nobody else is touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from matches.replay import decode_private, encode_private
from tests.hostile.duels import ROOMY, Duels


@dataclass(frozen=True, slots=True)
class Expected:
    """What the record of a fault must say. `lines`: how the offending line, as the owner sees it, begins in each game;
    empty where there is none."""

    kind: str
    sentences: tuple[str, ...]
    exit_status: int | None = None
    signal: str | None = None
    lines: tuple[str, ...] = ()
    told: dict[str, Any] | None = None


NOBODY_ASKED = "The bot wrote a line that nobody asked for."
BY_SIGSYS = "was ended by SIGSYS: it called the system in a way that the sandbox forbids"

FAULTS = {
    # Floods
    "stdout_flood": Expected("protocol", ("A line has more than 65536 bytes.",), lines=("xxxx",)),
    "stderr_flood": Expected(
        "output", ("The bot wrote more than 1048576 bytes to standard error in one game.",)
    ),
    "memory_bomb": Expected(
        "memory", ("The bot ran out of memory: it may use 512 MiB of address space.",), exit_status=1
    ),
    # Crashes
    "core_dump": Expected("crash", ("signal 11 (SIGSEGV)",), signal="SIGSEGV", told={"core": [0, 0]}),
    "old_calls": Expected("crash", (BY_SIGSYS,), signal="SIGSYS"),
    "x32_calls": Expected("crash", (BY_SIGSYS,), signal="SIGSYS"),
    "looks_killed": Expected("crash", (BY_SIGSYS,), signal="SIGSYS"),
    "endless_source": Expected("crash", ("The bot's process exited with status 4.",), exit_status=4),
    "half_a_line": Expected("crash", ("The bot's process exited with status 0.",), exit_status=0),
    # Lines that hurt who reads them
    "deep_json": Expected("protocol", ("nested deeper than 16 levels",), lines=("[[[[", '{"id":{"id":')),
    "huge_integer": Expected(
        "protocol", ("an integer of more than 20 characters",), lines=('{"cells":[0,1],"id":9999',)
    ),
    "no_numbers": Expected(
        "protocol",
        ("holds NaN, which is no JSON", "holds -Infinity, which is no JSON"),
        lines=('{"cells":[0,NaN]', '{"cells":[0,-Infinity]'),
    ),
    "overflowing_numbers": Expected(
        "protocol", ("only integers are meant",), lines=('{"cells":[0,1e999]', '{"cells":[0,1.0E400]')
    ),
    "odd_encodings": Expected(
        "protocol", ("begins with a byte order mark", "is not UTF-8"), lines=(r"\ufeff{", r"\xff\xfe{\x00")
    ),
    "lone_surrogate": Expected("protocol", ("lone surrogate, which is no character",), lines=('{"id": 1',)),
    "twice_the_key": Expected("protocol", ("a key twice in one object",), lines=('{"id":1,"cells"',)),
    "pickle_answer": Expected(
        "protocol", ("is not JSON", "The answer has no id."), lines=("cposix", '{"py/reduce"')
    ),
    "false_name": Expected("protocol", ("is not JSON",), lines=("no answer",), told={"named": 0}),
    # Answers that are none of its business
    "two_answers": Expected("protocol", (NOBODY_ASKED,), lines=('{"id": 2',)),
    "future_answer": Expected("protocol", ("The answer's id is not 1.",), lines=('{"id": 2',)),
    "opponents_answer": Expected("protocol", ("no action of the protocol",), lines=('{"id": 1',)),
    "claims_victory": Expected("protocol", ("The answer has no id.",), lines=('{"type":"over","placing":',)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_record_says_what_was_done(duels: Duels, undisturbed, name):
    expected = FAULTS[name]
    sides = duels.play(name)
    assert len(sides) == 2
    for side in sides:
        fault = side.fault
        assert (fault.kind, fault.exit_status, fault.signal) == (
            expected.kind,
            expected.exit_status,
            expected.signal,
        )
        assert expected.sentences[side.seat % len(expected.sentences)] in fault.sentence
        # At its first question; the autopilot then played the plain game.
        assert (fault.phase, fault.round, fault.turn, fault.decision) == ("reveal", 1, 0, side.seat)
        assert fault.expected.startswith('{"cells": [A, B]}')
        assert side.game.placing[side.seat] == 2
        assert side.game.core.decisions == undisturbed[0, side.game.seating]
        assert 0 < fault.cpu_ms <= ROOMY.decision_ms
        assert fault.wall_ms >= 0
        assert 0 < fault.memory_mib <= 512
        offending = side.private.offending
        if expected.lines:
            assert offending.startswith(expected.lines[side.seat % len(expected.lines)])
            assert offending.isprintable()
            assert len(offending) < 600
            assert offending[:12] not in str(fault.as_dict())
        else:
            assert offending is None
        if expected.told is not None:
            assert side.told == expected.told
        assert decode_private(encode_private(side.game.private)) == side.game.private


def test_a_program_that_is_gone_before_its_first_word_has_a_start_fault(duels: Duels, undisturbed):
    for side in duels.play("no_start"):
        fault = side.fault
        assert (fault.kind, fault.phase, fault.exit_status) == ("start", "start", 7)
        assert fault.sentence == "While starting: The bot's process exited with status 7."
        assert side.game.core.decisions == undisturbed[0, side.game.seating]


def test_an_answer_counts_though_its_bot_is_gone_and_the_next_question_is_a_crash(duels: Duels, undisturbed):
    for side in duels.play("answer_and_leave"):
        fault = side.fault
        assert (fault.kind, fault.exit_status, fault.phase, fault.decision) == (
            "crash",
            9,
            "draw",
            3 + side.seat,
        )
        assert side.game.core.decisions == undisturbed[0, side.game.seating]


def test_answers_without_having_read_the_questions(duels: Duels, undisturbed):
    for side in duels.play("closed_input"):
        assert (side.fault.kind, side.fault.sentence) == ("protocol", NOBODY_ASKED)
        assert side.game.core.decisions == undisturbed[0, side.game.seating]


def test_a_name_of_its_choice_does_not_change_what_is_recorded_of_its_memory(duels: Duels):
    for side in duels.play("false_name"):
        assert 1 < side.fault.memory_mib < 100


def test_three_faults_end_a_match_of_two_and_the_rest_is_the_innocent_ones(duels: Duels):
    assert len(duels.play("claims_victory", deals=3)) == 3
