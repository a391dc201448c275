"""Plays the core of a replay again with the engine, decision by decision."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from matches.engine.actions import Action
from matches.engine.autopilot import autopilot
from matches.engine.deal import SeededDeal
from matches.engine.events import Event
from matches.engine.game import Game
from matches.engine.quoting import quoted
from matches.engine.round import IllegalAction

from .codes import TABLES
from .core import Core
from .errors import ReplayError


@dataclass(frozen=True, slots=True)
class Played:
    """A decision and what came of it; `events` is what the game added to its history."""

    decision: int
    round: int
    turn: int
    phase: str
    seat: int
    action: Action
    is_autopilot: bool
    events: Sequence[Event]


def new_game(core: Core) -> Game:
    """The game of a core before its first decision."""
    return Game(core.rules, len(core.seats), SeededDeal(core.seed, core.deal))


def play(core: Core, game: Game) -> Iterator[Played]:
    """Each decision of the core after it was applied to `game`, fresh from `new_game`.

    Raises ReplayError at a decision that is illegal, that is the autopilot's but not its choice, or that
    follows the end; and after the last one if the game is not over.
    """
    since = {fault.seat: fault.decision for fault in core.faults}
    for number, character in enumerate(core.decisions):
        round, turn, phase, seat = game.round, game.turn, game.phase, game.seat
        if seat is None:
            raise ReplayError("the game is over, but further decisions follow", decision=number)
        action = TABLES[phase].get(character)
        if action is None:
            raise ReplayError(
                f"{quoted(character)} is no action of phase {phase}", round=round, turn=turn, decision=number
            )
        is_autopilot = number >= since.get(seat, len(core.decisions))
        if is_autopilot and action != (due := autopilot(game)):
            raise ReplayError(
                f"seat {seat} has faulted, so the autopilot plays {due}, not {action}",
                round=round,
                turn=turn,
                decision=number,
            )
        n_before = len(game.events)
        try:
            game.apply(action)
        except IllegalAction as error:
            raise ReplayError(error.what, round=round, turn=turn, decision=number) from None
        yield Played(number, round, turn, phase, seat, action, is_autopilot, game.events[n_before:])
    if game.outcome is None:
        raise ReplayError(
            "the decisions end, but the game is not over",
            round=game.round,
            turn=game.turn,
            decision=len(core.decisions),
        )


def final_placing(placing: Sequence[int], faulted: Collection[int]) -> tuple[int, ...]:
    """The placing of a game in which seats faulted: they stand behind all others and share that place.

    `placing` is the engine's, by seat; the seats that played to the end keep their order.
    """
    sound = [place for seat, place in enumerate(placing) if seat not in faulted]
    return tuple(
        1 + len(sound) if seat in faulted else 1 + sum(other < place for other in sound)
        for seat, place in enumerate(placing)
    )
