"""The deck and the shape of a grid.

A card is its value, an `int`. A grid has 4 columns of 3 rows; its cells are numbered down the columns:
cell = 3 × column + row, so that column 0 holds the cells 0, 1 and 2.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, TypeGuard

VALUES: Final = tuple(range(-2, 13))
COPIES: Final = {-2: 5, -1: 10, 0: 15} | dict.fromkeys(range(1, 13), 10)
DECK: Final = tuple(value for value in VALUES for _ in range(COPIES[value]))
"""All 150 cards in ascending order, as they lie before the shuffle."""

COLUMNS: Final = 4
ROWS: Final = 3
CELLS: Final = COLUMNS * ROWS

REMOVED: Final = "x"
"""What a cell holds once its column has left the grid."""

Cell: TypeAlias = int | Literal["x"] | None
"""A cell as the table sees it: a face-up card, `REMOVED`, or None for a face-down card."""


def is_deck(cards: object) -> TypeGuard[list[int]]:
    """Whether `cards` is a list of exactly the 150 cards of the deck, in any order."""
    return (
        isinstance(cards, list)
        and len(cards) == len(DECK)
        and all(type(card) is int for card in cards)
        and tuple(sorted(cards)) == DECK
    )
