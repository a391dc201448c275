"""Telling a game as text, decision by decision, with what each seat sees after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from matches.engine import DECK, PUBLIC, Event, Game, event_json
from matches.engine.cards import Cell

from .scenarios import Scenario


def tell(scenario: Scenario) -> str:
    """The golden text of a scenario."""
    return "\n".join(line.rstrip() for line in _lines(scenario)) + "\n"


def _lines(scenario: Scenario) -> Iterator[str]:
    game = scenario.game()
    rules = game.rules.as_dict()
    yield scenario.title
    yield ""
    yield f"rules  {', '.join(f'{flag} {_shown(value)}' for flag, value in rules.items())}"
    yield f"seats  {game.seats}"
    table: list[str] = []
    yield from _after(game, game.events, table)
    n_told = len(game.events)
    for number, action in enumerate(scenario.decisions(game)):
        yield ""
        yield f"{number}. seat {game.seat}, phase {game.phase}: {action}"
        game.apply(action)
        yield from _after(game, game.events[n_told:], table)
        n_told = len(game.events)
    if game.outcome is None:
        yield ""
        yield "The game is not told to its end."


def _after(game: Game, events: list[Event], table: list[str]) -> Iterator[str]:
    """What happened, and what lies on the table unless it is the `table` told last."""
    for event in events:
        if event[0] == "round":
            yield from _pack(game, event[1])
        yield f"    {_event(event)}"
        if event[0] == "score":
            result = game.rounds[event[1] - 1]
            yield from _grids(result.grids)
            yield f"    discard pile, bottom first  {' '.join(map(str, result.discard))}"
    views = [game.view(seat) for seat in range(game.seats)]
    hands = {seat: view.pop("drawn") for seat, view in enumerate(views) if "drawn" in view}
    for seat, view in enumerate(views):
        assert view.pop("seat") == seat
    assert all(view == views[0] for view in views)
    yield "    all see  " + ", ".join(
        f"{key} {_shown(value)}" for key, value in views[0].items() if key not in {"grids", "discards"}
    )
    if (now := _table(views[0])) != table:
        yield from now
        table[:] = now
    for seat, card in hands.items():
        yield f"    seat {seat} alone sees  drawn {card}"
    if game.outcome is None:
        yield f"    to act  seat {game.seat}, phase {game.phase}"


def _pack(game: Game, round: int) -> Iterator[str]:
    cards = game._deal.pack(round)
    assert sorted(cards) == list(DECK)
    for row in range(0, len(cards), 24):
        yield f"    {'pack' if row == 0 else '':<6}{' '.join(f'{card:>2}' for card in cards[row : row + 24])}"


def _event(event: Event) -> str:
    told = event_json(event)
    kind = told.pop("event")
    text = ", ".join(f"{key} {_shown(value)}" for key, value in told.items())
    return f"{kind}  {text}" + (
        " (the seat alone knows)" if event_json(event, PUBLIC) != event_json(event) else ""
    )


def _table(view: dict[str, Any]) -> list[str]:
    counts = " ".join(f"{n}×{value}" for value, n in view["discards"].items() if n)
    return [f"    discards  {counts or '-'}", *_grids(view["grids"])]


def _grids(grids: Sequence[Sequence[Cell]]) -> list[str]:
    return [
        "    " + "   ".join(f"seat {seat}      " for seat in range(len(grids))),
        *(
            "    "
            + "   ".join("".join(f"{_cell(grid[3 * col + row]):>3}" for col in range(4)) for grid in grids)
            for row in range(3)
        ),
    ]


def _cell(cell: object) -> str:
    return "." if cell is None else str(cell)


def _shown(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return f"[{' '.join(map(_shown, value))}]"
    return str(value)
