"""`skyjo.pyz watch`: a game in the terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Iterator

import pytest

from matches.kit.positions import steps
from matches.replay import encode, expand
from matches.replay.playing import new_game
from matches.replay.playing import play as play_again
from tests.matches.replay.games import SHORT, as_json, play, replay_of

from .conftest import PYTHON, Kit

GAME = play(SHORT, seats=3, seed=3)
DOCUMENT = expand(replay_of(GAME), {"names": ["ada v1", "bob v2", "eve\x1b[31m v3"]})


def test_the_table_after_each_step_is_the_engines() -> None:
    core = GAME.core()
    game = new_game(core)
    shown = steps(DOCUMENT)
    next(shown)
    for _played, position in zip(play_again(core, game), shown, strict=False):
        if game.seat is None:
            break
        view = game.view(game.seat)
        assert position.grids == view["grids"]
        assert position.draw_pile == view["draw_pile"]
        assert position.discards[-1:] == ([] if view["discard"] is None else [view["discard"]])
        assert {card: position.discards.count(int(card)) for card in view["discards"]} == view["discards"]
        assert position.closer == view["closer"]


def test_a_game_is_played_and_told_without_a_terminal_in_plain_text(kit: Kit) -> None:
    status, out, _ = kit.run("watch", "random", "greedy", "--seed", "7", "--speed", "0")
    assert status == 0
    assert "\x1b" not in out
    assert "round 1, turn 1   draw pile " in out
    assert "closed the round" in out
    assert re.search(r"Placing: 1\. (random|greedy); 2\. ", out)


def test_a_recorded_game_is_shown_from_any_round_with_all_cards_if_wanted(kit: Kit) -> None:
    kit.write("game.json", as_json(DOCUMENT))
    status, out, err = kit.run("watch", "game.json", "--speed", "0", "--open")
    assert (status, err) == (0, "")
    assert out.startswith("round 1   draw pile ")
    assert "ada v1" in out
    assert "\x1b" not in out
    first = DOCUMENT["rounds"][0]["dealt"][0][0]
    assert f"({first})".replace("-", "−") in out
    assert kit.run("watch", "game.json", "--round", "9")[2] == "The game has 1 round: there is no round 9.\n"
    kit.write("cut.gz", encode(GAME.core(), GAME.timing())[:-4])
    assert kit.run("watch", "cut.gz")[::2] == (1, "cut.gz: the gzip data is truncated\n")


def test_a_replay_is_known_by_how_it_begins_whatever_its_file_is_called(kit: Kit) -> None:
    for name, content in {
        "plain": as_json(DOCUMENT),
        "packed.bin": encode(GAME.core(), GAME.timing()),
    }.items():
        kit.write(name, content)
        status, out, err = kit.run("watch", name, "--speed", "0")
        assert (status, err) == (0, "")
        assert out.startswith("round 1   draw pile ")


def test_a_recorded_game_has_no_other_bots_beside_it(main) -> None:
    address = "http://127.0.0.1:9/games/1/"
    sentence = "A recorded game is watched by itself: name nothing beside it.\n"
    assert main("watch", address, "greedy") == (2, "", sentence)
    assert main("watch", "greedy", address) == (2, "", sentence)


def test_an_altered_game_is_not_shown_as_if_it_were_sound(kit: Kit) -> None:
    altered = DOCUMENT | {"outcome": DOCUMENT["outcome"] | {"totals": [0, 0, 0]}}
    kit.write("altered.json", as_json(altered))
    status, out, err = kit.run("watch", "altered.json", "--speed", "0")
    assert (status, out) == (1, "")
    assert err.startswith("altered.json: outcome: totals[0] is 0 in the file, played again it is ")


@pytest.mark.parametrize("speed", ["-1", "1e-300", "nan", "quick"])
def test_a_speed_that_is_none_is_told_in_one_sentence(main, speed: str) -> None:
    sentence = f"Argument --speed: it must be 0 or a number from 0.01 to 1000, not “{speed}”. Help:"
    status, out, err = main("watch", "greedy", "random", f"--speed={speed}")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(sentence)


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Our end and theirs."""
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


def test_in_a_terminal_cards_have_their_colours_and_each_step_waits_for_enter(
    kit: Kit, terminal: tuple[int, int]
) -> None:
    ours, theirs = terminal
    kit.write("game.json", as_json(DOCUMENT))
    process = subprocess.Popen(
        [PYTHON, "skyjo.pyz", "watch", "game.json", "--step"],
        cwd=kit.folder,
        env={"TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    seen = b""
    for _ in range(6):
        while not seen.endswith(b"Ctrl-C: stop \x1b[0m"):
            seen += os.read(ours, 65536)
        os.write(ours, b"\n")
        seen += os.read(ours, 1)
    process.terminate()
    assert process.wait(30) == 130
    text = seen.decode(errors="replace")
    assert text.count("\x1b[H\x1b[2J") >= 6
    assert re.search(r"\x1b\[48;5;\d+;38;5;\d+m +\d+ \x1b\[0m", text)
    assert "\x1b[48;5;239;38;5;250m ·· \x1b[0m" in text
    assert "\x1b[31m" not in text
