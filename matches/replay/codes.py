"""One character for each decision: how a core stores what was done.

The phase is known from the game. The tables are part of format 1 and never change; `docs/replay.md` prints
them.
"""

from __future__ import annotations

from itertools import combinations
from types import MappingProxyType

from matches.engine.actions import DISCARD, DRAW, Action, flip, reveal, swap, take
from matches.engine.cards import CELLS

_REVEAL_CHARACTERS = "".join(chr(code) for code in range(0x23, 0x7F) if chr(code) != "\\")
_PAIRS = [reveal(*pair) for pair in combinations(range(CELLS), 2)]
_SINGLES = [reveal(cell) for cell in range(CELLS)]

TABLES: dict[str, dict[str, Action]] = {
    "reveal": dict(zip(_REVEAL_CHARACTERS, [*_PAIRS, *_SINGLES], strict=False)),
    "draw": {".": DRAW} | {chr(ord("A") + cell): take(cell) for cell in range(CELLS)},
    "place": {chr(ord("a") + cell): swap(cell) for cell in range(CELLS)}
    | {chr(ord("m") + cell): flip(cell) for cell in range(CELLS)}
    | {"!": DISCARD},
}
"""By phase: character to action."""

CODES = MappingProxyType(
    {action: character for table in TABLES.values() for character, action in table.items()}
)
"""Action to character."""

CHARACTERS = frozenset(CODES.values())
