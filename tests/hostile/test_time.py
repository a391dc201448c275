"""Attacks on the clocks: time that is not charged, the opponent's time, and time-outs that look like the host's."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bots.sandbox.limits import Limits
from tests.hostile.duels import HASTY, INNOCENT, SLEEPLESS, Duels, ended_well_for, hostile
from tests.matches.referee.tabling import program, seat_of

SLOW_MS = 400
SLOW = program(
    f"def act(self, m): self.n_asked += 1; self.n_asked == 4 and burn({SLOW_MS}); self.say(self.answer(m))"
)
"""An opponent that leaves others the time to think, in one turn."""


@pytest.mark.parametrize("name", ["busy_loop", "many_threads", "deaf_to_signals", "starves_itself"])
def test_computing_for_ever_is_a_timeout_by_cpu_time(duels: Duels, undisturbed, name):
    for side in duels.play(name, limits=HASTY):
        fault = side.fault
        assert (fault.kind, fault.sentence) == ("timeout", "The decision took more than 100 ms of CPU time.")
        assert (fault.exit_status, fault.signal, fault.decision) == (None, None, side.seat)
        assert fault.cpu_ms >= 100
        assert side.cpu_ms >= 100
        assert 0 < fault.memory_mib <= 512
        assert side.game.core.decisions == undisturbed[0, side.game.seating]


@pytest.mark.parametrize("name", ["sleeper", "drip", "mute", "deaf"])
def test_waiting_for_ever_is_a_timeout_by_the_wall_clock(duels: Duels, undisturbed, name):
    for side in duels.play(name, limits=SLEEPLESS):
        fault = side.fault
        assert fault.kind == "timeout"
        assert fault.sentence.startswith("No answer came within 0.5 s by the wall clock (")
        assert fault.wall_ms >= 500
        assert fault.cpu_ms < 500
        assert (fault.exit_status, fault.signal, fault.decision) == (None, None, side.seat)
        assert side.game.core.decisions == undisturbed[0, side.game.seating]


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("thinker", {}),
        (
            "resumes_itself",
            {
                **dict.fromkeys(["timer", "kill", "tkill", "tgkill", "queue"], "EPERM"),
                "other_signals": "done",
            },
        ),
    ],
)
def test_thinking_on_the_opponents_turn_is_stopped_and_charged(duels: Duels, name, refused):
    for side in duels.play(name, opponent=SLOW):
        assert side.fault is None
        told = side.told
        assert told.pop("thought_ms") <= sum(side.game.times_ns[side.seat]) / 1e6
        assert told == refused
        thought_ms = [line["thought_ms"] for line in side.lines if "thought_ms" in line]
        # Were it not stopped, it would have as much time as the opponent has in its slow turn.
        assert max(after - before for before, after in pairwise(thought_ms)) < SLOW_MS / 2


def test_who_is_ready_first_is_stopped_while_the_other_starts(duels: Duels):
    slow_to_start = program(before=f"burn({SLOW_MS})")
    first, _ = duels.play("thinks_before", opponent=slow_to_start)
    assert (first.fault, first.seat) == (None, 0)
    # Were it not stopped, it would have as much time as the other needs.
    assert 0 < first.told["used_ms"] < SLOW_MS / 2


def test_what_is_used_in_the_collector_of_garbage_is_charged(duels: Duels):
    for side in duels.play("thinks_in_gc"):
        assert side.fault is None
        assert min(side.game.times_ns[side.seat]) >= 10_000_000


def test_what_is_used_between_games_is_charged_to_the_next(duels: Duels):
    by_deal = {0: [], 1: []}
    for side in duels.play("thinks_between_games", deals=2, limits=HASTY):
        by_deal[side.game.deal].append(side.fault)
    assert by_deal[0] == [None, None]
    for fault in by_deal[1]:
        assert (fault.kind, fault.phase) == ("timeout", "reveal")
        assert fault.sentence == "The decision took more than 100 ms of CPU time."


def test_what_a_process_used_before_it_left_between_games_is_charged_to_the_fresh_one(duels: Duels):
    limits = Limits(decision_ms=190, bank_ms=200)
    sides = duels.play("leaves_between_games", deals=2, limits=limits)
    assert [side.fault for side in sides if side.game.deal == 0] == [None, None]
    for side in sides:
        if side.game.deal == 1:
            assert side.fault.kind == "timeout"
            assert side.fault.sentence == "The game's bank of 200 ms of CPU time is used up."
            assert side.told["fresh"] <= 50


def test_time_used_before_becoming_another_program_is_charged(duels: Duels):
    for side in duels.play("another_program"):
        assert side.cpu_ms >= 100
        assert side.game.times_ns[side.seat][1] >= 100_000_000


def test_three_attackers_at_a_table_of_four_cost_the_innocent_one_nothing(duels: Duels):
    attackers = [hostile(name) for name in ("starves_itself", "thinker", "stderr_flood")]
    record = duels.table.play(*attackers, INNOCENT, limits=HASTY)
    assert len(record.games) == 4
    for game in record.games:
        ended_well_for(seat_of(game, 3), game)
        kinds = {game.participants[fault.seat]: fault.kind for fault in game.faults}
        assert (kinds.pop(0), kinds.pop(2)) == ("timeout", "output")
        assert set(kinds.values()) <= {"timeout"}
        assert (
            game.placing[seat_of(game, 0)] == game.placing[seat_of(game, 2)] > game.placing[seat_of(game, 3)]
        )


def test_who_does_not_leave_is_made_to(duels: Duels):
    for side in duels.play("thinks_at_exit"):
        assert side.fault is None
        assert side.told == {"fork_at_exit": "EPERM"}
