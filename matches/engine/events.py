"""The history of a game, event by event.

An event is a plain tuple whose first item is its kind and whose others are the fields below: cheap to make
and to keep. `event_json` and `event_text` turn one into the public vocabulary, which docs/replay.md explains.
"""

from __future__ import annotations

import json
from typing import Any, Final, TypeAlias

Event: TypeAlias = tuple[Any, ...]

PUBLIC: Final = -1
"""As `seat` below: somebody who looks on and sees what all seats see."""

FIELDS: Final = {
    "round": ("round", "starter", "seats"),
    "open": ("card",),
    "reveal": ("seat", "cells", "cards"),
    "start": ("seat",),
    "draw": ("seat", "card"),
    "take": ("seat", "card", "cell", "replaced", "was_face_down"),
    "swap": ("seat", "card", "cell", "replaced", "was_face_down"),
    "discard": ("seat", "card"),
    "flip": ("seat", "cell", "card"),
    "clear": ("seat", "column", "value"),
    "close": ("seat",),
    "reshuffle": ("cards",),
    "final": ("seat", "cells", "cards"),
    "score": ("round", "closer", "cut", "points_before", "points", "doubled", "totals"),
    "over": ("reason", "placing", "totals"),
}
"""The fields of each kind, in order.

round: cards are dealt to `seats`; `starter` is None while the revealed cards are to decide.
open: the discard pile is opened. reveal: a seat's choice at the start. start: the first turn is this seat's.
draw: the card is known to the seat alone. take, swap: a card goes into a cell, `replaced` onto the discard
pile. discard: the drawn card goes onto the discard pile. flip: a face-down card is turned over. clear: three
equal cards leave the grid for the discard pile. close: all remaining cards of the seat are face-up.
reshuffle: so many discards are the new draw pile. final: what was still face-down at the end of the round.
score, over: results.
"""

_KEYS: Final = {kind: ("event", *names) for kind, names in FIELDS.items()}
_WITH_LISTS: Final = frozenset({"round", "reveal", "final", "score", "over"})


def event_json(event: Event, seat: int | None = None) -> dict[str, Any]:
    """The event as a JSON object, without what `seat` may not know. None knows all, `PUBLIC` no hand."""
    kind = event[0]
    if kind == "draw" and seat is not None and seat != event[1]:
        return {"event": "draw", "seat": event[1]}
    if kind in _WITH_LISTS:
        return {
            key: list(field) if type(field) is tuple else field
            for key, field in zip(_KEYS[kind], event, strict=True)
        }
    return dict(zip(_KEYS[kind], event, strict=True))


def _template(kind: str) -> str:
    keys = ",".join(f'"{key}":%s' for key in FIELDS[kind])
    return f'{{"event":"{kind}",{keys}}}'


_TEMPLATES: Final = {kind: _template(kind) for kind in FIELDS}
_PLAIN: Final = frozenset({"open", "start", "discard", "flip", "clear", "close", "reshuffle"})


def event_text(event: Event, seat: int | None = None) -> str:
    """`event_json` as compact JSON text, quicker."""
    kind = event[0]
    if kind in _PLAIN:
        return _TEMPLATES[kind] % event[1:]
    if kind == "draw":
        if seat is None or seat == event[1]:
            return _TEMPLATES[kind] % event[1:]
        return f'{{"event":"draw","seat":{event[1]}}}'
    if kind in {"take", "swap"}:
        _, mover, card, cell, replaced, was_face_down = event
        return _TEMPLATES[kind] % (mover, card, cell, replaced, "true" if was_face_down else "false")
    return json.dumps(event_json(event, seat), separators=(",", ":"))
