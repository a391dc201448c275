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


def view(current: Round, totals: Sequence[int], seat: int) -> dict[str, Any]:
    """The view of `seat` as a JSON object, the caller's to keep; docs/protocol.md explains its keys."""
    seen: dict[str, Any] = {
        "round": current.number,
        "turn": current.turn,
        "seat": seat,
        "starter": current.starter,
        "closer": current.closer,
        "totals": list(totals),
        "points_now": current.points_now.copy(),
        "grids": [grid.copy() for grid in current.grids],
        "discard": current.discard[-1] if current.is_open else None,
        "discards": current.discards.copy(),
        "draw_pile": current.n_draw_pile,
    }
    if seat == current.seat and current.phase == PLACE_PHASE:
        seen["drawn"] = current.drawn
    return seen


_CELL_TEXT: Final[dict[Cell, str]] = {None: "null", REMOVED: f'"{REMOVED}"', **{v: str(v) for v in VALUES}}
_DISCARDS_TEXT: Final = "{" + ",".join(f'"{value}":%d' for value in VALUES) + "}"


def view_text(current: Round, totals: Sequence[int], seat: int) -> str:
    """The same as compact JSON text, in a fraction of the time; a referee sends one with every question.

    What lies on the table is put into words once a turn, a grid once a change.
    """
    if not current.memo:
        current.memo = _table_text(current, totals)
    drawn = f',"drawn":{current.drawn}' if seat == current.seat and current.phase == PLACE_PHASE else ""
    return (
        f'{{"round":{current.number},"turn":{current.turn},"seat":{seat},{current.memo},'
        f'"draw_pile":{current.n_draw_pile}{drawn}}}'
    )


def _table_text(current: Round, totals: Sequence[int]) -> str:
    grids = current.memo_grids
    for seat, text in enumerate(grids):
        if not text:
            grids[seat] = ",".join([_CELL_TEXT[cell] for cell in current.grids[seat]])
    return (
        f'"starter":{"null" if current.starter is None else current.starter},'
        f'"closer":{"null" if current.closer is None else current.closer},'
        f'"totals":[{",".join(map(str, totals))}],"points_now":[{",".join(map(str, current.points_now))}],'
        f'"grids":[[{"],[".join(grids)}]],"discard":{current.discard[-1] if current.is_open else "null"},'
        f'"discards":{_DISCARDS_TEXT % tuple(current.discards.values())}'
    )
