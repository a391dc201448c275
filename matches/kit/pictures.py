"""A table in a terminal: grids side by side, the piles above them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final

from .positions import REMOVED, Position
from .terminal import Paint, number

_CARD: Final = 4
_GRID: Final = 4 * _CARD + 3
_GAP: Final = "   "


def picture(
    position: Position, names: Sequence[str], paint: Paint, *, width: int = 80, is_open: bool = False
) -> list[str]:
    """The lines. `is_open` shows face-down cards too, in brackets."""
    piles = [f"draw pile {position.draw_pile}"]
    if position.discards:
        piles.append(f"discard {_card(position.discards[-1], paint)}")
    if position.drawn is not None:
        piles.append(f"drawn {_card(position.drawn, paint)}")
    where = f"round {position.round}" + (f", turn {position.turn}" if position.turn else "")
    lines = [_GAP.join([where, *piles]), ""]
    seats = [
        _seat(position, seat, names[seat], paint, is_open=is_open) for seat in range(len(position.grids))
    ]
    n_beside = max(1, (width + len(_GAP)) // (_GRID + 2 + len(_GAP)))
    for first in range(0, len(seats), n_beside):
        for row in zip_longest(*seats[first : first + n_beside]):
            lines.append(_GAP.join(row).rstrip())
        lines.append("")
    return lines[:-1]


def _seat(position: Position, seat: int, name: str, paint: Paint, *, is_open: bool) -> list[str]:
    grid = position.grids[seat]
    dealt = position.dealt[seat] if position.dealt else []
    is_active = seat == position.seat
    mark = "▸ " if is_active else "  "
    title = f"{name[: _GRID - 4]}"
    total = number(position.totals[seat])
    head = f"{title:<{_GRID - len(total)}}{total}"
    lines = [mark + (paint.bold(head) if is_active else head)]
    for row in range(3):
        cells = []
        for cell in range(row, 12, 3):
            hidden = dealt[cell] if is_open and grid[cell] is None and dealt else None
            cells.append(_cell(grid[cell], hidden, paint))
        lines.append("  " + " ".join(cells))
    if position.closer is not None:
        state = "closed the round" if seat == position.closer else ""
        lines.append("  " + paint.faint(f"{state:<{_GRID}}"))
    return lines


def _cell(content: Any, hidden: int | None, paint: Paint) -> str:
    if content == REMOVED:
        return " " * _CARD
    if content is None:
        text = "··" if hidden is None else f"({number(hidden)})"
        return paint.back(f"{text:^{_CARD}}")
    return _card(content, paint)


def _card(value: int, paint: Paint) -> str:
    return paint.card(value, f"{number(value):>{_CARD - 1}} ")
