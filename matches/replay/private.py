"""The private part of a game, by seat: each is its owner's alone, never in anybody else's download."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .errors import ReplayError
from .strict import pack, parse


class Note(NamedTuple):
    """What a bot wrote beside a decision (counted from 0 over the game)."""

    decision: int
    text: str


class Exchange(NamedTuple):
    """A message to a bot and the line that came back (None: none came), both escaped and cut."""

    sent: str
    received: str | None


@dataclass(frozen=True, slots=True)
class PrivateSeat:
    """`stderr`: head and tail of what the bot wrote there; `offending`: the line that was a fault, escaped
    and cut; `exchanges`: the last messages before a fault, oldest first."""

    notes: tuple[Note, ...] = ()
    stderr: str = ""
    offending: str | None = None
    exchanges: tuple[Exchange, ...] = field(default=())


def encode_private(seats: Sequence[PrivateSeat]) -> bytes:
    """The private part for storage: gzip JSON, one object a seat."""
    return pack({"seats": [_as_dict(seat) for seat in seats]})


def decode_private(data: bytes) -> tuple[PrivateSeat, ...]:
    """The seats' private parts. Raises ReplayError for anything that `encode_private` did not write."""
    document = parse(data)
    try:
        return tuple(_from_dict(seat) for seat in document["seats"])
    except (KeyError, TypeError, ValueError) as error:
        raise ReplayError("this is no private part of a game") from error


def _as_dict(seat: PrivateSeat) -> dict[str, Any]:
    return {
        "notes": [list(note) for note in seat.notes],
        "stderr": seat.stderr,
        "offending": seat.offending,
        "exchanges": [list(exchange) for exchange in seat.exchanges],
    }


def _from_dict(seat: Mapping[str, Any]) -> PrivateSeat:
    return PrivateSeat(
        notes=tuple(Note(decision, text) for decision, text in seat["notes"]),
        stderr=seat["stderr"],
        offending=seat["offending"],
        exchanges=tuple(Exchange(sent, received) for sent, received in seat["exchanges"]),
    )
