"""Formats of tournaments: pure functions from entries, settings and the results so far to standings and the
matches to play next. docs/formats.md describes them."""

from .base import Format
from .entries import Departure, Entry, Leaving
from .errors import FormatError, SettingsError
from .estimate import Estimate, estimate
from .notes import TEXTS, Note
from .registry import FORMATS, format_named
from .rehearsal import Assumptions
from .results import Match, Result
from .seeding import seeded_by_hand, seeded_by_lot, seeded_by_rating
from .settings import Setting
from .state import (
    Criterion,
    How,
    Pairing,
    Part,
    PartKind,
    Round,
    Slot,
    Source,
    SourceKind,
    Standing,
    State,
    Status,
    Unused,
    as_json,
)
from .words import Template, apart

__all__ = [
    "FORMATS",
    "TEXTS",
    "Assumptions",
    "Criterion",
    "Departure",
    "Entry",
    "Estimate",
    "Format",
    "FormatError",
    "How",
    "Leaving",
    "Match",
    "Note",
    "Pairing",
    "Part",
    "PartKind",
    "Result",
    "Round",
    "Setting",
    "SettingsError",
    "Slot",
    "Source",
    "SourceKind",
    "Standing",
    "State",
    "Status",
    "Template",
    "Unused",
    "apart",
    "as_json",
    "estimate",
    "format_named",
    "seeded_by_hand",
    "seeded_by_lot",
    "seeded_by_rating",
]
