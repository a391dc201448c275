"""A second, simple-minded account of a game: what somebody who only hears the public events can work out.

It knows no rule but what an event says, so it cannot share a fault with the engine; its state must agree with every
view at every step.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from matches.engine import CELLS, PUBLIC, VALUES, Game, event_json


class Onlooker:
    def __init__(self, game: Game) -> None:
        self.game = game
        self.n_heard = 0
        self.totals = [0] * game.seats
        self.placing: list[int] | None = None

    def listen(self) -> None:
        """Hear all events that are new."""
        events = self.game.events
        while self.n_heard < len(events):
            event = event_json(events[self.n_heard], PUBLIC)
            getattr(self, "hear_" + event.pop("event"))(**event)
            self.n_heard += 1

    def hear_round(self, round: int, starter: int | None, seats: list[int]) -> None:
        self.round, self.starter, self.seats = round, starter, seats
        self.closer: int | None = None
        self.grids: list[list[Any]] = [
            [None if seat in seats else "x"] * CELLS for seat in range(self.game.seats)
        ]
        self.discard: list[int] = []
        self.is_open = False
        self.draw_pile = 150 - CELLS * len(seats)

    def hear_open(self, card: int) -> None:
        self.is_open = True
        self.discard.append(card)
        self.draw_pile -= 1

    def hear_reveal(self, seat: int, cells: list[int], cards: list[int]) -> None:
        for cell, card in zip(cells, cards, strict=True):
            assert self.grids[seat][cell] is None
            self.grids[seat][cell] = card

    hear_final = hear_reveal

    def hear_start(self, seat: int) -> None:
        self.starter = seat

    def hear_draw(self, seat: int) -> None:
        self.draw_pile -= 1

    def hear_take(self, seat: int, card: int, **rest: Any) -> None:
        assert self.discard.pop() == card
        self.hear_swap(seat, card, **rest)

    def hear_swap(self, seat: int, card: int, cell: int, replaced: int, was_face_down: bool) -> None:
        assert self.grids[seat][cell] == (None if was_face_down else replaced)
        self.grids[seat][cell] = card
        self.discard.append(replaced)

    def hear_discard(self, seat: int, card: int) -> None:
        self.discard.append(card)

    def hear_flip(self, seat: int, cell: int, card: int) -> None:
        self.hear_reveal(seat, [cell], [card])

    def hear_clear(self, seat: int, column: int, value: int) -> None:
        cells = slice(3 * column, 3 * column + 3)
        assert self.grids[seat][cells] == [value] * 3
        self.grids[seat][cells] = ["x"] * 3
        self.discard += [value] * 3

    def hear_close(self, seat: int) -> None:
        assert None not in self.grids[seat]
        self.closer = seat

    def hear_reshuffle(self, cards: int) -> None:
        assert self.draw_pile == 0
        assert cards == len(self.discard) - 1
        self.draw_pile = cards
        del self.discard[:-1]

    def hear_score(self, points: list[int], totals: list[int], **rest: Any) -> None:
        assert all(None not in grid for grid in self.grids)
        assert rest["points_before"] == [self.points(seat) for seat in range(self.game.seats)]
        assert totals == [before + now for before, now in zip(self.totals, points, strict=True)]
        self.totals = totals

    def hear_over(self, placing: list[int], totals: list[int], reason: str) -> None:
        self.placing = placing
        assert totals == self.totals

    def points(self, seat: int) -> int:
        return sum(cell for cell in self.grids[seat] if isinstance(cell, int))

    def view(self, seat: int) -> dict[str, Any]:
        """The view of `seat`, but for the card in its hand and the number of the turn."""
        counts = Counter(self.discard)
        return {
            "round": self.round,
            "seat": seat,
            "starter": self.starter,
            "closer": self.closer,
            "totals": self.totals,
            "points_now": [self.points(seat) for seat in range(self.game.seats)],
            "grids": self.grids,
            "discard": self.discard[-1] if self.is_open else None,
            "discards": {str(value): counts[value] for value in VALUES},
            "draw_pile": self.draw_pile,
        }
