"""A game in words: one line for each step, for readers without the viewer, and for the viewer's own log.

A *step* is what a viewer shows at once: the opening of a round, each decision, and the result of a round.
Steps count from 0 over the whole game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Translate = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Line:
    """What one step shows. `turn`, `decision` and `seat` are None at the beginning and end of a round; `mark`
    is `autopilot`, `fault`, `result` or empty."""

    step: int
    turn: int | None
    decision: int | None
    seat: int | None
    text: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class RoundLog:
    round: int
    lines: tuple[Line, ...]


def log(
    expanded: Mapping[str, Any], names: Sequence[str] | None = None, gettext: Translate = str
) -> tuple[RoundLog, ...]:
    """The lines of an expanded replay by round. `names`: by seat (else `seat 0`, …); `gettext` translates."""
    return tuple(_Words(expanded, names, gettext).rounds())


class _Words:
    def __init__(self, expanded: Mapping[str, Any], names: Sequence[str] | None, gettext: Translate) -> None:
        self._expanded = expanded
        self._rules = expanded["rules"]
        self._gettext = gettext
        n_seats = len(expanded["seats"])
        self._names = names or [gettext("seat {seat}").format(seat=seat) for seat in range(n_seats)]
        self._faults: dict[int, list[Mapping[str, Any]]] = {}
        for fault in expanded["faults"]:
            self._faults.setdefault(fault["decision"], []).append(fault)

    def rounds(self) -> Iterator[RoundLog]:
        step = 0
        for round in self._expanded["rounds"]:
            lines = [Line(step, None, None, None, self._opening(round))]
            for decision in round["decisions"]:
                step += 1
                lines.append(self._decision(step, decision))
            step += 1
            lines.append(Line(step, None, None, None, self._result(round["result"]), "result"))
            step += 1
            yield RoundLog(round["round"], tuple(lines))

    def _opening(self, round: Mapping[str, Any]) -> str:
        gettext = self._gettext
        at_table = [seat for seat, cards in enumerate(round["dealt"]) if cards is not None]
        if len(at_table) == len(self._names):
            text = gettext("Round {round} is dealt.").format(round=round["round"])
        else:
            text = gettext("Round {round}, an extra round between {names}, is dealt.").format(
                round=round["round"], names=self._listed(at_table)
            )
        return self._joined(text, *map(self._event, round["opening"]))

    def _decision(self, step: int, decision: Mapping[str, Any]) -> Line:
        gettext = self._gettext
        seat = decision["seat"]
        name = self._names[seat]
        mark = "autopilot" if decision["by"] == "autopilot" else ""
        said = []
        for fault in self._faults.get(decision["decision"], ()):
            said.append(self._fault(fault))
            mark = "fault"
        if decision["by"] == "autopilot":
            said.append(gettext("Autopilot for {name}:").format(name=name))
        if decision["phase"] == "reveal":
            said.append(gettext("{name} chooses what to turn over.").format(name=name))
        said += map(self._event, decision["events"])
        return Line(step, decision["turn"], decision["decision"], seat, self._joined(*said), mark)

    def _result(self, result: Mapping[str, Any]) -> str:
        said = [self._event(event) for event in result["events"] if event["event"] != "over"]
        if any(event["event"] == "over" for event in result["events"]):
            said += [self._fault(fault) for fault in self._after_the_last_decision()]
            said.append(self._outcome())
        return self._joined(*said)

    def _after_the_last_decision(self) -> list[Mapping[str, Any]]:
        n_decisions = sum(len(round["decisions"]) for round in self._expanded["rounds"])
        return self._faults.get(n_decisions, [])

    def _fault(self, fault: Mapping[str, Any]) -> str:
        gettext = self._gettext
        texts = {
            "start": gettext("{name} did not start."),
            "timeout": gettext("{name} ran out of time."),
            "crash": gettext("{name} crashed."),
            "illegal": gettext("{name} tried an illegal action."),
            "protocol": gettext("{name} broke the protocol."),
            "memory": gettext("{name} used too much memory."),
            "output": gettext("{name} wrote too much."),
        }
        text = texts[fault["kind"]].format(name=self._names[fault["seat"]])
        return self._joined(text, gettext("From here the autopilot plays the seat, and it is placed last."))

    def _event(self, event: Mapping[str, Any]) -> str:
        kind = event["event"]
        gettext = self._gettext
        name = self._names[event["seat"]] if "seat" in event else ""
        if kind == "open":
            return gettext("{card} opens the discard pile.").format(card=_card(event["card"]))
        if kind in {"reveal", "final"}:
            return gettext("{name} turns over {cards}.").format(name=name, cards=_cards(event["cards"]))
        if kind == "start":
            return gettext("{name} starts.").format(name=name)
        if kind == "draw":
            return gettext("{name} draws {card}.").format(name=name, card=_card(event["card"]))
        if kind in {"take", "swap"}:
            texts = {
                ("take", False): gettext(
                    "{name} takes {card} from the discards for {replaced} in cell {cell}."
                ),
                ("take", True): gettext(
                    "{name} takes {card} from the discards for the face-down card in cell {cell}: {replaced}."
                ),
                ("swap", False): gettext("{name} swaps {card} for {replaced} in cell {cell}."),
                ("swap", True): gettext(
                    "{name} swaps {card} for the face-down card in cell {cell}: {replaced}."
                ),
            }
            return texts[kind, event["was_face_down"]].format(
                name=name, card=_card(event["card"]), replaced=_card(event["replaced"]), cell=event["cell"]
            )
        if kind == "discard":
            return gettext("{name} discards {card}.").format(name=name, card=_card(event["card"]))
        if kind == "flip":
            return gettext("{name} turns over cell {cell}: {card}.").format(
                name=name, cell=event["cell"], card=_card(event["card"])
            )
        if kind == "clear":
            return gettext("Column {column} of {name} clears: three times {value}.").format(
                column=event["column"], name=name, value=_card(event["value"])
            )
        if kind == "close":
            return gettext("{name} closes the round: every other seat has one more turn.").format(name=name)
        if kind == "reshuffle":
            return gettext("The draw pile is empty, so {cards} discards are shuffled into a new one.").format(
                cards=event["cards"]
            )
        return self._score(event) if kind == "score" else ""

    def _score(self, score: Mapping[str, Any]) -> str:
        gettext = self._gettext
        points = gettext("Points: {points}.").format(points=self._numbers(score["points"]))
        totals = gettext("Totals: {points}.").format(points=self._numbers(score["totals"]))
        return self._joined(self._doubling(score), points, totals)

    def _doubling(self, score: Mapping[str, Any]) -> str:
        """Why the closer's points doubled or did not."""
        gettext = self._gettext
        closer = score["closer"]
        if closer is None:
            return gettext("Nobody closed within the turn limit, so the round is cut and nobody doubles.")
        before = score["points_before"]
        table = self._expanded["rounds"][score["round"] - 1]["dealt"]
        lowest, rival = min(
            (before[s], s) for s, cards in enumerate(table) if s != closer and cards is not None
        )
        facts = {
            "name": self._names[closer],
            "own": _card(before[closer]),
            "rival": self._names[rival],
            "lowest": _card(lowest),
            "points": _card(score["points"][closer]),
        }
        if score["doubled"] is not None:
            text = gettext("{name} closed with {own}, but {rival} has {lowest}: doubled to {points}.")
        elif before[closer] < lowest:
            text = gettext("{name} closed with {own}, alone the lowest: not doubled.")
        elif before[closer] == 0 or (before[closer] < 0 and self._rules["double_only_positive"]):
            text = gettext("{name} closed with {own}: only points above zero double.")
        else:
            text = gettext("{name} closed with {own}, no more than {rival}: not doubled.")
        return text.format(**facts)

    def _outcome(self) -> str:
        gettext = self._gettext
        outcome = self._expanded["outcome"]
        reasons = {
            "target": gettext("The game is over: a total reached {target}."),
            "round_cap": gettext("The game is over: it had {rounds} rounds, the most there are."),
        }
        reason = reasons[outcome["reason"]].format(
            target=self._rules["target"], rounds=len(self._expanded["rounds"])
        )
        order = sorted(range(len(self._names)), key=lambda seat: (outcome["placing"][seat], seat))
        places = "; ".join(f"{outcome['placing'][seat]}. {self._names[seat]}" for seat in order)
        return self._joined(reason, gettext("Placing: {places}.").format(places=places))

    def _numbers(self, by_seat: Sequence[int]) -> str:
        return ", ".join(f"{name} {_card(points)}" for name, points in zip(self._names, by_seat, strict=True))

    def _listed(self, seats: Sequence[int]) -> str:
        return ", ".join(self._names[seat] for seat in seats)

    @staticmethod
    def _joined(*sentences: str) -> str:
        return " ".join(sentence for sentence in sentences if sentence)


def _card(value: int) -> str:
    """A number with a true minus sign."""
    return str(value).replace("-", "−")


def _cards(values: Sequence[int]) -> str:
    return ", ".join(map(_card, values))
