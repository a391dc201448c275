"""Each kind of bot fault, by a real process, and what the record says about it."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from bots.sandbox.limits import Limits

from .tabling import PLAIN, ShortWall, answering, logged, program, seat_of


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        '{"id":1000000,"take":"draw"}',
        '{"take":"draw"}',
        '{"id":ID,"take":"draw","colour":"red"}',
        '{"id":ID,"cells":[0,true]}',
        '{"id":ID,"cells":[0,1,2]}',
        '{"id":ID}',
        '{"id":ID,"note":"' + "x" * 70_000 + '","cells":[0,1]}',
    ],
)
def test_an_answer_that_is_no_answer_is_a_protocol_fault(table, line):
    fault, private = table.fault(answering(line))
    assert fault.kind == "protocol"
    assert (fault.phase, fault.round, fault.turn) == ("reveal", 1, 0)
    assert fault.decision == fault.seat
    assert fault.expected.startswith('{"cells": [A, B]}')
    assert private.offending
    assert private.exchanges[-1].received == private.offending


@pytest.mark.parametrize(
    ("line", "asked", "phase", "words"),
    [
        ('{"id":ID,"cells":[3,3]}', 1, "reveal", "two different"),
        ('{"id":ID,"cells":[3]}', 1, "reveal", "two"),
        ('{"id":ID,"cells":[0,12]}', 1, "reveal", "12"),
        ('{"id":ID,"take":"discard","cell":-1}', 2, "draw", "-1"),
        ('{"id":ID,"swap":3}', 2, "draw", "swap"),
        ('{"id":ID,"flip":0}', 3, "place", "face-down"),
        ('{"id":ID,"discard":true}', 3, "place", "discard"),
    ],
)
def test_a_well_formed_action_that_the_rules_forbid_is_an_illegal_fault(table, line, asked, phase, words):
    fault, private = table.fault(answering(line, asked=asked))
    assert (fault.kind, fault.phase) == ("illegal", phase)
    assert words in fault.sentence
    # Where that was is told beside it, and not twice.
    assert fault.sentence.startswith("The action ")
    assert json.loads(private.exchanges[-1].sent)["phase"] == phase
    assert private.offending == private.exchanges[-1].received


def test_an_exit_while_asked_is_a_crash_with_its_status_and_its_traceback(table):
    fault, private = table.fault(program("def act(self, m): raise ValueError('lost my cards')"))
    assert (fault.kind, fault.exit_status, fault.signal) == ("crash", 1, None)
    assert "ValueError: lost my cards" in private.stderr
    assert private.exchanges[-1].received is None
    assert private.offending is None


def test_running_out_of_memory_is_a_memory_fault(table):
    greedy = program("def act(self, m): self.hoard = [bytearray(1 << 20) for _ in range(4096)]")
    fault, _ = table.fault(greedy, limits=Limits(memory_mib=128))
    assert fault.kind == "memory"
    assert 16 < fault.memory_mib <= 128


def test_a_decision_that_takes_too_much_cpu_time_is_a_timeout(table):
    fault, _ = table.fault(
        program("def act(self, m): burn(600_000)"), limits=Limits(decision_ms=100, bank_ms=10_000)
    )
    assert fault.kind == "timeout"
    assert fault.sentence == "The decision took more than 100 ms of CPU time."
    assert fault.cpu_ms > 100


def test_sleepers_meet_the_wall_cap_of_a_decision(table):
    fault, _ = table.fault(program("def act(self, m): time.sleep(600)"), limits=ShortWall(decision_wall=1000))
    assert fault.kind == "timeout"
    assert fault.sentence.startswith("No answer came within 1 s by the wall clock")
    assert fault.wall_ms >= 1000
    assert fault.cpu_ms < 1000


def test_many_short_naps_meet_the_wall_cap_of_a_game(table):
    napping = program("def act(self, m): time.sleep(0.8); self.say(self.answer(m))")
    fault, _ = table.fault(napping, limits=ShortWall(game_wall=3000))
    assert fault.kind == "timeout"
    assert fault.sentence == "The answers of this game took more than 3 s by the wall clock."
    assert fault.decision > 1


def test_the_bank_of_a_game_is_what_its_decisions_may_use_together(table):
    thinker = program("def act(self, m): log(json.dumps(m['clock'])); burn(60); self.say(self.answer(m))")
    record = table.play(thinker, PLAIN, limits=Limits(decision_ms=200, bank_ms=400))
    game = record.games[0]
    (fault,) = game.faults
    assert fault.kind == "timeout"
    assert fault.sentence == "The game's bank of 400 ms of CPU time is used up."
    clocks = [json.loads(" ".join(words)) for words in logged(game, 0)]
    assert clocks[0] == {"bank_ms": 400, "last_ms": 0}
    for before, after in pairwise(clocks):
        assert after["last_ms"] >= 59
        assert abs(before["bank_ms"] - after["bank_ms"] - after["last_ms"]) <= 1
    assert len(clocks) <= 7
    assert game.cpu_ms[seat_of(game, 0)] >= 400
    # The next game has a bank of its own.
    assert json.loads(" ".join(logged(record.games[1], 0)[0])) == {"bank_ms": 400, "last_ms": 0}


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("sys.exit(3)", "exited with status 3"),
        ("raise ImportError('numpy')", "exited with status 1"),
        ("burn(600_000)", "was not ready within 500 ms of CPU time"),
        ("hoard = bytes(1 << 40)", "memory"),
    ],
)
def test_a_bot_that_is_not_ready_in_time_has_a_start_fault(table, before, words):
    fault, private = table.fault(program(before=before), limits=Limits(start_ms=500))
    assert fault.kind == "start"
    assert words in fault.sentence
    assert (fault.phase, fault.round, fault.turn, fault.decision) == ("start", 0, 0, 0)
    assert fault.expected == '{"type": "ready"}'
    assert json.loads(private.exchanges[-1].sent)["type"] == "hello"


@pytest.mark.parametrize(
    "ready", ["hello yourself", '{"type":"steady"}', '{"type":"ready","name":"greedy"}', '["ready"]']
)
def test_another_answer_to_hello_than_ready_is_a_protocol_fault(table, ready):
    fault, private = table.fault(program(f"def hello(self, m): self.write({ready.encode()!r} + b'\\n')"))
    assert (fault.kind, fault.phase, fault.decision) == ("protocol", "start", 0)
    assert fault.sentence.startswith(("While starting: The line ", "The answer to hello "))
    assert private.offending == ready


def test_nothing_public_holds_what_the_bot_wrote(table):
    for line in ('{"id":ID,"psst":"psst"}', "psst", '{"id":ID,"cells":"psst"}'):
        fault, private = table.fault(answering(line))
        assert "psst" in private.offending
        assert "psst" not in json.dumps(fault.as_dict())


def test_standard_error_is_kept_as_text_without_nul(table):
    babbling = program("def act(self, m): os.write(2, b'a\\0b\\xffc'); sys.exit()")
    _, private = table.fault(babbling)
    assert private.stderr == r"a\x00b\xffc"


def test_what_is_kept_of_an_offending_line_is_escaped_and_cut(table):
    _, private = table.fault(answering(b"\x1b[31m<b>\x00" + b"y" * 9000))
    assert private.offending.startswith(r"\x1b[31m<b>\x00yyy")
    assert len(private.offending) < 600
