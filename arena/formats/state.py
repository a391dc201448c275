"""What a format says of an event: all that pages, API and the service that queues matches need to know.

Everything here is plain data: `as_json` makes dicts and lists of it. Entries appear as their ids, pairings and
matches as their keys. Floats are for reading (six decimals); what decides is reckoned exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from .notes import Note
from .results import Match

DECIMALS = 6


class Status(StrEnum):
    """Of a pairing."""

    WAITING = "waiting"
    """It is not known yet who comes."""
    PLAYING = "playing"
    """Its `matches` are to be played."""
    DECIDED = "decided"


class How(StrEnum):
    """By what a pairing was decided."""

    GAMES = "games"
    EXTRA = "extra deals"
    MEAN_POINTS = "mean points"
    FAULTS = "faults"
    LOT = "lot"
    LEVEL = "level"
    FORFEIT = "forfeit"
    DOUBLE_FORFEIT = "double forfeit"
    BYE = "bye"
    WALK_OVER = "walk-over"
    EMPTY = "empty"
    ANNULLED = "annulled"
    NOT_NEEDED = "not needed"


class SourceKind(StrEnum):
    DRAWN = "drawn"
    SEED = "seed"
    WINNER = "winner"
    LOSER = "loser"
    PLACE = "place"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Source:
    """Where the entry in a slot comes from: drawn for the round; the seed `number`; the winner or loser of the
    pairing `of`; the place `number` of the group `of`; or nobody comes, by the size of the bracket."""

    kind: SourceKind
    number: int = 0
    of: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """A seat of a pairing. `entry` is None while unknown, and for good when `is_empty`.

    `points`: what the pairing is worth in a table (0 to 1). `share`: of the games won against the others there.
    `mean_points`: a game without own fault. `placing`: 1 for the winner; equal ones share it.
    """

    source: Source
    entry: int | None = None
    is_empty: bool = False
    forfeits: bool = False
    points: float | None = None
    share: float | None = None
    mean_points: float | None = None
    faults: int = 0
    placing: int | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two entries, or a pod of up to eight, that are to meet. `number` is the place in its round from the top
    (from 1, with gaps where a bracket has no pairing). `matches` are those still to be played, `played` the keys
    of those that were. `winner_to` and `loser_to` are the pairings to which a bracket sends them."""

    key: str
    number: int
    slots: tuple[Slot, ...]
    status: Status
    how: How | None = None
    winner: int | None = None
    loser: int | None = None
    matches: tuple[Match, ...] = ()
    played: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    winner_to: str | None = None
    loser_to: str | None = None

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(slot.entry for slot in self.slots if slot.entry is not None)

    @property
    def is_decided(self) -> bool:
        return self.status is Status.DECIDED


@dataclass(frozen=True, slots=True)
class Round:
    """Pairings that may be played side by side, from the top. `byes`: entries that a table format lets sit out."""

    key: str
    title: str
    number: int
    pairings: tuple[Pairing, ...]
    byes: tuple[int, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Criterion:
    """A column of the standings."""

    name: str
    title: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A row. The entry has some place from `place` to `place_to`; they differ where a place is shared or not yet
    decided. `values` are by criterion of the standings. `split_by` is the criterion that put it behind the row
    above."""

    entry: int
    place: int
    place_to: int
    status: str
    values: tuple[float | str | None, ...]
    split_by: str | None = None
    notes: tuple[Note, ...] = ()


class PartKind(StrEnum):
    """How a part is drawn. In a BRACKET pairing i of a round is met by the winners of 2i-1 and 2i; in a SECOND
    bracket `winner_to` and `loser_to` say who comes from where; ROUNDS stand one below the other."""

    ROUNDS = "rounds"
    BRACKET = "bracket"
    SECOND = "second bracket"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an event that is drawn by itself: a group, a bracket, all rounds of a Swiss. A group has
    standings."""

    key: str
    title: str
    kind: PartKind
    rounds: tuple[Round, ...]
    criteria: tuple[Criterion, ...] = ()
    standings: tuple[Standing, ...] = ()


@dataclass(frozen=True, slots=True)
class Unused:
    """A result that answers nothing any more, and why."""

    match: str
    entries: tuple[int, ...]
    note: Note


@dataclass(frozen=True, slots=True)
class State:
    """An event as it stands. `stage` counts the draws made (`Departure.stage`). `to_play`: every match that may be
    played now, in the order of urgency. `used`: key and entries (ascending) of every result that counts or stands."""

    format: str
    stage: int
    is_finished: bool
    winner: int | None
    parts: tuple[Part, ...]
    criteria: tuple[Criterion, ...]
    standings: tuple[Standing, ...]
    to_play: tuple[Match, ...]
    used: tuple[tuple[str, tuple[int, ...]], ...] = ()
    unused: tuple[Unused, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def rounds(self) -> tuple[Round, ...]:
        return tuple(round for part in self.parts for round in part.rounds)

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        return tuple(pairing for round in self.rounds for pairing in round.pairings)


def shown(value: Fraction | float | None) -> float | None:
    return None if value is None else round(float(value), DECIMALS)


def as_json(value: Any) -> Any:
    """A state, or any part of one, as what `json.dumps` takes."""
    if is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {name: as_json(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(item) for item in value]
    return str(value) if isinstance(value, StrEnum) else value
