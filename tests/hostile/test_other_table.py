"""The second table of attacks in docs/sandbox.md and the programs in `c` and `javascript` are about the same."""

from __future__ import annotations

import re

from tests.hostile.duels import HERE
from tests.hostile.test_table import DOCUMENT

NO_ATTACKS = {"c/plain", "javascript/plain", "javascript/attacker"}
ROW = re.compile(r"^\| (`(?:c|javascript)/[^|]+) \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)


def numbers(text: str) -> set[int]:
    """The numbers of attacks in a text, `8 to 11` being four of them."""
    found = set()
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def test_the_table_and_the_programs_name_each_other() -> None:
    tried = {
        name: numbers(row[1])
        for row in ROW.findall(DOCUMENT.read_text())
        for name in re.findall(r"`([^`]+)`", row[0])
    }
    paths = {
        f"{path.parent.name}/{path.stem}": path
        for path in (*HERE.glob("c/*.c"), *HERE.glob("javascript/*.js"))
    }
    assert set(paths) == set(tried) | NO_ATTACKS
    for name, attacks in tried.items():
        head = paths[name].read_text().partition("\n")[0].partition(":")[0]
        assert numbers(head), name
        assert numbers(head) <= attacks, name
