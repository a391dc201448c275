"""Golden transcripts: whole stretches of play, told with what each seat sees, as they must come out for ever.

`WRITE_GOLDEN=1 pytest tests/engine/test_golden.py` writes the files anew; read the difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .scenarios import SCENARIOS
from .telling import tell

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_is_told_as_it_always_was(scenario):
    file = GOLDEN / f"{scenario.name}.txt"
    text = tell(scenario)
    if os.environ.get("WRITE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_every_golden_file_has_its_scenario():
    assert {file.stem for file in GOLDEN.iterdir()} == {scenario.name for scenario in SCENARIOS}
