"""The runner of `make soak`: which parts it runs, and when it fails."""

import pytest

from tests.soak.__main__ import PARTS, Part, main


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(PARTS):
        monkeypatch.delitem(PARTS, name)
    monkeypatch.setitem(PARTS, "breaks", Part(("-c", "raise SystemExit(3)")))
    monkeypatch.setitem(
        PARTS,
        "holds",
        Part(("-c", "import os, sys; print(os.environ['HOW'], *sys.argv[1:])"), {"HOW": "well"}),
    )


def test_every_part_runs_and_one_that_broke_fails_the_soak(parts, capfd):
    assert main([]) == 1
    output = capfd.readouterr().out
    assert "\nwell\n" in output
    assert output.splitlines()[-2:] == ["breaks          FAILED (exit status 3)", "holds           ok"]


def test_a_chosen_part_gets_the_arguments(parts, capfd):
    assert main(["holds", "--", "--events", "5"]) == 0
    output = capfd.readouterr().out
    assert "well --events 5\n" in output
    assert "breaks" not in output


def test_a_part_that_is_not_there_is_named_beside_those_that_are(parts, capfd):
    assert main(["holds", "fire"]) == 2
    assert capfd.readouterr().err == "There is no part fire; there are: breaks, holds.\n"


def test_arguments_for_several_parts_are_refused(parts, capfd):
    assert main(["holds", "breaks", "--", "--events", "5"]) == 2
    assert "one part" in capfd.readouterr().err
