"""Who takes part: entries in the order of their seeds, and how one leaves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .errors import FormatError
from .words import gettext_noop


class Leaving(StrEnum):
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class Departure:
    """An entry left. `stage` is the last one that it was drawn for (`State.stage` when it left, 0 before the first
    draw): what that stage still wants of it is forfeited, later stages are drawn without it. `moment` is any
    number that grows with time: of two who have left their pairing unplayed the one who stayed longer has won it,
    which later draws may have counted on; at the same moment both forfeit."""

    kind: Leaving
    stage: int = 0
    moment: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """`seed` 1 is the strongest; the seeds of an event are 1 to n. `name` stands in texts alone."""

    id: int
    seed: int
    name: str = ""
    departure: Departure | None = None


def by_seed(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries in order. Raises `FormatError` unless ids differ and seeds are 1 to n."""
    ordered = sorted(entries, key=lambda entry: entry.seed)
    check_ids([entry.id for entry in ordered])
    if [entry.seed for entry in ordered] != list(range(1, len(ordered) + 1)):
        raise FormatError(f"The seeds of {len(ordered)} entries must be 1 to {len(ordered)}, each once.")
    return tuple(ordered)


def check_ids(ids: Sequence[int]) -> None:
    if len(set(ids)) != len(ids):
        raise FormatError(gettext_noop("No entry may be named twice."))
