"""The game of Skyjo: rules, deals, actions, views and history. Pure; needs the standard library alone."""

from .actions import (
    DISCARD,
    DRAW,
    Action,
    MalformedAction,
    Phase,
    action_from_json,
    flip,
    reveal,
    swap,
    take,
)
from .autopilot import autopilot
from .cards import CELLS, COLUMNS, DECK, REMOVED, ROWS, VALUES
from .deal import Deal, SeededDeal, Stream, bot_random_seed, commitment, parse_seed, seating
from .events import PUBLIC, Event, event_json, event_text
from .game import Game, Outcome
from .round import IllegalAction, RoundResult
from .rules import (
    ENGINE_RULES,
    MAX_SEATS,
    MIN_SEATS,
    PRESETS,
    Preset,
    Rules,
    RulesError,
    check_seats,
    rules_from,
)

__all__ = [
    "CELLS",
    "COLUMNS",
    "DECK",
    "DISCARD",
    "DRAW",
    "ENGINE_RULES",
    "MAX_SEATS",
    "MIN_SEATS",
    "PRESETS",
    "PUBLIC",
    "REMOVED",
    "ROWS",
    "VALUES",
    "Action",
    "Deal",
    "Event",
    "Game",
    "IllegalAction",
    "MalformedAction",
    "Outcome",
    "Phase",
    "Preset",
    "RoundResult",
    "Rules",
    "RulesError",
    "SeededDeal",
    "Stream",
    "action_from_json",
    "autopilot",
    "bot_random_seed",
    "check_seats",
    "commitment",
    "event_json",
    "event_text",
    "flip",
    "parse_seed",
    "reveal",
    "rules_from",
    "seating",
    "swap",
    "take",
]
