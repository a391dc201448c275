"""From a replay to its expanded form: every event with its values, so that a reader need know no rules.

`docs/replay.md` describes the document, `docs/replay.schema.json` its shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from matches.engine.cards import CELLS
from matches.engine.deal import SeededDeal, commitment
from matches.engine.events import Event, event_json
from matches.engine.game import Game

from .core import Core, core_sha256
from .decoding import Replay
from .errors import ReplayError
from .playing import Played, final_placing, new_game, play
from .timing import below_ms

_ENDING = frozenset({"final", "score"})
"""The first of these begins what happens after the last turn of a round."""


class Part(NamedTuple):
    """A piece of the expanded document, in the order of the game.

    `path`: keys and indexes from the document's root to its place.
    """

    kind: Literal["head", "opening", "decision", "result", "outcome"]
    path: tuple[str | int, ...]
    value: Any
    round: int | None = None

    def put(self, document: Any) -> None:
        """Into the document that holds all parts before this one."""
        *path, last = self.path
        for key in path:
            document = document[key]
        if isinstance(document, list):
            document.append(self.value)
        else:
            document[last] = self.value

    def error(self, text: str) -> ReplayError:
        """What is wrong with this part, and where that is in the game."""
        if self.kind == "decision":
            return ReplayError(
                text, round=self.round, turn=self.value["turn"], decision=self.value["decision"]
            )
        if self.kind == "opening":
            return ReplayError(f"at the deal: {text}", round=self.round)
        if self.kind == "result":
            return ReplayError(f"at the end: {text}", round=self.round)
        return ReplayError(f"{self.path[0]}: {text}")


def expand(replay: Replay, about: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The expanded document. `about` (`names` by seat, `match`, `game`, …) is for viewers and never verified.

    Raises ReplayError at the decision where the game cannot be played.
    """
    document: dict[str, Any] = {"replay": "expanded"}
    if about is not None:
        document["about"] = dict(about)
    for part in parts(replay):
        part.put(document)
    return document


def parts(replay: Replay) -> Iterator[Part]:
    """The document piece by piece, so that a check can stop at the first that differs."""
    core, timing = replay.core, replay.timing
    seats = zip(core.seats, timing.seat_cpu_ms, strict=True)
    head = {
        "format": core.format,
        "engine_rules": core.engine_rules,
        "core_sha256": core_sha256(core),
        "rules": core.rules.as_dict(),
        "seed": core.seed.hex(),
        "commitment": commitment(core.seed),
        "deal": core.deal,
        "seats": [{"sha256": sha256, "cpu_ms": cpu_ms} for sha256, cpu_ms in seats],
        "faults": [fault._asdict() for fault in core.faults],
        "rounds": [],
    }
    for name, value in head.items():
        yield Part("head", (name,), value)
    game = new_game(core)
    yield _opening(core, game.events[:])
    n_decisions = 0
    for played in play(core, game):
        own, ending, following = _split(played.events)
        place = ("rounds", played.round - 1)
        decision = _decision(played, own, timing.cpu[played.decision])
        yield Part("decision", (*place, "decisions", n_decisions), decision, played.round)
        n_decisions += 1
        if ending:
            yield Part("result", (*place, "result"), _result(ending), played.round)
        if following:
            yield _opening(core, following)
            n_decisions = 0
    yield Part("outcome", ("outcome",), _outcome(core, game))


def _split(events: Sequence[Event]) -> tuple[Sequence[Event], Sequence[Event], Sequence[Event]]:
    """A decision's own events, those of the round's end after it, and those of the next round's beginning."""
    n = len(events)
    ending = next((i for i, event in enumerate(events) if event[0] in _ENDING), n)
    following = next((i for i, event in enumerate(events) if event[0] == "round"), n)
    return events[:ending], events[ending:following], events[following:]


def _opening(core: Core, events: Sequence[Event]) -> Part:
    """The cards as dealt, face-down ones too, as a replay is read after the game; and what came before any
    decision."""
    _, number, _, table = events[0]
    pack = SeededDeal(core.seed, core.deal).pack(number)
    dealt: list[list[int] | None] = [None] * len(core.seats)
    for place, seat in enumerate(table):
        dealt[seat] = pack[place * CELLS : (place + 1) * CELLS]
    value = {
        "round": number,
        "dealt": dealt,
        "draw_pile": len(pack) - len(table) * CELLS,
        "opening": [event_json(event) for event in events],
        "decisions": [],
    }
    return Part("opening", ("rounds", number - 1), value, number)


def _decision(played: Played, events: Sequence[Event], time: str) -> dict[str, Any]:
    return {
        "decision": played.decision,
        "turn": played.turn,
        "seat": played.seat,
        "phase": played.phase,
        "action": played.action.as_json(),
        "by": "autopilot" if played.is_autopilot else "bot",
        "cpu_ms_below": below_ms(time),
        "events": [event_json(event) for event in events],
    }


def _result(events: Sequence[Event]) -> dict[str, Any]:
    score = next(event_json(event) for event in events if event[0] == "score")
    names = ("closer", "cut", "points_before", "points", "doubled", "totals")
    return {name: score[name] for name in names} | {"events": [event_json(event) for event in events]}


def _outcome(core: Core, game: Game) -> dict[str, Any]:
    outcome = game.outcome
    if outcome is None:
        raise ValueError("the game is not over")
    return {
        "reason": outcome.reason,
        "totals": list(outcome.totals),
        "placing": list(final_placing(outcome.placing, {fault.seat for fault in core.faults})),
    }
