"""Plays a replay again and compares every value that follows from it with what the file says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matches.engine.quoting import quoted

from .core import Core, core_sha256
from .decoding import Replay, decode
from .errors import ReplayError
from .expanding import Part, parts

_UNVERIFIED = frozenset({"about", "core_sha256", "rules"})
"""`about` is what viewers show; the hash is compared in its own words; the rules were read from the file,
which may lack flags that came later."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A replay that came out as it says. `placing` counts faulted seats behind all others."""

    core_sha256: str
    core: Core
    n_rounds: int
    totals: tuple[int, ...]
    placing: tuple[int, ...]


def verify(replay: Replay | bytes) -> Verified:
    """Raises ReplayError for the first decision, or the first other value, that comes out differently."""
    if isinstance(replay, bytes):
        replay = decode(replay)
    stated = replay.stated
    document: dict[str, Any] = {"replay": "expanded"}
    n_rounds = 0
    outcome: dict[str, Any] = {}
    for part in parts(replay):
        if stated is not None:
            _compare(part, stated)
            part.put(document)
        if part.kind == "decision":
            _check_mark(part)
        elif part.kind == "result":
            n_rounds += 1
        elif part.kind == "outcome":
            outcome = part.value
    if stated is not None:
        difference = _difference(_verified(document), _verified(stated), "")
        if difference is not None:
            raise ReplayError(difference)
    actual = core_sha256(replay.core)
    if replay.stated_sha256 != actual:
        raise ReplayError(
            f"the core was altered: its sha-256 is {actual}, but the file says {replay.stated_sha256}"
        )
    return Verified(
        core_sha256=actual,
        core=replay.core,
        n_rounds=n_rounds,
        totals=tuple(outcome["totals"]),
        placing=tuple(outcome["placing"]),
    )


def _check_mark(decision: Part) -> None:
    by, time = decision.value["by"], decision.value["cpu_ms_below"]
    if (by == "autopilot") != (time is None):
        raise decision.error(
            "the timing must mark the autopilot's decisions, and no others, as without a time"
        )


def _verified(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in _UNVERIFIED}


def _compare(part: Part, stated: Any) -> None:
    """What the file says in the part's place; the whole, head included, is compared at the end."""
    if part.kind == "head":
        return
    try:
        for key in part.path:
            stated = stated[key]
    except (KeyError, IndexError, TypeError):
        raise part.error("missing in the file") from None
    if part.kind == "opening" and isinstance(stated, dict):
        stated = {name: value for name, value in stated.items() if name in part.value} | {"decisions": []}
    difference = _difference(part.value, stated, "")
    if difference is not None:
        raise part.error(difference)


def _difference(played: object, stated: object, where: str) -> str | None:
    """The first difference as a sentence; None if the two are equal, types included."""
    if isinstance(played, dict) and isinstance(stated, dict):
        for name in played:
            if name not in stated:
                return f"{_joined(where, name)} is missing in the file"
            if difference := _difference(played[name], stated[name], _joined(where, name)):
                return difference
        if unknown := stated.keys() - played.keys():
            return f"{quoted(min(unknown))} in {where or 'the file'} is no part of the format"
        return None
    if isinstance(played, list) and isinstance(stated, list):
        for i, (ours, theirs) in enumerate(zip(played, stated, strict=False)):
            if difference := _difference(ours, theirs, f"{where}[{i}]"):
                return difference
        if len(played) != len(stated):
            return f"{where} has {len(stated)} items, played again it has {len(played)}"
        return None
    if type(played) is type(stated) and played == stated:
        return None
    return f"{where} is {quoted(stated)} in the file, played again it is {quoted(played)}"


def _joined(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
