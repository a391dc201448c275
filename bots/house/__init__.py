"""The arena's own bots: programs in the kit's style that anyone may read, copy and try to beat.

They are listed here and never imported: like every bot, they run as programs of their own.
"""

from __future__ import annotations

import ast
import pkgutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A house bot: its name on the site and where its one file lies."""

    name: str
    path: Path

    @property
    def strategy(self) -> str:
        """The paragraph on how it plays: the docstring of its file."""
        return _docstring(self.path)


@cache
def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_bytes())) or ""


HOUSE: Final = tuple(
    HouseBot(name, Path(__file__).with_name(filename))
    for name, filename in (
        ("random", "random_bot.py"),
        ("greedy", "greedy.py"),
        ("threshold", "threshold.py"),
        ("collector", "collector.py"),
        ("ev", "ev.py"),
    )
)
"""All house bots, weakest first."""


def house_source(name: str) -> bytes:
    """The source of the house bot of this name, as it would be uploaded. Raises KeyError if there is none."""
    for bot in HOUSE:
        if bot.name == name:
            # Also where this package lies in a zip, as in the kit.
            return pkgutil.get_data(__name__, bot.path.name) or b""
    raise KeyError(name)
