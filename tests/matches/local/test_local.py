"""Finding bots, and what their games come to."""

from __future__ import annotations

import io
import zipfile
from array import array
from dataclasses import replace

import pytest

from bots.house import HOUSE, house_source
from bots.sandbox.launcher import BareLauncher
from bots.sandbox.limits import Limits
from matches.differences import difference
from matches.engine import parse_seed, rules_from
from matches.local import Tally, UnknownBot, find_entrants, match_specs, play_local
from matches.referee import Fault, GameRecord
from matches.replay import PrivateSeat, Timing
from matches.replay.core import Core

SOURCE = b"""
from skyjo import Bot, run

class Mine(Bot):
    def draw(self, view):
        return view.draw()

    def place(self, view, card):
        return view.flip(view.hidden()[0])

run(Mine)
"""


def test_entrants_are_house_bots_by_name_and_files_by_path(tmp_path):
    (tmp_path / "mine.py").write_bytes(SOURCE)
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as packed:
        packed.writestr("main.py", SOURCE)
        packed.writestr("weights.txt", "1 2 3")
    names = [bot.name for bot in HOUSE]
    entrants = find_entrants([*names, str(tmp_path / "mine.py"), str(tmp_path / "packed.zip")])
    assert [entrant.name for entrant in entrants] == [*names, "mine", "packed"]
    assert entrants[0].program.files == {"main.py": house_source(names[0])}
    assert set(entrants[-1].program.files) == {"main.py", "weights.txt"}
    assert len({entrant.sha256 for entrant in entrants}) == len(entrants)


def test_equal_names_are_told_apart(tmp_path):
    (tmp_path / "greedy.py").write_bytes(SOURCE)
    entrants = find_entrants(["greedy", "greedy", str(tmp_path / "greedy.py"), "random"])
    assert [entrant.name for entrant in entrants] == ["greedy", "greedy#2", "greedy#3", "random"]


def test_an_unknown_bot_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(UnknownBot) as caught:
        find_entrants(["greedy", "greddy"])
    assert "“greddy”" in str(caught.value)
    for bot in HOUSE:
        assert bot.name in str(caught.value)


def test_a_file_that_is_no_bot_is_refused_with_a_reason(tmp_path):
    files = {"notes.txt": b"hello", "empty.py": b"", "binary.py": b"\x7fELF\x00", "broken.zip": b"PK\x03\x04"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    without_main = io.BytesIO()
    with zipfile.ZipFile(without_main, "w") as packed:
        packed.writestr("other.py", SOURCE)
    (tmp_path / "other.zip").write_bytes(without_main.getvalue())
    for name in [*files, "other.zip", "", "nul\0.py"]:
        with pytest.raises(UnknownBot) as caught:
            find_entrants([str(tmp_path / name) if name else str(tmp_path)])
        assert str(caught.value).endswith(".")


def test_javascript_without_its_runtime_is_led_to_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setattr("matches.local.entrants.runtime_problem", lambda runtime: f"There is no {runtime}.")
    (tmp_path / "bot.js").write_text("process.stdin.resume();")
    with pytest.raises(UnknownBot) as caught:
        find_entrants([str(tmp_path / "bot.js")])
    assert str(caught.value) == (
        '“bot” cannot play. There is no node. Where Node.js lies elsewhere: --cmd "node FILE".'
    )


def game(placing, totals, *, participants=(0, 1), faults=(), times=((1,), (1,)), rounds=2):
    """A record as the referee makes it, by seat; only what a tally reads."""
    return GameRecord(
        deal=3,
        seating=1,
        participants=participants,
        placing=placing,
        core=Core(rules_from("official"), bytes(32), 3, ("0" * 64,) * 2, ""),
        timing=Timing("", (0, 0)),
        totals=totals,
        rounds=(None,) * rounds,
        faults=tuple(faults),
        private=(PrivateSeat(stderr="A", offending="a"), PrivateSeat(stderr="B", offending="b")),
        times_ns=tuple(array("q", [ms * 1_000_000 for ms in seat]) for seat in times),
    )


def fault(seat, kind="crash"):
    return Fault(seat, kind, "It fell over.", 5, "draw", 1, 2, "an answer")


def test_a_tally_counts_wins_placings_points_and_times_by_participant():
    tally = Tally(["a", "b"])
    tally.add(game((1, 2), (60, 120), times=(range(1, 101), (1,))))
    tally.add(game((1, 2), (30, 105), participants=(1, 0), rounds=3))
    tally.add(game((1, 1), (101, 101)))
    a, b = tally.standings()
    assert (a.name, a.games, a.wins, a.placing) == ("a", 3, 1.5, pytest.approx(4 / 3))
    assert (b.wins, b.placing) == (1.5, pytest.approx(4 / 3))
    assert a.points_a_game == pytest.approx((60 + 105 + 101) / 3)
    assert a.points_a_round == pytest.approx((60 + 105 + 101) / 7)
    assert a.decisions == 102
    assert a.decision_ms == pytest.approx((5050 + 2) / 102)
    assert a.decision_p95_ms == 95
    assert b.decision_p95_ms == 1


def test_points_of_a_faulted_seat_enter_no_statistic_and_it_never_wins():
    tally = Tally(["a", "b"])
    tally.add(game((2, 1), (20, 90), faults=[fault(0)]))
    tally.add(game((1, 1), (20, 90), faults=[fault(0, "timeout"), fault(1)]))
    a, b = tally.standings()
    assert (a.wins, a.points_a_game, a.points_a_round) == (0, None, None)
    assert a.faults == {"crash": 1, "timeout": 1}
    assert (b.wins, b.points_a_game, b.faults) == (1, 90, {"crash": 1})
    first, second = tally.first_faults
    assert (first.name, first.deal, first.seating, first.fault.kind) == ("a", 3, 1, "crash")
    assert (first.stderr, first.line) == ("A", "a")
    assert (second.name, second.line) == ("b", "b")


def test_the_first_fault_is_that_in_the_order_of_play_however_games_come_in():
    # As from two matches that are played at once.
    tally = Tally(["a", "b"])
    for match, seating, deal in ((1, 0, 2), (0, 1, 0), (0, 0, 4), (0, 1, 3)):
        tally.add(replace(game((2, 1), (9, 9), faults=[fault(0)]), seating=seating, deal=deal), match)
    (first,) = tally.first_faults
    assert (first.match, first.seating, first.deal) == (0, 0, 4)


def test_forfeits_are_lost_without_points():
    tally = Tally(["a", "b"])
    tally.add(GameRecord(0, 1, (0, 1), (2, 1), forfeiters=(0,)))
    tally.add(GameRecord(0, 1, (0, 1), (1, 1), forfeiters=(0, 1)))
    a, b = tally.standings()
    assert (a.wins, a.forfeits, a.placing) == (0, 2, 1.5)
    assert (b.wins, b.forfeits, b.placing, b.points_a_game) == (1, 1, 1, None)


def test_a_tally_of_nothing_has_no_means():
    (standing,) = Tally(["a"]).standings()
    assert standing.as_dict() == {
        "name": "a",
        "games": 0,
        "wins": 0.0,
        "placing": None,
        "points_a_game": None,
        "points_a_round": None,
        "faults": {},
        "forfeits": 0,
        "decisions": 0,
        "decision_ms": None,
        "decision_p95_ms": None,
    }


def test_a_run_tells_of_every_game_in_matches_of_ten_deals_and_is_the_same_each_time():
    specs = match_specs(parse_seed("7"), rules_from("official"), 2, 11, Limits())
    assert [spec.deals for spec in specs] == [10, 1]
    assert specs[0].seed == parse_seed("7") != specs[1].seed
    runs = []
    for jobs in (1, 2):
        told = {}
        play_local(
            find_entrants(["greedy", "random"]),
            specs,
            launcher=BareLauncher(),
            on_game=lambda match, game, told=told: told.update({(match, game.seating, game.deal): game.core}),
            jobs=jobs,
        )
        runs.append(told)
    assert len(runs[0]) == 22
    assert runs[0] == runs[1]


def test_a_difference_counts_deals_that_were_played_from_every_seat():
    tally = Tally(["a", "b"])
    placings = [((1, 2), (2, 1)), ((1, 2), (1, 2)), ((1, 1), (1, 2))]
    for deal, (first, second) in enumerate(placings):
        # The second seating has them the other way round.
        for seating, placing in enumerate((first, second)):
            participants = (0, 1) if seating == 0 else (1, 0)
            tally.add(replace(game(placing, (10, 20), participants=participants), deal=deal, seating=seating))
    tally.add(replace(game((1, 2), (10, 20)), deal=9, seating=0))
    # a won both, then one of two, then had half a win.
    assert tally.n_deals == 3
    expected = difference([0, 1, 1, 0, 1])
    assert tally.difference(0, 1) == expected
    assert tally.difference(1, 0).elo == pytest.approx(-expected.elo)
    assert Tally(["a", "b"]).difference(0, 1) is None
