"""Settings that somebody got wrong are named in a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from arena.settings import env

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("text", ["abc", "-1", "1.5", "0", "٣", "9" * 5000])
def test_a_number_that_is_none_is_named(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCH_WORKERS", text)
    with pytest.raises(ImproperlyConfigured, match="MATCH_WORKERS"):
        env.whole("MATCH_WORKERS", 3, least=1)


@pytest.mark.parametrize(("text", "number"), [("7", 7), (" 12 ", 12), ("", 3)])
def test_a_number_is_read_and_what_is_empty_is_the_default(
    text: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCH_WORKERS", text)
    assert env.whole("MATCH_WORKERS", 3, least=1) == number


def test_commands_end_with_the_sentence_and_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "serve"],
        cwd=CHECKOUT,
        env={**os.environ, "DATA_DIR": str(tmp_path), "MATCH_WORKERS": "abc"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "MATCH_WORKERS is “abc”: give a whole number, at least 0.\n"
