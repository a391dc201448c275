"""What lies on the table at each step of a replay: its events carried out in order, without knowing any rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

REMOVED = "x"


@dataclass(slots=True)
class Position:
    """A table. `grids`: by seat 12 cells as in the protocol: a face-up card, None for a face-down one, REMOVED.
    `dealt`: what the face-down ones are, where that is known. `seat`: whose turn it is or was. `closer`: the seat that
    closed the round."""

    round: int
    turn: int
    totals: Sequence[int]
    grids: list[list[Any]]
    dealt: list[list[int]] = field(default_factory=list)
    draw_pile: int = 0
    discards: list[int] = field(default_factory=list)
    drawn: int | None = None
    seat: int | None = None
    closer: int | None = None


def of_view(view: Mapping[str, Any]) -> Position:
    """The table as the protocol's view shows it to a seat."""
    return Position(
        round=view["round"],
        turn=view["turn"],
        totals=view["totals"],
        grids=view["grids"],
        draw_pile=view["draw_pile"],
        discards=[] if view["discard"] is None else [view["discard"]],
        drawn=view.get("drawn"),
        seat=view["seat"],
        closer=view["closer"],
    )


def steps(expanded: Mapping[str, Any]) -> Iterator[Position]:
    """The table after each step of an expanded replay: the opening of a round, each decision, its result. It is one
    object, changed from step to step."""
    totals = [0] * len(expanded["seats"])
    for round in expanded["rounds"]:
        position = Position(
            round=round["round"],
            turn=0,
            totals=totals,
            grids=[[REMOVED] * 12 if cards is None else [None] * 12 for cards in round["dealt"]],
            dealt=[list(cards or ()) for cards in round["dealt"]],
            draw_pile=round["draw_pile"],
        )
        _carry_out(position, round["opening"])
        yield position
        for decision in round["decisions"]:
            position.turn = decision["turn"]
            position.seat = decision["seat"]
            _carry_out(position, decision["events"])
            yield position
        position.seat = None
        _carry_out(position, round["result"]["events"])
        totals = round["result"]["totals"]
        position.totals = totals
        yield position


def _carry_out(position: Position, events: Sequence[Mapping[str, Any]]) -> None:
    for event in events:
        kind = event["event"]
        grid = position.grids[event["seat"]] if "seat" in event else []
        if kind == "open":
            position.draw_pile -= 1
            position.discards.append(event["card"])
        elif kind in {"reveal", "final"}:
            for cell, card in zip(event["cells"], event["cards"], strict=True):
                grid[cell] = card
        elif kind == "draw":
            position.draw_pile -= 1
            position.drawn = event["card"]
        elif kind in {"take", "swap"}:
            if kind == "take":
                position.discards.pop()
            grid[event["cell"]] = event["card"]
            position.discards.append(event["replaced"])
            position.drawn = None
        elif kind == "discard":
            position.discards.append(event["card"])
            position.drawn = None
        elif kind == "flip":
            grid[event["cell"]] = event["card"]
        elif kind == "clear":
            first = 3 * event["column"]
            grid[first : first + 3] = [REMOVED] * 3
            position.discards += [event["value"]] * 3
        elif kind == "close":
            position.closer = event["seat"]
        elif kind == "reshuffle":
            position.draw_pile = event["cards"]
            del position.discards[:-1]
