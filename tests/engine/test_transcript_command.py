"""`manage.py transcript FILE…`: one JSON line for each file, whatever the others hold."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from .test_transcript import short_game


@pytest.fixture
def good(tmp_path):
    file = tmp_path / "good.json"
    file.write_text(json.dumps(short_game()[1]), encoding="utf-8")
    return str(file)


def answers(capsys, *files):
    failed = None
    try:
        call_command("transcript", *files)
    except CommandError as error:
        failed = str(error)
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()], failed


def test_good_files_are_played_in_order(capsys, good):
    told, failed = answers(capsys, good, good)
    assert [answer["totals"] for answer in told] == [[58, 12]] * 2
    assert failed is None


def test_after_an_error_the_next_file_is_still_played(capsys, good, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_bytes(b'{"rules": NaN}')
    told, failed = answers(capsys, str(bad), good, str(tmp_path / "missing"), str(tmp_path), good)
    assert ["error" in answer for answer in told] == [True, False, True, True, False]
    assert told[0] == {"error": "The file holds NaN, which is no JSON.", "round": None, "decision": None}
    assert "cannot be read: No such file or directory." in told[2]["error"]
    assert "cannot be read: Is a directory." in told[3]["error"]
    assert failed == "3 of 5 files failed."


def test_a_name_that_no_file_can_have_is_an_error_too(capsys, good):
    told, failed = answers(capsys, "a\0b", good)
    assert "cannot be read" in told[0]["error"]
    assert told[1]["finished"]
    assert failed


def test_an_endless_file_is_not_read_to_its_end(capsys):
    told, _ = answers(capsys, "/dev/zero")
    assert told[0]["error"].startswith("A transcript is at most ")


def test_the_exit_status_tells_that_one_failed(good, tmp_path):
    done = subprocess.run(
        [sys.executable, "manage.py", "transcript", str(tmp_path / "missing"), good],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert ["error" in json.loads(line) for line in done.stdout.splitlines()] == [True, False]
    assert "1 of 2 files failed." in done.stderr
