"""One round on the table: cards, turns, and what ends it. `Game` strings rounds together.

Speed matters here (a referee or a simulation applies millions of decisions), hence bit masks of cells,
counters kept up to date instead of recomputed, and plain tuples for events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final

from .actions import (
    DISCARD,
    DRAW,
    DRAW_PHASE,
    OVER_PHASE,
    PLACE_PHASE,
    REVEAL_PHASE,
    Action,
    Phase,
    flip,
    reveal,
    swap,
    take,
)
from .cards import CELLS, COLUMNS, REMOVED, ROWS, VALUES, Cell
from .deal import Deal
from .events import Event
from .quoting import quoted
from .rules import Rules
from .scoring import doubles


class IllegalAction(ValueError):
    """A well-formed action that the rules forbid now; the text says where, what and why, `what` the same without
    where."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.what = what


@dataclass(frozen=True, slots=True)
class RoundResult:
    """How a round ended. Tuples run over all seats of the game; a seat that sat out has an empty grid and no points."""

    number: int
    table: tuple[int, ...]
    """The seats that played it, ascending: all, but in an extra round only those that shared the lowest total."""
    starter: int
    closer: int | None
    """None when the round was cut."""
    cut: bool
    turns: int
    points_before: tuple[int, ...]
    """Before doubling."""
    points: tuple[int, ...]
    doubled: int | None
    """The closer, when doubling changed its points."""
    columns: tuple[tuple[int, int, int], ...]
    """(seat, column, value) of each cleared column, in the order of clearing."""
    grids: tuple[tuple[Cell, ...], ...]
    """At the end, all cards face-up."""
    discard: tuple[int, ...]
    """The discard pile at the end, bottom first."""


_ALL: Final = (1 << CELLS) - 1
_BIT: Final = tuple(1 << cell for cell in range(CELLS))
_MATES: Final = tuple(
    tuple(other for other in range(CELLS) if other != cell and other // ROWS == cell // ROWS)
    for cell in range(CELLS)
)
"""The two other cells of each cell's column."""
_KEY: Final = {value: str(value) for value in VALUES}
"""Each value as a key of a JSON object."""
_FIRST_REVEALS: Final = tuple(reveal(*pair) for pair in combinations(range(CELLS), 2))


def _cells(mask: int) -> tuple[int, ...]:
    return tuple(cell for cell in range(CELLS) if mask >> cell & 1)


@cache
def _draws(present: int) -> tuple[Action, ...]:
    return (DRAW, *map(take, _cells(present)))


@cache
def _swaps(present: int) -> tuple[Action, ...]:
    return tuple(map(swap, _cells(present)))


@cache
def _flips(hidden: int) -> tuple[Action, ...]:
    return tuple(map(flip, _cells(hidden)))


class Round:
    """A round in play.

    For reading: `number`, `table` (the seats that play, ascending), `phase`, `seat` to act (None when over),
    `turn` (from 1; 0 while cards are revealed), `starter` (None while undecided), `closer`, `cut`, `grids` as
    the table sees them, `points_now` (the sum of each seat's face-up cards), `discard` (bottom first),
    `is_open` (whether the discard pile has been opened), `discards` (how many of each value lie in it, by
    JSON key), `columns` cleared.
    """

    __slots__ = (
        "_asked",
        "_card",
        "_choices",
        "_deal",
        "_events",
        "_final_turns",
        "_hidden",
        "_last_turn",
        "_n_reshuffles",
        "_next",
        "_pile",
        "_present",
        "_rules",
        "_sums",
        "_tied",
        "_under",
        "closer",
        "columns",
        "cut",
        "discard",
        "discards",
        "grids",
        "is_open",
        "memo",
        "memo_grids",
        "number",
        "phase",
        "points_now",
        "seat",
        "starter",
        "table",
        "turn",
    )

    def __init__(
        self,
        rules: Rules,
        seats: int,
        number: int,
        table: tuple[int, ...],
        starter: int | None,
        deal: Deal,
        events: list[Event],
    ) -> None:
        """Deal a round to `table` (of `seats` in all); with `starter` None the revealed cards decide who starts."""
        self._rules = rules
        self._deal = deal
        self._events = events
        self.number = number
        self.table = table
        self.starter = starter
        self._next = dict(zip(table, (*table[1:], table[0]), strict=True))
        pack = deal.pack(number)
        self._under: list[list[int]] = [[]] * seats
        self.grids: list[list[Cell]] = [[REMOVED] * CELLS for _ in range(seats)]
        self._hidden = [0] * seats
        self._present = [0] * seats
        for place, seat in enumerate(table):
            self._under[seat] = pack[place * CELLS : (place + 1) * CELLS]
            self.grids[seat] = [None] * CELLS
            self._hidden[seat] = self._present[seat] = _ALL
        self._pile = pack[: len(table) * CELLS - 1 : -1]  # its top is the last item
        self._n_reshuffles = 0
        self._card = 0
        self.points_now = [0] * seats
        self.discard: list[int] = []
        self.discards = dict.fromkeys(_KEY.values(), 0)
        self.is_open = False
        self.columns: list[tuple[int, int, int]] = []
        self.turn = 0
        self._last_turn = rules.turn_cap * len(table)
        self.closer: int | None = None
        self._final_turns = 0
        self.cut = False
        self._sums = [0] * seats
        self._tied = self._asked = table
        self._choices: list[tuple[int, ...]] = []
        self.phase: Phase = REVEAL_PHASE
        self.seat: int | None = table[0]
        # Texts that `view_text` has made and may use again while nothing in them changes.
        self.memo = ""
        self.memo_grids = [""] * seats
        events.append(("round", number, starter, table))
        if rules.open_discard == "before_reveal":
            self._open()

    @property
    def n_draw_pile(self) -> int:
        """How many cards are left in the draw pile."""
        return len(self._pile)

    @property
    def drawn(self) -> int | None:
        """The card in the hand of the seat in phase place, which nobody else may see; else None."""
        return self._card if self.phase == PLACE_PHASE else None

    def hidden(self, seat: int) -> tuple[int, ...]:
        """The face-down cells of a seat, ascending."""
        return _cells(self._hidden[seat])

    def legal_actions(self) -> tuple[Action, ...]:
        """All legal actions of the seat to act, always in the same order; none when the round is over."""
        seat = self.seat
        if seat is None:
            return ()
        phase = self.phase
        if phase == DRAW_PHASE:
            return _draws(self._present[seat])
        if phase == PLACE_PHASE:
            actions = _swaps(self._present[seat]) + _flips(self._hidden[seat])
            return actions if self._rules.flip_after_discard == "must" else (*actions, DISCARD)
        if self._hidden[seat] == _ALL:
            return _FIRST_REVEALS
        return tuple(map(reveal, _cells(self._hidden[seat])))

    def apply(self, action: Action) -> None:
        """Carry out the decision of the seat to act. Raises `IllegalAction`, and changes nothing, if it is illegal."""
        seat = self.seat
        if seat is None:
            raise IllegalAction(f"Round {self.number}", f"{action} is illegal. The round is over.")
        phase = self.phase
        kind, cells = action
        if phase == PLACE_PHASE:
            if kind == "swap":
                (cell,) = cells
                if cell >= 0 and self._present[seat] >> cell & 1:
                    self._put(kind, seat, cell, self._card)
                    self._end_turn(seat)
                    return
            elif kind == "flip":
                (cell,) = cells
                if cell >= 0 and self._hidden[seat] >> cell & 1:
                    self._discard_card(seat)
                    self._flip(seat, cell)
                    self._end_turn(seat)
                    return
            elif kind == "discard" and self._rules.flip_after_discard == "may":
                self._discard_card(seat)
                self._end_turn(seat)
                return
        elif phase == DRAW_PHASE:
            if kind == "draw":
                if not self._pile:
                    self._reshuffle()
                self._card = card = self._pile.pop()
                self._events.append(("draw", seat, card))
                self.phase = PLACE_PHASE
                return
            if kind == "take":
                (cell,) = cells
                if cell >= 0 and self._present[seat] >> cell & 1:
                    card = self.discard.pop()
                    self.discards[_KEY[card]] -= 1
                    self._put(kind, seat, cell, card)
                    self._end_turn(seat)
                    return
        elif kind == "reveal" and self._may_reveal(seat, cells):
            self._choices.append(cells)
            if len(self._choices) < len(self._asked):
                self.seat = self._asked[len(self._choices)]
            else:
                self._reveal_all()
            return
        raise IllegalAction(
            f"Round {self.number}, turn {self.turn}, seat {seat}, phase {phase}",
            f"{action} is illegal. {self._why_not(seat, action)}",
        )

    def result(self) -> RoundResult:
        """The result of a round that is over. Raises ValueError while it is being played."""
        starter = self.starter
        if starter is None or self.seat is not None:
            raise ValueError(f"Round {self.number} is still being played.")
        points = points_before = tuple(self.points_now)
        doubled = None
        closer = self.closer
        if closer is not None and points[closer] and doubles(self._rules, points, closer, self.table):
            doubled = closer
            points = (*points[:closer], 2 * points[closer], *points[closer + 1 :])
        return RoundResult(
            number=self.number,
            table=self.table,
            starter=starter,
            closer=closer,
            cut=self.cut,
            turns=self.turn,
            points_before=points_before,
            points=points,
            doubled=doubled,
            columns=tuple(self.columns),
            grids=tuple(map(tuple, self.grids)),
            discard=tuple(self.discard),
        )

    # The start

    def _may_reveal(self, seat: int, cells: Sequence[int]) -> bool:
        hidden = self._hidden[seat]
        wanted = 2 if hidden == _ALL else 1
        return len(cells) == len(set(cells)) == wanted and all(c >= 0 and hidden >> c & 1 for c in cells)

    def _reveal_all(self) -> None:
        """All have chosen: show the cards, then start the first turn or ask the tied seats for more."""
        for seat, cells in zip(self._asked, self._choices, strict=True):
            self._sums[seat] += sum(self._turn_up("reveal", seat, cells))
        self._clear_columns(self._asked)
        self._choices = []
        self.memo = ""
        if self.starter is None:
            highest = max(self._sums[seat] for seat in self._tied)
            self._tied = tuple(seat for seat in self._tied if self._sums[seat] == highest)
            if len(self._tied) > 1 and self._rules.start_tie == "flip_more":
                # Nobody turns over a last card here: no round is closed before its first turn.
                self._asked = tuple(seat for seat in self._tied if self._hidden[seat].bit_count() > 1)
                if self._asked:
                    self.seat = self._asked[0]
                    return
            self.starter = self._tied[0]
        if not self.is_open:
            self._open()
        self.turn = 1
        self.phase = DRAW_PHASE
        self.seat = self.starter
        self._events.append(("start", self.starter))

    def _open(self) -> None:
        card = self._pile.pop()
        self.discard.append(card)
        self.discards[_KEY[card]] += 1
        self.is_open = True
        self._events.append(("open", card))

    # A turn

    def _reshuffle(self) -> None:
        pile = self._deal.reshuffle(self.number, self._n_reshuffles, self.discard[:-1])
        self._n_reshuffles += 1
        self.memo = ""
        self._pile = pile[::-1]
        del self.discard[:-1]
        self.discards = dict.fromkeys(_KEY.values(), 0)
        self.discards[_KEY[self.discard[0]]] = 1
        self._events.append(("reshuffle", len(pile)))

    def _put(self, kind: str, seat: int, cell: int, card: int) -> None:
        """Put `card` face-up into the grid and what was there onto the discard pile."""
        grid = self.grids[seat]
        under = self._under[seat]
        replaced = under[cell]
        if was_face_down := grid[cell] is None:
            self._hidden[seat] ^= _BIT[cell]
            self.points_now[seat] += card
        else:
            self.points_now[seat] += card - replaced
        grid[cell] = under[cell] = card
        self.discard.append(replaced)
        self.discards[_KEY[replaced]] += 1
        self.memo_grids[seat] = ""
        self._events.append((kind, seat, card, cell, replaced, was_face_down))
        a, b = _MATES[cell]
        if grid[a] == card and grid[b] == card and self._rules.columns:
            self._clear(seat, cell // ROWS)

    def _discard_card(self, seat: int) -> None:
        card = self._card
        self.discard.append(card)
        self.discards[_KEY[card]] += 1
        self._events.append(("discard", seat, card))

    def _flip(self, seat: int, cell: int) -> None:
        grid = self.grids[seat]
        grid[cell] = card = self._under[seat][cell]
        self._hidden[seat] ^= _BIT[cell]
        self.points_now[seat] += card
        self.memo_grids[seat] = ""
        self._events.append(("flip", seat, cell, card))
        a, b = _MATES[cell]
        if grid[a] == card and grid[b] == card and self._rules.columns:
            self._clear(seat, cell // ROWS)

    def _clear(self, seat: int, column: int) -> None:
        first = column * ROWS
        value = self._under[seat][first]
        self.grids[seat][first : first + ROWS] = [REMOVED] * ROWS
        self._present[seat] ^= 0b111 << first
        self.points_now[seat] -= ROWS * value
        self.discard += [value] * ROWS
        self.discards[_KEY[value]] += ROWS
        self.columns.append((seat, column, value))
        self._events.append(("clear", seat, column, value))

    def _end_turn(self, seat: int) -> None:
        self.memo = ""
        if self._final_turns:
            self._final_turns -= 1
            if not self._final_turns:
                self._end()
                return
        elif not self._hidden[seat]:
            self.closer = seat
            self._final_turns = len(self.table) - 1
            self._events.append(("close", seat))
        elif self.turn >= self._last_turn:
            self.cut = True
            self._end()
            return
        self.turn += 1
        self.seat = self._next[seat]
        self.phase = DRAW_PHASE

    # The end

    def _end(self) -> None:
        """Turn over what is face-down; once all cards lie open, columns leave by seat, then from left to right."""
        for seat in self.table:
            if self._hidden[seat]:
                self._turn_up("final", seat, _cells(self._hidden[seat]))
        self._clear_columns(self.table)
        self.phase = OVER_PHASE
        self.seat = None

    # Several cards at once

    def _turn_up(self, kind: str, seat: int, cells: tuple[int, ...]) -> tuple[int, ...]:
        grid = self.grids[seat]
        under = self._under[seat]
        for cell in cells:
            grid[cell] = under[cell]
            self._hidden[seat] ^= _BIT[cell]
        cards = tuple(under[cell] for cell in cells)
        self.points_now[seat] += sum(cards)
        self.memo_grids[seat] = ""
        self._events.append((kind, seat, cells, cards))
        return cards

    def _clear_columns(self, seats: tuple[int, ...]) -> None:
        if not self._rules.columns:
            return
        for seat in seats:
            grid = self.grids[seat]
            for column in range(COLUMNS):
                a, b, c = grid[column * ROWS : (column + 1) * ROWS]
                if a == b == c and a is not None and a != REMOVED:
                    self._clear(seat, column)

    # Why an action is illegal

    def _why_not(self, seat: int, action: Action) -> str:
        kind, cells = action
        if self.phase == REVEAL_PHASE:
            n = 2 if self._hidden[seat] == _ALL else 1
            wanted = "two different face-down cells" if n == 2 else "one face-down cell"
            if kind != "reveal" or len(cells) != n or len(set(cells)) != n:
                return f"Reveal {wanted}."
        elif self.phase == DRAW_PHASE:
            if kind != "take":
                return "Take from the draw pile or from the discard pile first."
        elif kind == "discard":
            return "Under these rules a seat that discards the drawn card must turn over a face-down card."
        elif kind not in {"swap", "flip"}:
            return "Swap the drawn card into the grid, or discard it and flip a face-down card."
        for cell in cells:
            if not 0 <= cell < CELLS:
                return f"There is no cell {quoted(cell)}; cells run from 0 to {CELLS - 1}."
            if not self._present[seat] >> cell & 1:
                return f"Cell {cell} is empty: column {cell // ROWS} was removed."
            if not self._hidden[seat] >> cell & 1 and kind in {"reveal", "flip"}:
                return (
                    f"Cell {cell} is face-up already; face-down are {', '.join(map(str, self.hidden(seat)))}."
                )
        return ""
