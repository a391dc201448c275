"""What a seat may decide, and the protocol's JSON for it.

Make actions with the constants and functions below: they return one shared object for each action on the
board.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from .cards import CELLS
from .quoting import quoted

Phase: TypeAlias = Literal["reveal", "draw", "place", "over"]

REVEAL_PHASE: Final = "reveal"
"""Every seat chooses the cards to turn over at the start."""
DRAW_PHASE: Final = "draw"
"""The seat to move takes from the draw pile or from the discard pile."""
PLACE_PHASE: Final = "place"
"""The seat to move holds the drawn card."""
OVER_PHASE: Final = "over"
"""The game has ended."""


class Action(NamedTuple):
    """One decision: its kind, and the cells that it names."""

    kind: Literal["reveal", "draw", "take", "swap", "flip", "discard"]
    cells: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """The protocol's action, without `id` and `note`."""
        if self.kind == "draw":
            return {"take": "draw"}
        if self.kind == "discard":
            return {"discard": True}
        if self.kind == "reveal":
            return {"cells": list(self.cells)}
        if self.kind == "take":
            return {"take": "discard", "cell": self.cells[0]}
        return {self.kind: self.cells[0]}

    def __str__(self) -> str:
        return " ".join((self.kind, *map(quoted, self.cells)))


class MalformedAction(ValueError):
    """JSON that is no action of the protocol at all, whatever the state of the game."""


DRAW: Final = Action("draw", ())
"""Take the top card of the draw pile and look at it."""
DISCARD: Final = Action("discard", ())
"""Discard the drawn card and turn over none; only under `flip_after_discard: may`."""

_TAKES: Final = tuple(Action("take", (cell,)) for cell in range(CELLS))
_SWAPS: Final = tuple(Action("swap", (cell,)) for cell in range(CELLS))
_FLIPS: Final = tuple(Action("flip", (cell,)) for cell in range(CELLS))
_REVEALS: Final[dict[tuple[int, ...], Action]] = {
    cells: Action("reveal", cells) for n in (1, 2) for cells in combinations(range(CELLS), n)
}


def reveal(*cells: int) -> Action:
    """Turn over these face-down cells at the start; their order does not matter."""
    ordered = tuple(sorted(cells))
    return _REVEALS.get(ordered) or Action("reveal", ordered)


def take(cell: int) -> Action:
    """Take the top card of the discard pile and put it in `cell`."""
    return _TAKES[cell] if 0 <= cell < CELLS else Action("take", (cell,))


def swap(cell: int) -> Action:
    """Put the drawn card in `cell`."""
    return _SWAPS[cell] if 0 <= cell < CELLS else Action("swap", (cell,))


def flip(cell: int) -> Action:
    """Discard the drawn card and turn over the face-down card in `cell`."""
    return _FLIPS[cell] if 0 <= cell < CELLS else Action("flip", (cell,))


_WANTED: Final = {
    REVEAL_PHASE: '{"cells": [0, 7]}',
    DRAW_PHASE: '{"take": "draw"} or {"take": "discard", "cell": 5}',
    PLACE_PHASE: '{"swap": 5} or {"flip": 9}',
    OVER_PHASE: "nothing, as the game is over",
}


def action_from_json(phase: str, value: object) -> Action:
    """The action that a decoded JSON value (without `id` and `note`) stands for.

    Any action of the protocol is accepted in any phase, with any integers for cells; whether the rules allow
    it now is for `Game.apply` to say. `phase` only serves the error text. Raises `MalformedAction`.
    """
    if isinstance(value, dict) and value:
        action = _read(value)
        if action is not None:
            return action
        shown = "{" + ", ".join(f"{quoted(key)}: {quoted(value[key])}" for key in list(value)[:3]) + "}"
    else:
        shown = quoted(value)
    raise MalformedAction(
        f"{shown} is no action. In phase {phase} answer {_WANTED.get(phase, _WANTED[OVER_PHASE])}."
    )


_ONE_CELL: Final[dict[str, Callable[[int], Action]]] = {"swap": swap, "flip": flip}


def _read(value: dict[Any, Any]) -> Action | None:
    if len(value) == 1:
        [(key, content)] = value.items()
        if key in _ONE_CELL:
            return _ONE_CELL[key](content) if type(content) is int else None
        if key == "take":
            return DRAW if content == "draw" else None
        if key == "cells":
            if isinstance(content, list) and 1 <= len(content) <= 2 and all(type(c) is int for c in content):
                return reveal(*content)
            return None
        return DISCARD if key == "discard" and content is True else None
    if len(value) == 2 and value.get("take") == "discard" and type(value.get("cell")) is int:
        return take(value["cell"])
    return None
