"""Between a replay and its bytes.

`decode` checks the shape of what a file says; whether the game comes out so is for `verify`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matches.engine.actions import MalformedAction, action_from_json
from matches.engine.quoting import quoted
from matches.engine.rules import ENGINE_RULES, MAX_SEATS, MIN_SEATS, Rules, RulesError, rules_from

from .codes import CHARACTERS, CODES
from .core import FAULT_KINDS, FORMAT, Core, Fault, core_sha256
from .errors import ReplayError
from .reader import Reader
from .strict import MAX_BYTES, pack, parse
from .timing import AUTOPILOT, BUCKETS, Timing, from_below_ms

MAX_DECISIONS = 100_000
"""More than any preset's caps allow a table of eight; a hostile file is played again in seconds."""

MAX_NUMBER = 2**31 - 1
PHASES = ("reveal", "draw", "place")

_SHA256 = "[0-9a-f]{64}"
_SHA256_MEANING = "64 lower-case hex digits"


@dataclass(frozen=True, slots=True)
class Replay:
    """What a file says: core, timing, the stated sha-256 of the core, and the whole document if expanded."""

    core: Core
    timing: Timing
    stated_sha256: str
    stated: dict[str, Any] | None = None

    @classmethod
    def of(cls, core: Core, timing: Timing) -> Replay:
        return cls(core, timing, core_sha256(core))


def encode(core: Core, timing: Timing) -> bytes:
    """Core and timing for storage: compact JSON in gzip, equal bytes for equal games."""
    return pack(
        {
            "replay": "compact",
            "core": core.as_dict(),
            "core_sha256": core_sha256(core),
            "timing": {"cpu": timing.cpu, "seat_cpu_ms": list(timing.seat_cpu_ms)},
        }
    )


def decode(data: bytes, *, max_bytes: int = MAX_BYTES) -> Replay:
    """A compact or expanded replay, plain or in gzip. Raises ReplayError with a sentence for anything else.

    Bounded in size, depth and number length (`strict`). Rules, seats, faults and actions are of the right
    shape, but the game has not been played.
    """
    document = parse(data, max_bytes=max_bytes)
    if not isinstance(document, dict) or "replay" not in document:
        raise ReplayError('this is no replay: a replay is a JSON object with the member "replay"')
    reader = Reader(document, "")
    if reader.choice("replay", ("compact", "expanded")) == "compact":
        return _from_compact(reader)
    return _from_expanded(reader, document)


def _from_compact(document: Reader) -> Replay:
    core = Reader(document.value("core"), "core")
    _check_versions(core)
    stated_sha256 = document.text("core_sha256", _SHA256, _SHA256_MEANING)
    seats = tuple(
        _sha256(value, f"core.seats[{i}]")
        for i, value in enumerate(core.items("seats", MIN_SEATS, MAX_SEATS))
    )
    decisions = core.text("decisions", f".{{0,{MAX_DECISIONS}}}", f"at most {MAX_DECISIONS:,} characters")
    if unknown := set(decisions) - CHARACTERS:
        place = min(decisions.index(character) for character in unknown)
        raise ReplayError(f"{quoted(decisions[place])} stands for no action", decision=place)
    faults = []
    for i, item in enumerate(core.items("faults", 0, len(seats))):
        if not isinstance(item, list) or len(item) != 3:
            raise ReplayError(f"core.faults[{i}] must be [seat, decision, kind], not {quoted(item)}")
        fault = Reader(dict(zip(Fault._fields, item, strict=True)), f"core.faults[{i}]")
        faults.append(_fault(fault, len(seats), len(decisions)))
    replay = Replay(
        core=Core(
            rules=_rules(core.value("rules"), "core.rules"),
            seed=bytes.fromhex(core.text("seed", _SHA256, _SHA256_MEANING)),
            deal=core.integer("deal", 0, MAX_NUMBER),
            seats=seats,
            decisions=decisions,
            faults=_in_order(faults),
        ),
        timing=_timing(Reader(document.value("timing"), "timing"), len(seats), len(decisions)),
        stated_sha256=stated_sha256,
    )
    if core.value("rules") != replay.core.as_dict()["rules"]:
        raise ReplayError("core.rules must hold the flags that differ from `official`, and no others")
    core.finish()
    document.finish()
    return replay


def _from_expanded(document: Reader, stated: dict[str, Any]) -> Replay:
    _check_versions(document)
    seats = [
        Reader(item, f"seats[{i}]") for i, item in enumerate(document.items("seats", MIN_SEATS, MAX_SEATS))
    ]
    characters: list[str] = []
    bounds: list[int | None] = []
    for i, item in enumerate(document.items("rounds", 1, MAX_DECISIONS)):
        for j, decision in enumerate(Reader(item, f"rounds[{i}]").items("decisions", 0, MAX_DECISIONS)):
            reader = Reader(decision, f"rounds[{i}].decisions[{j}]")
            phase = reader.choice("phase", PHASES)
            try:
                characters.append(CODES[action_from_json(phase, reader.value("action"))])
            except MalformedAction as error:
                raise ReplayError(str(error), decision=len(bounds)) from None
            except KeyError:
                raise ReplayError("the action names cells that no grid has", decision=len(bounds)) from None
            bound = reader.value("cpu_ms_below")
            if bound is not None:
                reader.integer("cpu_ms_below", 1, 1 << len(BUCKETS))
            bounds.append(bound)
    if len(characters) > MAX_DECISIONS:
        raise ReplayError(f"a replay has at most {MAX_DECISIONS:,} decisions")
    try:
        cpu = from_below_ms(bounds)
    except ValueError:
        raise ReplayError("a cpu_ms_below is neither null nor a power of two") from None
    faults = [
        _fault(Reader(item, f"faults[{i}]"), len(seats), len(characters))
        for i, item in enumerate(document.items("faults", 0, len(seats)))
    ]
    return Replay(
        core=Core(
            rules=_rules(document.value("rules"), "rules"),
            seed=bytes.fromhex(document.text("seed", _SHA256, _SHA256_MEANING)),
            deal=document.integer("deal", 0, MAX_NUMBER),
            seats=tuple(seat.text("sha256", _SHA256, _SHA256_MEANING) for seat in seats),
            decisions="".join(characters),
            faults=_in_order(faults),
        ),
        timing=Timing(cpu, tuple(seat.integer("cpu_ms", 0, MAX_NUMBER) for seat in seats)),
        stated_sha256=document.text("core_sha256", _SHA256, _SHA256_MEANING),
        stated=stated,
    )


def _check_versions(reader: Reader) -> None:
    """Before anything else is read: another format may differ in everything else."""
    version = reader.integer("format", 1, MAX_NUMBER)
    if version != FORMAT:
        raise ReplayError(f"the replay has format {version}; this program reads format {FORMAT}")
    engine_rules = reader.integer("engine_rules", 1, MAX_NUMBER)
    if engine_rules != ENGINE_RULES:
        raise ReplayError(
            f"the game was played under engine_rules {engine_rules}; this program plays {ENGINE_RULES}"
        )


def _rules(value: object, where: str) -> Rules:
    if not isinstance(value, dict):
        raise ReplayError(f"{where} must be an object, not {quoted(value)}")
    try:
        return rules_from(value)
    except RulesError as error:
        raise ReplayError(f"{where}: {error}") from None


def _sha256(value: object, where: str) -> str:
    return Reader({where: value}, "").text(where, _SHA256, _SHA256_MEANING)


def _fault(reader: Reader, n_seats: int, n_decisions: int) -> Fault:
    return Fault(
        reader.integer("seat", 0, n_seats - 1),
        reader.integer("decision", 0, n_decisions),
        reader.choice("kind", FAULT_KINDS),
    )


def _in_order(faults: list[Fault]) -> tuple[Fault, ...]:
    if faults != sorted(faults, key=lambda fault: (fault.decision, fault.seat)):
        raise ReplayError("the faults must be in the order of their decisions, then of their seats")
    if len({fault.seat for fault in faults}) != len(faults):
        raise ReplayError("a seat faults once a game, but one is named twice")
    return tuple(faults)


def _timing(reader: Reader, n_seats: int, n_decisions: int) -> Timing:
    cpu = reader.text(
        "cpu", f"[{BUCKETS}{AUTOPILOT}]{{{n_decisions}}}", f"{n_decisions} characters from 0 to z or -"
    )
    totals = reader.items("seat_cpu_ms", n_seats, n_seats)
    for i in range(n_seats):
        Reader({f"[{i}]": totals[i]}, "timing.seat_cpu_ms").integer(f"[{i}]", 0, MAX_NUMBER)
    reader.finish()
    return Timing(cpu, tuple(totals))
