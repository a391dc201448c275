"""Which process plays what, how it rests, and that none is left."""

from __future__ import annotations

import signal
import threading
from collections import defaultdict

import pytest

from bots.sandbox.limits import Limits
from bots.sandbox.stderr import STDERR_KEPT_BYTES
from matches.replay import encode, verify

from .tabling import PLAIN, ShortWall, logged, program, seat_of

SIGNING = "def game(self, m): log('game', TOKEN, m['random_seed'])"
"""Logs, for each game, which process plays it and which deal and seat it is."""


def signatures(record, participant=0):
    """By game, the tokens of the processes that a SIGNING bot played it with."""
    return [[words[1] for words in logged(game, participant) if words[0] == "game"] for game in record.games]


def test_one_run_of_the_processes_plays_all_deals_of_a_seating_and_no_process_sees_a_deal_twice(table):
    record = table.play(program(SIGNING), PLAIN, program(SIGNING), deals=3)
    seen = defaultdict(list)
    for participant in (0, 2):
        tokens = signatures(record, participant)
        for seating in range(3):
            run = tokens[3 * seating : 3 * seating + 3]
            assert run == [run[0]] * 3
            seen[run[0][0]] += [game.deal for game in record.games if game.seating == seating]
    assert len(seen) == 6
    assert all(deals == [0, 1, 2] for deals in seen.values())
    assert len(table.processes) == 9


def test_after_a_fault_the_next_game_is_played_by_a_fresh_process(table):
    record = table.play(
        program(
            """
            def game(self, m):
                log('game', TOKEN)
                self.is_second = m["game"] == 1

            def act(self, m):
                if self.is_second:
                    burn(600_000)
                self.say(self.answer(m))
            """
        ),
        PLAIN,
        deals=3,
        limits=Limits(decision_ms=150),
    )
    for seating in range(2):
        first, second, third = record.games[3 * seating : 3 * seating + 3]
        assert (first.faults, third.faults) == ((), ())
        (fault,) = second.faults
        assert fault.kind == "timeout"
        tokens = signatures(record)[3 * seating : 3 * seating + 3]
        assert tokens[0] == tokens[1] != tokens[2]
    assert len(table.processes) == 2 * 2 + 2


@pytest.mark.parametrize("leaving", ["sys.exit()", "os._exit(5)", "raise MemoryError"])
def test_an_exit_between_games_is_no_fault_and_gets_one_fresh_process(table, leaving):
    record = table.play(program(f"{SIGNING}\ndef over(self, m): {leaving}"), PLAIN, deals=3)
    assert [game.faults for game in record.games] == [()] * 6
    tokens = signatures(record)
    for first, second, third in (tokens[:3], tokens[3:]):
        assert len({*first, *second, *third}) == 3
        assert [len(first), len(second), len(third)] == [1, 1, 1]


def test_an_exit_at_the_first_question_of_a_later_game_gets_one_fresh_process_and_no_second(table):
    # Each process plays one question in game 0, and none in game 1.
    quitter = program(
        """
        def game(self, m):
            log('game', TOKEN)
            self.is_later = m["game"] == 1

        def act(self, m):
            if self.is_later:
                os._exit(7)
            self.say(self.answer(m))
        """
    )
    record = table.play(quitter, PLAIN, deals=2)
    (fault,) = record.games[1].faults
    assert (fault.kind, fault.exit_status, fault.round) == ("crash", 7, 1)
    assert record.games[0].faults == ()
    tokens = signatures(record)
    assert len(tokens[0]) == 1
    assert len(set(tokens[1])) == 2
    assert tokens[1][0] == tokens[0][0]


def test_the_time_that_a_process_took_to_leave_counts_as_the_game_s(table):
    # Each of the two processes stays below the game's cap of wall time, both together do not.
    dawdler = program(
        """
        def act(self, m):
            if self.n_games == 2:
                time.sleep(2)
                sys.exit()
            if self.is_later and self.n_asked == 0:
                time.sleep(2)
            self.n_asked += 1
            self.say(self.answer(m))

        def game(self, m):
            self.n_games += 1
            self.n_asked = 0
            self.is_later = m["game"] == 1
        """
    )
    record = table.play(dawdler, PLAIN, deals=2, limits=ShortWall(game_wall=3000))
    (fault,) = record.games[1].faults
    assert (fault.kind, fault.phase) == ("timeout", "reveal")
    assert fault.sentence == "The answers of this game took more than 3 s by the wall clock."


def test_the_wall_time_in_which_a_fresh_process_starts_counts_as_the_game_s(table):
    # Or leaving after every game would make each as much longer as a start may take.
    dawdler = program("def over(self, m): os._exit(0)", before="time.sleep(1.2)")
    record = table.play(dawdler, PLAIN, deals=2, limits=ShortWall(game_wall=1000))
    assert record.games[0].faults == ()
    (fault,) = record.games[1].faults
    assert fault.sentence == "The answers of this game took more than 1 s by the wall clock."


def test_an_exit_after_the_first_answer_of_a_later_game_is_a_crash(table):
    quitter = program(
        """
        def act(self, m):
            self.n_asked += 1
            if self.n_games == 2 and self.n_asked == 2:
                os._exit(7)
            self.say(self.answer(m))
        """
    )
    record = table.play(quitter, PLAIN, deals=2)
    (fault,) = record.games[1].faults
    assert (fault.kind, fault.phase) == ("crash", "draw")


def test_the_standard_error_of_a_game_is_bounded_over_both_its_processes(table):
    loud = program(
        """
        def game(self, m):
            self.n_games += 1
            log("x" * 60_000)
            if self.n_games == 2:
                sys.exit()
        """
    )
    record = table.play(loud, PLAIN, deals=2)
    for game in record.games:
        assert game.faults == ()
        text = game.private[seat_of(game, 0)].stderr
        # The second game has the words of the process that left and of the fresh one.
        assert ("bytes left out" in text) == (game.deal == 1)
        assert text.count("x") <= STDERR_KEPT_BYTES


def test_a_flood_of_standard_error_is_counted_over_both_processes_of_a_game(table):
    # 700 KiB by the process that leaves, 700 KiB by the fresh one: neither is a flood by itself.
    flooding = program(
        """
        def game(self, m):
            self.is_later = m["game"] == 1

        def act(self, m):
            if self.is_later:
                sys.stderr.write("x" * 700_000)
                sys.stderr.flush()
                os._exit(7)
            self.say(self.answer(m))
        """
    )
    (fault,) = table.play(flooding, PLAIN, deals=2).games[1].faults
    assert fault.kind == "output"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_fresh_process_that_does_not_start_is_a_start_fault(table, order):
    moody = program(
        """
        def over(self, m):
            os._exit(0)

        def hello(self, m):
            self.say({"type": "ready"})
        """
    )
    # What a process cannot know is that it is not the first; so only the launcher can let the second one fail.
    broken = program(before="sys.exit(9)")

    class SecondBroken:
        python = table.launcher.python
        n_started = 0

        def start(self, started, limits):
            if started is moody:
                self.n_started += 1
                started = moody if self.n_started == 1 else broken
            return table.launcher.start(started, limits)

    programs = (moody, PLAIN)
    record = table.play(*[programs[number] for number in order], deals=2, launcher=SecondBroken())
    first, second = record.games[:2]
    assert first.faults == ()
    (fault,) = second.faults
    assert (fault.kind, fault.phase) == ("start", "start")
    assert second.core.faults == ((fault.seat, fault.decision, "start"),)
    # In seat 1 it is asked first when seat 0 has revealed its cards.
    assert fault.decision == fault.seat
    assert verify(encode(second.core, second.timing)).placing == second.placing


def test_a_bot_may_say_farewell_on_standard_error(table):
    polite = program(
        """
        def over(self, m): log("over", m["totals"][0])
        def bye(self, m): log("bye"); sys.exit()
        """
    )
    record = table.play(polite, PLAIN)
    for game in record.games:
        assert [words[0] for words in logged(game, 0)] == ["over", "bye"]


def test_standard_error_belongs_to_the_game_in_which_it_was_written(table):
    chatty = program("def act(self, m): log(self.n_games); self.say(self.answer(m))")
    record = table.play(chatty, PLAIN, deals=2)
    assert {words[0] for words in logged(record.games[0], 0)} == {"1"}
    assert {words[0] for words in logged(record.games[1], 0)} == {"2"}


def test_what_a_bot_uses_while_it_is_not_its_turn_is_charged_to_it(table):
    # It answers first and thinks afterwards, always.
    late = program("def act(self, m): self.say(self.answer(m)); burn(20)")
    record = table.play(late, PLAIN)
    for game in record.games:
        times = game.times_ns[seat_of(game, 0)]
        assert sum(times[1:]) >= 0.9 * 20e6 * len(times[1:])
        assert sum(game.times_ns[seat_of(game, 1)]) < sum(times) / 2


def test_a_bot_is_stopped_while_another_one_thinks(table):
    spinning = program(
        """
        sys.setswitchinterval(0.0005)

        def act(self, m):
            if self.n_asked == 0:
                threading.Thread(target=burn, args=(600_000,), daemon=True).start()
            self.n_asked += 1
            self.say(self.answer(m))
        """
    )
    slow = program("def act(self, m): burn(100); self.say(self.answer(m))")
    record = table.play(spinning, slow, limits=Limits(bank_ms=60_000))
    for game in record.games:
        assert game.faults == ()
        # Were it not stopped, each answer of the slow one would give it as much time again.
        assert sum(game.times_ns[seat_of(game, 0)]) < sum(game.times_ns[seat_of(game, 1)]) / 2


def test_a_callback_that_raises_ends_the_match_and_every_process(table):
    class LeaseLost(Exception):
        pass

    def lose(progress):
        raise LeaseLost

    with pytest.raises(LeaseLost):
        table.play(PLAIN, PLAIN, PLAIN, on_progress=lose)
    assert len(table.processes) == 3
    assert not any(process.alive for process in table.processes)


@pytest.fixture
def interruptible():
    """SIGINT interrupts, also where the tests run in the background and ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_in_the_middle_of_a_decision_ends_every_process(table):
    thinking = program("def act(self, m): burn(600_000)")

    class Interrupting:
        python = table.launcher.python

        def start(self, started, limits):
            process = table.launcher.start(started, limits)
            ask = process.ask

            def asked(line, **limits):
                if started is thinking and b'"act"' in line:
                    threading.Timer(0.05, signal.pthread_kill, [threading.get_ident(), signal.SIGINT]).start()
                return ask(line, **limits)

            process.ask = asked
            return process

    with pytest.raises(KeyboardInterrupt):
        table.play(
            thinking, PLAIN, launcher=Interrupting(), limits=Limits(decision_ms=60_000, bank_ms=60_000)
        )
    assert not any(process.alive for process in table.processes)


def test_processes_start_side_by_side(table):
    # Each is launched before the first of them has been heard.
    order = []

    class Ordered:
        python = table.launcher.python

        def start(self, started, limits):
            process = table.launcher.start(started, limits)
            order.append("start")
            ask = process.ask

            def asked(*args, **kwargs):
                order.append("ask")
                return ask(*args, **kwargs)

            process.ask = asked
            return process

    table.play(PLAIN, PLAIN, PLAIN, launcher=Ordered())
    assert order[:6] == ["start"] * 3 + ["ask"] * 3


def test_a_seating_starts_only_when_the_processes_of_the_last_one_have_ended(table):
    alive_at_start = []

    class Counting:
        python = table.launcher.python

        def start(self, started, limits):
            alive_at_start.append(sum(process.alive for process in table.processes))
            return table.launcher.start(started, limits)

    table.play(PLAIN, PLAIN, launcher=Counting())
    assert alive_at_start == [0, 1, 0, 1]
