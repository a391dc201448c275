"""Pictures of cards as inline SVG, with their words for those who do not see them. Colours are rules.css's.

Cells are the engine's: a number is a card face-up, None one face-down, `REMOVED` the gap of a column that left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from matches.engine.cards import REMOVED, ROWS, Cell

WIDTH, HEIGHT, GAP, EDGE = 50, 70, 8, 4
BACK_EDGE, BACK_STEP = 5, 8


def colour(value: int) -> str:
    """The colour of a card by its value, as base.css and site.css call it."""
    if value < 0:
        return "neg"
    if value == 0:
        return "zero"
    return "low" if value <= 4 else "mid" if value <= 8 else "high"


def numeral(value: int) -> str:
    return str(value).replace("-", "−")


def grid_picture(grid: Sequence[Cell], marked: Collection[int] = ()) -> SafeString:
    """A grid of whole columns, its cells numbered down the columns; `marked` cells have a ring."""
    n_columns = len(grid) // ROWS
    cards = [
        (cell // ROWS * (WIDTH + GAP), cell % ROWS * (HEIGHT + GAP), card, cell in marked)
        for cell, card in enumerate(grid)
    ]
    return _picture(cards, n_columns * (WIDTH + GAP) - GAP, ROWS * (HEIGHT + GAP) - GAP, grid_words(grid))


def row_picture(cards: Sequence[Cell], text: str) -> SafeString:
    """Cards side by side; `text` says what they are."""
    placed = [(place * (WIDTH + GAP), 0, card, False) for place, card in enumerate(cards)]
    return _picture(placed, len(cards) * (WIDTH + GAP) - GAP, HEIGHT, text)


def discard_picture(pile: Sequence[int]) -> SafeString:
    """The top cards of a discard pile, lowest first: each leaves the corner of the one below to be seen."""
    step = 19
    placed = [(0, place * step, card, False) for place, card in enumerate(pile)]
    text = _("Discard pile, from its top: %(cards)s") % {"cards": ", ".join(map(numeral, reversed(pile)))}
    return _picture(placed, WIDTH, (len(pile) - 1) * step + HEIGHT, text)


def grid_words(grid: Sequence[Cell]) -> str:
    """A grid for those who hear it, column by column."""
    columns = []
    for number, first in enumerate(range(0, len(grid), ROWS), start=1):
        column = grid[first : first + ROWS]
        if all(cell == REMOVED for cell in column):
            told = _("removed")
        elif all(cell is None for cell in column):
            told = _("face-down")
        else:
            told = ", ".join(_("face-down") if cell is None else numeral(int(cell)) for cell in column)
        columns.append(_("column %(number)s: %(cards)s") % {"number": number, "cards": told})
    return _("Grid, %(columns)s.") % {"columns": "; ".join(columns)}


def _picture(cards: Iterable[tuple[int, int, Cell, bool]], width: int, height: int, text: str) -> SafeString:
    return format_html(
        '<svg class="cards" role="img" aria-label="{}" viewBox="{} {} {} {}" width="{}" height="{}">{}</svg>',
        text,
        -EDGE,
        -EDGE,
        width + 2 * EDGE,
        height + 2 * EDGE,
        width + 2 * EDGE,
        height + 2 * EDGE,
        format_html_join("", "{}", ((_card(*card),) for card in cards)),
    )


def _card(x: int, y: int, card: Cell, is_marked: bool) -> SafeString:
    return format_html(
        '<g transform="translate({} {})">{}{}</g>',
        x,
        y,
        _face(card),
        mark_safe(f'<rect class="ring" x="-2" y="-2" width="{WIDTH + 4}" height="{HEIGHT + 4}" rx="7"/>')  # noqa: S308
        if is_marked
        else "",
    )


def _face(card: Cell) -> SafeString:
    body = format_html('<rect width="{}" height="{}" rx="5"/>', WIDTH, HEIGHT)
    if card == REMOVED:
        return format_html('<g class="gone">{}</g>', body)
    if card is None:
        return format_html('<g class="back">{}<path d="{}"/></g>', body, BACK)
    return format_html(
        '<g class="{}">{}<text x="25" y="45" class="numeral">{}</text>'
        '<text x="5" y="14">{}</text><text x="45" y="65" class="end">{}</text></g>',
        f"face-{colour(int(card))}",
        body,
        *[numeral(int(card))] * 3,
    )


def _back() -> str:
    """A lattice of slanting lines inside the edge of a card."""
    right, bottom = WIDTH - BACK_EDGE, HEIGHT - BACK_EDGE
    lines = []
    for offset in range(BACK_EDGE - bottom + BACK_STEP, right, BACK_STEP):
        x1, x2 = max(BACK_EDGE, offset + BACK_EDGE), min(right, offset + bottom)
        y1, y2 = x1 - offset, x2 - offset
        if x1 < x2:
            lines.append(f"M{x1} {y1}L{x2} {y2}M{WIDTH - x1} {y1}L{WIDTH - x2} {y2}")
    return "".join(lines)


BACK = _back()
