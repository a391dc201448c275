"""Whole matches: who sits where, what faults cost, and that everything can be played again."""

from __future__ import annotations

import pytest

from bots.sandbox.launcher import BareLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
from matches.engine import bot_random_seed, parse_seed, seating
from matches.referee import MatchSpec, Progress
from matches.replay import core_sha256, encode, verify
from matches.replay.timing import AUTOPILOT

from .tabling import PLAIN, WatchedLauncher, digest, program, seat_of

RANDOM = program(
    """
    def game(self, m):
        self.random = random.Random(m["random_seed"])

    def act(self, m):
        grid = m["view"]["grids"][m["view"]["seat"]]
        cells = [cell for cell in range(12) if grid[cell] != "x"]
        hidden = [cell for cell in cells if grid[cell] is None]
        if m["phase"] == "reveal":
            answer = {"cells": self.random.sample(hidden, 2)}
        elif m["phase"] == "draw":
            answer = self.random.choice([{"take": "draw"}, {"take": "discard", "cell": self.random.choice(cells)}])
        else:
            answer = self.random.choice([{"swap": self.random.choice(cells)}, {"flip": hidden[0]}])
        self.say({"id": m["id"], **answer})
    """
)

CRASHING = program("def act(self, m): sys.exit(1)")


@pytest.mark.parametrize("seats", [2, 4])
def test_every_deal_is_played_once_from_every_cyclic_seating(table, seats):
    record = table.play(*[PLAIN] * seats, deals=2)
    assert [(game.deal, game.seating) for game in record.games] == [
        (deal, turn) for turn in range(seats) for deal in range(2)
    ]
    for game in record.games:
        base = seating(parse_seed("7"), game.deal, seats)
        assert game.participants == tuple(base[(seat + game.seating) % seats] for seat in range(seats))
        assert game.core.seats == tuple(digest(participant) for participant in game.participants)
        assert game.core.deal == game.deal
    for deal in range(2):
        tables = [game.participants for game in record.games if game.deal == deal]
        assert [set(at_seat) for at_seat in zip(*tables, strict=True)] == [set(range(seats))] * seats


def test_equal_bots_in_swapped_seats_play_mirrored_games(table):
    record = table.play(RANDOM, RANDOM, deals=3)
    for deal in range(3):
        first, second = (game for game in record.games if game.deal == deal)
        assert first.core.decisions == second.core.decisions
        assert (first.totals, first.placing) == (second.totals, second.placing)
        assert first.participants == second.participants[::-1]


def test_the_same_seed_gives_the_same_cores_byte_for_byte_in_the_sandbox_and_outside(table):
    played = []
    bare = WatchedLauncher(BareLauncher())
    for launcher, seed in ((None, "42"), (bare, "42"), (None, "43")):
        faulty = program(
            "def act(self, m): self.n_asked += 1; self.say(self.answer(m) if self.n_asked < 9 else 0)"
        )
        record = table.play(RANDOM, faulty, RANDOM, seed=seed, launcher=launcher)
        played.append([core_sha256(game.core) for game in record.games])
    assert not any(process.alive for process in bare.processes)
    assert played[0] == played[1]
    assert set(played[0]).isdisjoint(played[2])


def test_records_are_replays_that_verify(table):
    record = table.play(RANDOM, CRASHING, PLAIN, deals=2, rules="guide-2026")
    for game in record.games:
        verified = verify(encode(game.core, game.timing))
        assert verified.totals == game.totals
        assert verified.placing == game.placing
        assert game.timing.seat_cpu_ms == game.cpu_ms
        assert game.n_decisions == len(game.timing.cpu)
        assert game.rounds[-1].number == len(game.rounds)
    assert record.cpu_ms == tuple(
        sum(game.cpu_ms[seat_of(game, participant)] for game in record.games) for participant in range(3)
    )


def test_the_autopilot_plays_on_for_a_faulted_seat_and_its_decisions_are_marked(table):
    lame = program(
        "def act(self, m): self.n_asked += 1; self.say(self.answer(m) if self.n_asked < 5 else {})"
    )
    record = table.play(lame, PLAIN, deals=1)
    for game in record.games:
        (fault,) = game.faults
        seat = seat_of(game, 0)
        assert (fault.seat, fault.kind) == (seat, "protocol")
        assert game.core.faults == ((seat, fault.decision, "protocol"),)
        assert len(game.times_ns[seat]) == 4
        assert game.timing.cpu.count(AUTOPILOT) > 10
        assert AUTOPILOT not in game.timing.cpu[: fault.decision]
        assert game.timing.cpu.count(AUTOPILOT) + 4 + len(game.times_ns[1 - seat]) == game.n_decisions
        verify(encode(game.core, game.timing))


def test_faulted_seats_stand_behind_all_others_and_share_that_place(table):
    record = table.play(CRASHING, PLAIN, CRASHING, RANDOM)
    for game in record.games:
        placing = {participant: game.placing[seat_of(game, participant)] for participant in range(4)}
        assert placing[0] == placing[2] == 3
        better, worse = sorted((1, 3), key=lambda participant: game.totals[seat_of(game, participant)])
        assert placing[better] == 1
        assert placing[worse] in (1, 2)
        assert {fault.seat for fault in game.faults} == {seat_of(game, 0), seat_of(game, 2)}


def test_a_game_in_which_all_have_faulted_is_played_out_and_shared(table):
    record = table.play(CRASHING, CRASHING)
    for game in record.games:
        assert game.placing == (1, 1)
        assert len(game.faults) == 2
        verify(encode(game.core, game.timing))


def test_at_two_seats_the_third_faulted_game_ends_the_match_with_forfeits(table):
    record = table.play(CRASHING, PLAIN, deals=4)
    assert len(record.games) == 8
    assert [game.forfeit for game in record.games] == [False] * 3 + [True] * 5
    for game in record.games:
        assert game.placing[seat_of(game, 0)] == 2
        assert game.placing[seat_of(game, 1)] == 1
        assert sorted(game.participants) == [0, 1]
    for game in record.games[3:]:
        assert (game.core, game.timing, game.totals) == (None, None, None)
        assert game.forfeiters == (seat_of(game, 0),)
        assert (game.faults, game.rounds, game.private, game.n_decisions) == ((), (), (), 0)
    assert [(game.deal, game.seating) for game in record.games] == [
        (d, s) for s in range(2) for d in range(4)
    ]


def test_faulted_games_are_counted_over_all_seatings(table):
    # Faults in deal 1 of each of the seatings, and in deal 0 of the second.
    late = program("def act(self, m): self.say(self.answer(m) if self.n_games == 1 else 0)")
    record = table.play(late, PLAIN, deals=2)
    assert [len(game.faults) for game in record.games] == [0, 1, 0, 1]
    record = table.play(late, PLAIN, deals=4)
    # After the fault in deal 1 a fresh process plays deal 2, and its second game is deal 3.
    assert [len(game.faults) for game in record.games] == [0, 1, 0, 1, 0, 1, 0, 0]
    assert [game.forfeit for game in record.games] == [False] * 6 + [True] * 2


def test_a_match_that_both_lost_is_shared(table):
    record = table.play(CRASHING, CRASHING, deals=2)
    assert [game.forfeit for game in record.games] == [False] * 3 + [True]
    assert record.games[3].placing == (1, 1)
    assert record.games[3].forfeiters == (0, 1)


def test_at_larger_tables_every_game_is_played_to_its_end(table):
    record = table.play(CRASHING, PLAIN, PLAIN, PLAIN, deals=2)
    assert len(record.games) == 8
    for game in record.games:
        assert not game.forfeit
        assert game.placing[seat_of(game, 0)] == 4
        assert [fault.kind for fault in game.faults] == ["crash"]


def test_a_bot_is_told_the_placing_that_counts(table):
    winner = program("def over(self, m): log(m['placing'])")
    record = table.play(CRASHING, winner)
    for game in record.games:
        assert game.private[seat_of(game, 1)].stderr == f"{list(game.placing)}\n"


def test_notes_are_kept_with_their_decisions_and_cut(table):
    noting = program(
        """
        def answer(self, m):
            return super().answer(m) | {"note": f"{m['id']} " + "ä" * 300}
        """
    )
    record = table.play(noting, PLAIN, rules={"target": 200})
    for game in record.games:
        seat = seat_of(game, 0)
        notes = game.private[seat].notes
        assert game.private[1 - seat].notes == ()
        assert notes[0].decision == seat
        first, *_, last = [note.text for note in notes]
        assert len(first) == 200
        assert first.endswith("ä")
        kept = sum(len(note.text.encode()) for note in notes)
        assert 4090 <= kept <= 4096
        assert len(last) < 200
    assert "note" not in record.games[0].core.decisions


def test_progress_is_told_after_every_start_round_and_game(table):
    told: list[Progress] = []
    record = table.play(PLAIN, PLAIN, deals=2, rules={"target": 200}, on_progress=told.append)
    expected = []
    for number, game in enumerate(record.games):
        if game.deal == 0:
            expected.append((number, 0, game.seating, 0, None))
        expected += [(number, game.deal, game.seating, round.number, None) for round in game.rounds]
        expected.append((number + 1, game.deal, game.seating, len(game.rounds), game))
    assert [(p.n_finished, p.deal, p.seating, p.round, p.record) for p in told] == expected
    assert all(p.n_games == 4 for p in told)
    assert len(told) > 12


def test_progress_tells_when_the_bots_of_a_game_have_started_or_faulted(table, monkeypatch):
    monkeypatch.setattr("bots.sandbox.process.ON_WAIT_S", 0.05)
    told: list[Progress] = []
    slow = program("def hello(self, m): burn(300); self.say({'type': 'ready'})")
    record = table.play(slow, PLAIN, deals=2, on_progress=told.append)
    assert not record.games[0].faults
    first = [progress.is_begun for progress in told if (progress.deal, progress.seating) == (0, 0)]
    assert first[0] is False
    assert first == sorted(first)
    before = [progress for progress in told if not progress.is_begun]
    assert {progress.round for progress in before} == {0}
    assert all(progress.is_begun for progress in told if progress.deal == 1)


def test_progress_tells_of_the_faults_of_the_game_in_play(table):
    told: list[Progress] = []
    late = program("def act(self, m): self.say(self.answer(m) if self.n_games == 1 else 0)")
    record = table.play(late, PLAIN, deals=2, on_progress=told.append)
    assert {progress.faults for progress in told if progress.deal == 0} == {()}
    for game in record.games:
        faults = [p.faults for p in told if (p.deal, p.seating, p.record) == (game.deal, game.seating, None)]
        assert faults[-1] == game.faults


def test_progress_is_told_between_decisions_when_a_round_takes_long(table, monkeypatch):
    monkeypatch.setattr("matches.referee.progress.EVERY_S", 0.0)
    told = []
    record = table.play(PLAIN, PLAIN, on_progress=told.append)
    assert len(told) > sum(game.n_decisions for game in record.games)


def test_progress_is_told_while_one_decision_takes_long(table, monkeypatch):
    monkeypatch.setattr("bots.sandbox.process.ON_WAIT_S", 0.1)
    told = []
    slow = program(
        "def act(self, m): self.n_asked == 0 and burn(500); self.n_asked += 1; self.say(self.answer(m))"
    )
    table.play(slow, PLAIN, on_progress=told.append, limits=Limits(decision_ms=5000))
    assert sum(progress.round == 0 for progress in told) >= 2


def test_eight_seats_play(table):
    record = table.play(*[RANDOM] * 8)
    assert len(record.games) == 8
    assert all(len(game.placing) == 8 for game in record.games)
    assert all(game.faults == () for game in record.games)


def test_a_bot_of_several_files_plays(table):
    files = {"main.py": b"import mine\nfrom skyjo import run\nrun(mine.Mine())\n"}
    files["mine.py"] = (
        b"from skyjo import Bot\n\n\nclass Mine(Bot):\n"
        b"    def draw(self, view):\n        return view.draw()\n\n"
        b"    def place(self, view, card):\n        return view.flip(view.hidden()[0])\n"
    )
    record = table.play(Program("python", files, "main.py"), PLAIN)
    assert all(game.faults == () for game in record.games)


def test_random_seeds_are_those_of_the_deal_and_seat(table):
    record = table.play(program("def game(self, m): log(m['random_seed'])"), PLAIN, deals=2)
    for game in record.games:
        seat = seat_of(game, 0)
        assert game.private[seat].stderr == f"{bot_random_seed(parse_seed('7'), game.deal, seat)}\n"


@pytest.mark.parametrize(
    ("seats", "deals", "seed"), [(1, 1, bytes(32)), (9, 1, bytes(32)), (2, 0, bytes(32)), (2, 1, b"7")]
)
def test_a_match_that_cannot_be_is_refused(table, seats, deals, seed):
    with pytest.raises(ValueError, match=r"not \d+\.$"):
        MatchSpec(seed, table.spec().rules, seats, deals, Limits())


def test_programs_that_do_not_fill_the_seats_are_refused(table):
    from matches.referee import play_match

    with pytest.raises(ValueError, match="2 programs and 2 digests for 3 seats"):
        play_match(table.spec(3), [PLAIN, PLAIN], table.launcher, sha256s=[digest(0), digest(1)])
