"""`manage.py verify`."""

from __future__ import annotations

import gzip

import pytest
from django.core.management import CommandError, call_command

from matches.replay import core_sha256, encode, expand

from .games import SHORT, as_json, play, replay_of

GAME = play(SHORT, seed=3, faults={1: (12, "crash")})
STORED = encode(GAME.core(), GAME.timing())
DOCUMENT = expand(replay_of(GAME))
FORMS = {
    "stored.json.gz": STORED,
    "compact.json": gzip.decompress(STORED),
    "expanded.json": as_json(DOCUMENT),
    "expanded.json.gz": gzip.compress(as_json(DOCUMENT)),
}


@pytest.fixture
def verify(tmp_path, capsys):
    """Writes the files, runs the command on them in order; gives exit status, output and errors, line by line."""

    def run(files, *more):
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        status = 0
        try:
            call_command("verify", *(str(tmp_path / name) for name in [*files, *more]))
        except SystemExit as exit:
            status = exit.code
        output = capsys.readouterr()
        return status, *(text.replace(f"{tmp_path}/", "").splitlines() for text in (output.out, output.err))

    return run


def test_sound_files_in_every_form_are_told_with_their_outcome(verify):
    status, lines, errors = verify(FORMS)
    assert (status, errors) == (0, [])
    totals = DOCUMENT["outcome"]["totals"]
    summary = (
        f"sound, 2 seats, {len(DOCUMENT['rounds'])} rounds, {GAME.n_decisions} decisions; "
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
    status, lines, errors = verify({}, "none.json", "")
    assert (status, lines) == (1, [])
    assert errors[0] == "none.json: No such file or directory"
    assert errors[1].endswith("Is a directory")


def test_it_wants_at_least_one_file():
    with pytest.raises(CommandError, match="FILE"):
        call_command("verify")
