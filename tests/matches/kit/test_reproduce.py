"""`skyjo.pyz reproduce`: a recorded game once more, with another bot in a seat."""

from __future__ import annotations

import gzip
import json

import pytest

from bots.sandbox.launcher import BareLauncher
from bots.sandbox.limits import Limits
from matches.engine import parse_seed, rules_from
from matches.local import find_entrants, match_specs, play_local
from matches.replay import Replay, encode, expand

from .conftest import Kit
from .sources import BABBLER, BARE, CRASHER, LOW, STEADY


def record(kit: Kit, *bots: str, preset: str = "official") -> Replay:
    """The first game between these bots, of which files lie in the kit's folder."""
    entrants = find_entrants([str(kit.folder / bot) if bot.endswith(".py") else bot for bot in bots])
    games = []
    specs = match_specs(parse_seed("3"), rules_from(preset), len(bots), 1, Limits())
    play_local(entrants, specs, launcher=BareLauncher(), on_game=lambda match, game: games.append(game))
    replay = Replay.of(games[0].core, games[0].timing)
    names = [f"{entrants[each].name} v1" for each in games[0].participants]
    kit.write("game.json", json.dumps(expand(replay, {"names": names})))
    kit.write("game.gz", encode(games[0].core, games[0].timing))
    return replay


def seat_of(kit: Kit, name: str) -> str:
    """Where the bot of this name sat."""
    names = json.loads((kit.folder / "game.json").read_bytes())["about"]["names"]
    return str(names.index(f"{name} v1"))


@pytest.fixture
def recorded(kit: Kit) -> Kit:
    """Games of `steady.py`, with other bots beside it."""
    for name, source in (("steady.py", STEADY), ("low.py", LOW), ("crasher.py", CRASHER)):
        kit.write(name, source)
    return kit


def test_the_bot_that_played_decides_as_recorded_by_any_form_and_any_program(recorded: Kit) -> None:
    record(recorded, "steady.py", "ev", "greedy")
    seat = seat_of(recorded, "steady")
    status, out, _ = recorded.run("reproduce", "game.json", "--seat", seat, "steady.py")
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == f"steady v1 sat in seat {seat}; your file is that very version."
    assert lines[-1] == "Your bot decided as recorded to the end of the game."
    recorded.write("bare", BARE.replace("hidden[:2]", "[0, 3]")).chmod(0o755)
    status, out, _ = recorded.run("reproduce", "game.gz", "--cmd", "./bare", "--seat", seat)
    assert status == 0
    assert "your file is another version" in out


def test_it_stops_where_the_bot_decides_otherwise_and_shows_the_table(recorded: Kit) -> None:
    replay = record(recorded, "steady.py", "greedy")
    seat = seat_of(recorded, "steady")
    status, out, _ = recorded.run("reproduce", "game.json", "--seat", seat, "low.py")
    assert status == 1
    decision = next(line for line in out.splitlines() if line.startswith("Decision "))
    number = int(decision.split()[1].rstrip(","))
    expanded = expand(replay)
    decisions = [each for round in expanded["rounds"] for each in round["decisions"]]
    own = [each for each in decisions[:number] if each["seat"] == int(seat)]
    assert f"Came as recorded: {len(own)} decisions of the seat." in out
    was = decisions[number]
    assert (was["seat"], was["phase"]) == (int(seat), "place")
    assert f"round 1, turn {was['turn']}, phase place:" in decision
    assert f"  recorded: discard the drawn card, turn over cell {was['action']['flip']}\n" in out
    assert "  yours:    put the drawn card in cell 0\n" in out
    assert "drawn " in out
    assert "▸ steady v1" in out


def test_a_recorded_fault_that_comes_again_is_as_recorded_and_one_that_is_mended_is_not(
    recorded: Kit,
) -> None:
    record(recorded, "crasher.py", "greedy")
    seat = seat_of(recorded, "crasher")
    status, out, _ = recorded.run("reproduce", "game.json", "--seat", seat, "crasher.py")
    assert status == 0
    assert "Your bot faulted (crash). Round 1, turn " in out
    assert "  | RuntimeError: fell over" in out
    assert "So did the recorded one, at the same decision." in out
    status, out, _ = recorded.run("reproduce", "game.json", "--seat", seat, "steady.py")
    assert status == 1
    assert "  recorded: a fault\n  yours:    draw from the pile\n" in out
    # The others' seat, in a game in which somebody else faulted.
    other = str(1 - int(seat))
    assert recorded.run("reproduce", "game.json", "--seat", other, "greedy")[0] == 0


def test_a_fault_that_the_record_has_not_has_a_status_of_its_own(recorded: Kit) -> None:
    record(recorded, "steady.py", "greedy")
    seat = seat_of(recorded, "steady")
    status, out, _ = recorded.run("reproduce", "game.json", "--seat", seat, "crasher.py")
    assert status == 4
    assert "  yours:    a fault\n" in out
    assert out.endswith("The recorded one did not fault.\n")
    recorded.write("dies.py", "raise SystemExit('not today')")
    status, out, _ = recorded.run("reproduce", "game.json", "--seat", seat, "dies.py")
    assert status == 4
    assert "Your bot faulted (start)." in out
    assert "  | not today" in out


def test_a_fault_of_the_same_kind_at_another_decision_is_not_as_recorded(recorded: Kit) -> None:
    recorded.write("babbler.py", BABBLER)
    recorded.write("mute.py", "print('good morning')")
    bots = ("greedy", "babbler.py")
    record(recorded, *bots)
    seat = seat_of(recorded, "babbler")
    if seat == "0":  # whose first question is also the game's first decision
        record(recorded, *bots[::-1])
        seat = seat_of(recorded, "babbler")
    assert seat == "1"
    assert recorded.run("reproduce", "game.json", "--seat", seat, "babbler.py")[0] == 0
    status, out, _ = recorded.run("reproduce", "game.json", "--seat", seat, "mute.py")
    assert status == 4
    assert out.endswith("The recorded one faulted too, but not like that (protocol).\n")


def test_what_cannot_be_reproduced_is_told_in_one_sentence(recorded: Kit, main, monkeypatch) -> None:
    record(recorded, "steady.py", "greedy")
    monkeypatch.chdir(recorded.folder)
    text = (recorded.folder / "game.json").read_bytes()
    recorded.write("newer.gz", gzip.compress(text.replace(b'"engine_rules": 1', b'"engine_rules": 2')))
    recorded.write("other.json", text.replace(b'"card": ', b'"card": 1', 1))
    recorded.write("rules.json", text.replace(b'"target": 100', b'"target": 0', 1))
    for words, sentence in (
        (["game.json", "--seat", "2", "steady.py"], "This game has the seats 0 to 1: there is no seat 2."),
        (
            ["game.json", "--seat", "8", "steady.py"],
            "Argument --seat: it must be a number from 0 to 7, not “8”. Help:",
        ),
        (["game.json", "steady.py"], "The following arguments are required: --seat. Help:"),
        (["game.json", "--seat", "0"], "One bot takes the seat, not 0: name the game, then the bot's file."),
        (["game.json", "--seat", "0", "none.py"], "There is no file “none.py”."),
        (["none.json", "--seat", "0", "steady.py"], "none.json: No such file or directory."),
        (["steady.py", "--seat", "0", "steady.py"], "steady.py: the file is not JSON"),
        (["newer.gz", "--seat", "0", "steady.py"], "newer.gz: the game was played under engine_rules 2"),
        (["other.json", "--seat", "0", "steady.py"], "other.json: round 1: at the deal: "),
        (["rules.json", "--seat", "0", "steady.py"], "rules.json: rules: The preset official has target 100"),
    ):
        status, out, err = main("reproduce", *words)
        assert (status, out) == (2, "")
        assert err.splitlines()[-1].startswith(sentence), err
        assert not err.endswith("..\n")
