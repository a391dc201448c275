"""The autopilot, which plays on for a seat whose bot has faulted, so that the others' game is not spoilt."""

from __future__ import annotations

from .actions import DRAW, DRAW_PHASE, PLACE_PHASE, Action, flip
from .game import Game


def autopilot(game: Game) -> Action:
    """The autopilot's decision for the seat to act: it reveals the lowest face-down cells, always draws, and
    discards the drawn card to turn over the lowest face-down cell. Raises ValueError when the game is over.
    """
    seat = game.seat
    if seat is None:
        raise ValueError("The game is over; the autopilot has nothing to decide.")
    if game.phase == DRAW_PHASE:
        return DRAW
    if game.phase == PLACE_PHASE:
        return flip(game.current.hidden(seat)[0])
    return game.legal_actions()[0]
