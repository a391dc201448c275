"""Taking a game down."""

import gzip

import pytest

from matches.engine import DRAW, Rules, flip, reveal, take
from matches.replay import Note, Recorder, Timing, core_sha256, decode, encode, verify

from .games import play

SHA256S = ["a" * 64, "b" * 64]


@pytest.fixture
def recorder():
    return Recorder(Rules(), bytes(32), 3, SHA256S)


def test_decisions_become_one_character_each(recorder):
    for seat, action in [(0, reveal(0, 1)), (1, reveal(5, 2)), (0, DRAW), (0, flip(11)), (1, take(0))]:
        recorder.decision(seat, action)
    core = recorder.core()
    assert (core.decisions, core.deal, core.seats) == ("#:.xA", 3, tuple(SHA256S))
    assert recorder.n_decisions == 5


@pytest.mark.parametrize(
    ("cpu_ns", "character"),
    [
        (0, "0"),
        (999_999, "0"),
        (1_000_000, "1"),
        (1_999_999, "1"),
        (2_000_000, "2"),
        (511_999_999, "9"),
        (10**30, "z"),
    ],
)
def test_times_are_kept_as_the_next_power_of_two_in_milliseconds(recorder, cpu_ns, character):
    recorder.decision(0, DRAW, cpu_ns=cpu_ns)
    assert recorder.timing().cpu == character


def test_the_charge_of_a_seat_is_summed_with_that_of_its_failed_answer(recorder):
    recorder.decision(0, DRAW, cpu_ns=700_000)
    recorder.decision(0, DRAW, cpu_ns=700_000)
    recorder.fault(1, 2, "timeout", cpu_ns=501_000_000)
    recorder.decision(1, DRAW, autopilot=True)
    assert recorder.timing() == Timing("00-", (1, 501))


def test_notes_are_kept_by_seat_and_are_no_part_of_what_is_public(recorder):
    recorder.decision(0, reveal(0, 1), note="mine")
    recorder.decision(1, reveal(0, 1))
    recorder.decision(0, DRAW, note="mine too")
    assert recorder.notes(0) == (Note(0, "mine"), Note(2, "mine too"))
    assert recorder.notes(1) == ()
    assert b"mine" not in gzip.decompress(encode(recorder.core(), recorder.timing()))


def test_faults_are_ordered_by_decision_then_seat(recorder):
    recorder.fault(1, 4, "crash")
    recorder.fault(0, 4, "memory")
    assert recorder.core().faults == ((0, 4, "memory"), (1, 4, "crash"))


def test_a_seat_faults_once(recorder):
    recorder.fault(1, 4, "crash")
    with pytest.raises(ValueError, match="seat 1 has faulted before"):
        recorder.fault(1, 9, "crash")


def test_an_unknown_kind_of_fault_is_refused(recorder):
    with pytest.raises(ValueError, match="'bad luck' is no kind of fault"):
        recorder.fault(1, 4, "bad luck")


def test_the_core_is_the_same_whatever_the_decisions_cost():
    recorders = []
    for cpu_ns in (0, 9_000_000):
        recorders.append(Recorder(Rules(), bytes(32), 0, SHA256S))
        recorders[-1].decision(0, reveal(0, 1), cpu_ns=cpu_ns)
    fast, slow = recorders
    assert core_sha256(slow.core()) == core_sha256(fast.core())
    assert slow.timing() != fast.timing()


def test_what_was_recorded_verifies():
    recorder = play(seats=3, faults={1: (30, "crash")})
    verified = verify(decode(encode(recorder.core(), recorder.timing())))
    assert verified.core == recorder.core()
    assert verified.placing[1] == 3
