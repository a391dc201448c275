"""`skyjo.pyz verify`."""

from __future__ import annotations

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from matches.replay import core_sha256, encode, expand
from tests.matches.replay.games import SHORT, as_json, play, replay_of

from .conftest import Kit

GAME = play(SHORT, seed=3, faults={1: (12, "crash")})
STORED = encode(GAME.core(), GAME.timing())
DOCUMENT = expand(replay_of(GAME))
FORMS = {
    "stored.json.gz": STORED,
    "compact.json": gzip.decompress(STORED),
    "expanded.json": as_json(DOCUMENT),
    "expanded.json.gz": gzip.compress(as_json(DOCUMENT)),
}


class Page(BaseHTTPRequestHandler):
    """Answers as a site does that is asked for a page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"\n<!doctype html><title>Match 1</title>")

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def verify(kit: Kit):
    """Writes the files, runs the command on them in order; gives exit status, output and errors, line by line."""

    def run(files, *more):
        for name, content in files.items():
            kit.write(name, content)
        status, out, err = kit.run("verify", *files, *more)
        return status, out.splitlines(), err.splitlines()

    return run


def test_sound_files_in_every_form_are_told_with_their_outcome(verify):
    status, lines, errors = verify(FORMS)
    assert (status, errors) == (0, [])
    totals = DOCUMENT["outcome"]["totals"]
    assert len(DOCUMENT["rounds"]) == 1
    summary = (
        f"sound, 2 seats, 1 round, {GAME.n_decisions} decisions; "
        f"totals {totals[0]}, {totals[1]}; placing 1, 2; seat 1 faulted (crash) at decision 12; "
        f"core {core_sha256(GAME.core())}"
    )
    assert lines == [f"{name}: {summary}" for name in FORMS]


def test_an_unsound_file_is_told_with_its_place_and_the_others_are_still_checked(verify):
    bad = FORMS["expanded.json"].replace(b'"by": "bot"', b'"by": "cat"', 1)
    status, lines, errors = verify({"bad.json": bad, "cut.json.gz": STORED[:-4], "good.json.gz": STORED})
    assert status == 1
    assert [line.partition(":")[0] for line in lines] == ["good.json.gz"]
    assert errors == [
        'bad.json: round 1, turn 0, decision 0: by is "cat" in the file, played again it is "bot"',
        "cut.json.gz: the gzip data is truncated",
    ]


def test_what_cannot_be_read_is_told(verify):
    status, lines, errors = verify({}, "none.json", "", "http://127.0.0.1:9/games/1/")
    assert (status, lines) == (3, [])
    assert errors[0] == "none.json: No such file or directory."
    assert errors[1].endswith("Is a directory.")
    assert errors[2] == "127.0.0.1:9 does not answer: Connection refused."


def test_a_page_that_is_no_games_is_told_from_a_broken_replay(kit: Kit) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/matches/1/"
        told = kit.run("verify", url)
        server.shutdown()
        thread.join()
    assert told == (2, "", f"{url} is a page and no replay: a game's address ends like /games/12/.\n")


def test_a_game_of_other_rules_of_the_engine_is_refused_in_a_sentence(verify):
    status, lines, errors = verify(
        {"new.json": FORMS["compact.json"].replace(b'"engine_rules":1', b'"engine_rules":2')}
    )
    assert (status, lines) == (1, [])
    assert errors == ["new.json: the game was played under engine_rules 2; this program plays 1"]
