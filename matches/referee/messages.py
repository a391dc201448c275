"""The messages that a bot gets, as lines without their ends (docs/protocol.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from bots.sandbox.limits import Limits
from matches.engine import RoundResult
from matches.engine.rules import Rules

PROTOCOL: Final = 1

BYE: Final = b'{"type":"bye"}'


_encode = json.JSONEncoder(separators=(",", ":")).encode


def _line(message: dict[str, Any]) -> bytes:
    return _encode(message).encode("ascii")


def hello(rules: Rules, limits: Limits, *, kit: str, python: str) -> bytes:
    """The greeting; `kit` and `python` are the versions that the bot finds around it."""
    return _line(
        {
            "type": "hello",
            "protocol": PROTOCOL,
            "kit": kit,
            "python": python,
            "rules": rules.as_dict(),
            "limits": limits.as_dict(),
        }
    )


def game(number: int, seats: int, seat: int, random_seed: int) -> bytes:
    """A game begins; `number` counts from 0 within the run of the process."""
    return _line({"type": "game", "game": number, "seats": seats, "seat": seat, "random_seed": random_seed})


def act(number: int, phase: str, view: str, since: str, bank_ns: int, last_ns: int) -> bytes:
    """The question with id `number`. `view` is a JSON object, `since` a row of them with commas between.

    Put together as text: this line is most of the referee's own time.
    """
    return (
        f'{{"type":"act","id":{number},"phase":"{phase}","view":{view},"since":[{since}],'
        f'"clock":{{"bank_ms":{bank_ns // 1_000_000},"last_ms":{(last_ns + 500_000) // 1_000_000}}}}}'
    ).encode("ascii")


def round_over(result: RoundResult, totals: Sequence[int]) -> bytes:
    """A round has ended; `totals` include it."""
    return _line(
        {
            "type": "round",
            "round": result.number,
            "points": result.points,
            "doubled": result.doubled,
            "closer": result.closer,
            "totals": totals,
        }
    )


def over(placing: Sequence[int], totals: Sequence[int]) -> bytes:
    """The game has ended."""
    return _line({"type": "over", "placing": placing, "totals": totals})
