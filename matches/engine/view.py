"""What one seat may know of a game: the protocol's `view`.

All of it lies on the table for everybody to see, but for one thing: the card that the seat itself has drawn.
What a seat may not know is never read here, so it cannot leak.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from .actions import PLACE_PHASE
from .cards import REMOVED, VALUES, Cell
from .round import Round


def view(table: Round, totals: Sequence[int], seat: int) -> dict[str, Any]:
    """The view of `seat` as a JSON object, the caller's to keep; docs/protocol.md explains its keys."""
    seen: dict[str, Any] = {
        "round": table.number,
        "turn": table.turn,
        "seat": seat,
        "starter": table.starter,
        "closer": table.closer,
        "totals": list(totals),
        "points_now": table.points_now.copy(),
        "grids": [grid.copy() for grid in table.grids],
        "discard": table.discard[-1] if table.is_open else None,
        "discards": table.discards.copy(),
        "draw_pile": table.n_draw_pile,
    }
    if seat == table.seat and table.phase == PLACE_PHASE:
        seen["drawn"] = table.drawn
    return seen


_CELL_TEXT: Final[dict[Cell, str]] = {None: "null", REMOVED: f'"{REMOVED}"', **{v: str(v) for v in VALUES}}
_DISCARDS_TEXT: Final = "{" + ",".join(f'"{value}":%d' for value in VALUES) + "}"


def view_text(table: Round, totals: Sequence[int], seat: int) -> str:
    """The same as compact JSON text, several times quicker; a referee sends one with every question."""
    grids = "],[".join([",".join([_CELL_TEXT[cell] for cell in grid]) for grid in table.grids])
    drawn = f',"drawn":{table.drawn}' if seat == table.seat and table.phase == PLACE_PHASE else ""
    return (
        f'{{"round":{table.number},"turn":{table.turn},"seat":{seat},'
        f'"starter":{"null" if table.starter is None else table.starter},'
        f'"closer":{"null" if table.closer is None else table.closer},'
        f'"totals":[{",".join(map(str, totals))}],"points_now":[{",".join(map(str, table.points_now))}],'
        f'"grids":[[{grids}]],"discard":{table.discard[-1] if table.is_open else "null"},'
        f'"discards":{_DISCARDS_TEXT % tuple(table.discards.values())},'
        f'"draw_pile":{table.n_draw_pile}{drawn}}}'
    )
