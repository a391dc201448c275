"""The core of a replay: what a game was, in the fewest facts that give all of it back."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from matches.engine.rules import ENGINE_RULES, Rules

from .strict import canonical_json

FORMAT = 1

_OFFICIAL = Rules()

FAULT_KINDS = ("start", "timeout", "crash", "illegal", "protocol", "memory", "output")


class Fault(NamedTuple):
    """A bot fault. `decision`: how many decisions of the game were made before it; from there the autopilot
    plays the seat."""

    seat: int
    decision: int
    kind: str


@dataclass(frozen=True, slots=True)
class Core:
    """`seed`: 32 bytes; `deal`: from 0; `seats`: each version's sha-256 in hex; `decisions`: one character
    each (`codes`), reveals in seat order; `faults`: at most one a seat, ordered by decision, then seat."""

    rules: Rules
    seed: bytes
    deal: int
    seats: tuple[str, ...]
    decisions: str
    faults: tuple[Fault, ...] = ()
    format: int = FORMAT
    engine_rules: int = ENGINE_RULES

    def as_dict(self) -> dict[str, Any]:
        """The core as JSON values."""
        return {
            "format": self.format,
            "engine_rules": self.engine_rules,
            "rules": flags_off_default(self.rules),
            "seed": self.seed.hex(),
            "deal": self.deal,
            "seats": list(self.seats),
            "decisions": self.decisions,
            "faults": [list(fault) for fault in self.faults],
        }


def flags_off_default(rules: Rules) -> dict[str, Any]:
    """The flags in which the rules differ from `official`.

    Presets and flags may be added later, each with the old behaviour as its default, and a stored core still
    keeps its bytes.
    """
    flags, defaults = asdict(rules), asdict(_OFFICIAL)
    return {flag: value for flag, value in flags.items() if value != defaults[flag]}


def core_sha256(core: Core) -> str:
    """The SHA-256 of the core's canonical JSON, 64 hex digits: the name of the game that was played."""
    return hashlib.sha256(canonical_json(core.as_dict())).hexdigest()
