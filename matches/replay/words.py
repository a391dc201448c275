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
    """What one step shows.

    `turn`, `decision` and `seat` are None at the beginning and end of a round; `text` tells what happened, `more`
    the lists that a table shows better; `mark` is `autopilot`, `fault`, `result` or empty; `note` is what the bot
    wrote beside its decision, where the reader may see it. `unseen` is the text for those at the table who do not see
    the seat's hand, where it differs: they know neither the card that it drew nor the cells that it chose.
    """

    step: int
    turn: int | None
    decision: int | None
    seat: int | None
    text: str
    more: str = ""
    mark: str = ""
    note: str = ""
    unseen: str = ""


@dataclass(frozen=True, slots=True)
class RoundLog:
    round: int
    lines: tuple[Line, ...]


def log(
    expanded: Mapping[str, Any],
    names: Sequence[str] | None = None,
    gettext: Translate = str,
    notes: Mapping[int, str] | None = None,
) -> tuple[RoundLog, ...]:
    """The lines of an expanded replay by round.

    `names`: by seat (else `seat 0`, …). `gettext` translates. `notes`: by decision, only those of the reader's own
    seats.
    """
    return tuple(_Words(expanded, names, gettext, notes or {}).rounds())


class _Words:
    def __init__(
        self,
        expanded: Mapping[str, Any],
        names: Sequence[str] | None,
        gettext: Translate,
        notes: Mapping[int, str],
    ) -> None:
        self._notes = notes
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
            lines.append(self._result(step, round))
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
        return _joined(text, *map(self._event, round["opening"]))

    def _decision(self, step: int, decision: Mapping[str, Any]) -> Line:
        gettext = self._gettext
        number, seat = decision["decision"], decision["seat"]
        faults = self._faults.get(number, ())
        said = [self._fault(fault) for fault in faults]
        by_autopilot = decision["by"] == "autopilot"
        name = self._names[seat]
        if by_autopilot:
            name = gettext("{name} (autopilot)").format(name=name)
        events = decision["events"]
        text, unseen = (
            _joined(*said, *self._chose(decision, name, seen), *self._did(seat, name, events, seen))
            for seen in (True, False)
        )
        return Line(
            step=step,
            turn=decision["turn"],
            decision=number,
            seat=seat,
            text=text,
            unseen=unseen if unseen != text else "",
            more=_joined(*(self._event(event) for event in events if event["event"] == "reveal")),
            mark="fault" if faults else "autopilot" if by_autopilot else "",
            note=self._notes.get(number, ""),
        )

    def _chose(self, decision: Mapping[str, Any], name: str, is_seen: bool) -> Iterator[str]:
        """What a seat chose to turn over, which nobody else knows before all have chosen."""
        if decision["phase"] != "reveal":
            return
        if is_seen:
            cells = ", ".join(map(str, decision["action"]["cells"]))
            yield self._gettext("{name} chooses to turn over cells {cells}.").format(name=name, cells=cells)
        else:
            yield self._gettext("{name} chooses what to turn over.").format(name=name)

    def _did(self, seat: int, name: str, events: Sequence[Mapping[str, Any]], is_seen: bool) -> Iterator[str]:
        """What the decision of a seat, which `name` names, led to; `is_seen`: the card that it drew too."""
        gettext = self._gettext
        kinds = [event["event"] for event in events]
        for event in events:
            kind = event["event"]
            if kind == "discard" and "flip" in kinds:
                flip = events[kinds.index("flip")]
                yield gettext("{name} discards {card} and turns over cell {cell}: {turned}.").format(
                    name=name, card=_number(event["card"]), cell=flip["cell"], turned=_number(flip["card"])
                )
            elif kind == "clear" and event["seat"] == seat:
                yield gettext("Column {column} clears: three times {value}.").format(
                    column=event["column"], value=_number(event["value"])
                )
            elif kind == "draw" and not is_seen:
                yield gettext("{name} draws a card.").format(name=name)
            elif kind not in {"reveal", "flip"}:
                yield self._event(event, name if event.get("seat") == seat else "")

    def _result(self, step: int, round: Mapping[str, Any]) -> Line:
        gettext = self._gettext
        result = round["result"]
        events = result["events"]
        said = [self._doubling(round)]
        more = [self._event(event) for event in events if event["event"] in {"final", "clear"}]
        more.append(gettext("Points: {points}.").format(points=self._by_seat(result["points"])))
        more.append(gettext("Totals: {points}.").format(points=self._by_seat(result["totals"])))
        if any(event["event"] == "over" for event in events):
            said += map(self._fault, self._after_the_last_decision())
            said.append(self._reason())
            more.append(self._placing())
        return Line(step, None, None, None, _joined(*said), _joined(*more), "result")

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
        return _joined(text, gettext("From here the autopilot plays the seat, and it is placed last."))

    def _event(self, event: Mapping[str, Any], name: str = "") -> str:
        kind = event["event"]
        gettext = self._gettext
        if not name and "seat" in event:
            name = self._names[event["seat"]]
        if kind == "open":
            return gettext("{card} opens the discard pile.").format(card=_number(event["card"]))
        if kind in {"reveal", "final"}:
            return gettext("{name} turns over {cards}.").format(name=name, cards=_numbers(event["cards"]))
        if kind == "start":
            return gettext("{name} starts.").format(name=name)
        if kind == "draw":
            return gettext("{name} draws {card}.").format(name=name, card=_number(event["card"]))
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
                name=name,
                card=_number(event["card"]),
                replaced=_number(event["replaced"]),
                cell=event["cell"],
            )
        if kind == "discard":
            return gettext("{name} discards {card}.").format(name=name, card=_number(event["card"]))
        if kind == "clear":
            return gettext("Column {column} of {name} clears: three times {value}.").format(
                column=event["column"], name=name, value=_number(event["value"])
            )
        if kind == "close":
            return gettext("{name} closes the round: every other seat has one more turn.").format(name=name)
        if kind == "reshuffle":
            return gettext("The draw pile is empty, so {cards} discards are shuffled into a new one.").format(
                cards=event["cards"]
            )
        return ""

    def _doubling(self, round: Mapping[str, Any]) -> str:
        """Why the closer's points doubled or did not."""
        gettext = self._gettext
        result = round["result"]
        closer = result["closer"]
        if closer is None:
            return gettext("Nobody closed within the turn limit, so the round is cut and nobody doubles.")
        before = result["points_before"]
        others = [seat for seat, cards in enumerate(round["dealt"]) if cards is not None and seat != closer]
        rival = min(others, key=lambda seat: before[seat])
        lowest = before[rival]
        facts = {
            "name": self._names[closer],
            "own": _number(before[closer]),
            "rival": self._names[rival],
            "lowest": _number(lowest),
            "points": _number(result["points"][closer]),
        }
        if result["doubled"] is not None:
            text = gettext("{name} closed with {own}, but {rival} has {lowest}: doubled to {points}.")
        elif before[closer] < lowest:
            text = gettext("{name} closed with {own}, alone the lowest: not doubled.")
        elif before[closer] <= 0 and self._rules["double_only_positive"]:
            text = gettext("{name} closed with {own}: only points above zero double.")
        elif before[closer] == 0:
            text = gettext("{name} closed with {own}, and doubled that is the same.")
        else:
            text = gettext("{name} closed with {own}, no more than {rival}: not doubled.")
        return text.format(**facts)

    def _reason(self) -> str:
        gettext = self._gettext
        reasons = {
            "target": gettext("The game is over: a total reached {target}."),
            "round_cap": gettext("The game is over: round {rounds} was the last that the rules allow."),
        }
        return reasons[self._expanded["outcome"]["reason"]].format(
            target=self._rules["target"], rounds=len(self._expanded["rounds"])
        )

    def _placing(self) -> str:
        placing = self._expanded["outcome"]["placing"]
        order = sorted(range(len(self._names)), key=lambda seat: (placing[seat], seat))
        places = "; ".join(f"{placing[seat]}. {self._names[seat]}" for seat in order)
        return self._gettext("Placing: {places}.").format(places=places)

    def _by_seat(self, numbers: Sequence[int]) -> str:
        return ", ".join(
            f"{name} {_number(number)}" for name, number in zip(self._names, numbers, strict=True)
        )

    def _listed(self, seats: Sequence[int]) -> str:
        return ", ".join(self._names[seat] for seat in seats)


def _joined(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def _number(value: int) -> str:
    """With a true minus sign."""
    return str(value).replace("-", "−")


def _numbers(values: Sequence[int]) -> str:
    return ", ".join(map(_number, values))
