"""What the games of a local match come to, bot by bot."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import Any

from matches.differences import Difference, difference
from matches.referee import Fault, GameRecord


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's results; None where there is nothing to take a mean of.

    `wins`: first places, a shared one in parts. `placing`: the mean over all games. Points are means over the games
    and rounds that the bot played to the end itself, `decision_ms` over the decisions that it made; 95 % of these took
    no more than `decision_p95_ms`, in whole microseconds.
    """

    name: str
    games: int
    wins: float
    placing: float | None
    points_a_game: float | None
    points_a_round: float | None
    faults: dict[str, int]
    forfeits: int
    decisions: int
    decision_ms: float | None
    decision_p95_ms: float | None

    @property
    def n_faults(self) -> int:
        return sum(self.faults.values())

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "games": self.games,
            "wins": round(self.wins, 3),
            "placing": _rounded(self.placing),
            "points_a_game": _rounded(self.points_a_game),
            "points_a_round": _rounded(self.points_a_round),
            "faults": self.faults,
            "forfeits": self.forfeits,
            "decisions": self.decisions,
            "decision_ms": _rounded(self.decision_ms),
            "decision_p95_ms": _rounded(self.decision_p95_ms),
        }


@dataclass(frozen=True, slots=True)
class FirstFault:
    """The first fault of a bot, for its author: where, what, the line that it wrote, and its standard error.

    `match`: the number of its match; `deal` counts in that.
    """

    name: str
    match: int
    deal: int
    seating: int
    fault: Fault
    line: str | None
    stderr: str


class Tally:
    """Takes games one by one and can say at any time how it stands. `names` in participant order."""

    def __init__(self, names: list[str]) -> None:
        self._sheets = [_Sheet(name) for name in names]
        n = len(names)
        # By pair of participants: how many deals came out how, from worst to best for the first.
        self._outcomes = {pair: [0] * (2 * n + 1) for pair in combinations(range(n), 2)}
        # By match and deal: the placings of all participants, a seating each, until all were played.
        self._deals: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        self.n_games = 0
        self.n_deals = 0

    def add(self, game: GameRecord, match: int = 0) -> None:
        """One game more, of the match of this number."""
        self.n_games += 1
        self._add_placing(game, match)
        winners = [seat for seat, place in enumerate(game.placing) if place == 1 and game.played_to_end(seat)]
        for seat, participant in enumerate(game.participants):
            sheet = self._sheets[participant]
            sheet.placings.append(game.placing[seat])
            if seat in winners:
                sheet.wins += 1 / len(winners)
            sheet.forfeits += seat in game.forfeiters
            if game.times_ns:
                sheet.add_times(game.times_ns[seat])
            fault = game.fault_of(seat)
            if fault is not None:
                self._add_fault(sheet, game, fault, match)
            elif game.totals is not None:
                sheet.totals.append(game.totals[seat])
                sheet.n_rounds += len(game.rounds)

    def _add_placing(self, game: GameRecord, match: int) -> None:
        place = [0] * len(self._sheets)
        for seat, participant in enumerate(game.participants):
            place[participant] = game.placing[seat]
        seatings = self._deals.setdefault((match, game.deal), [])
        seatings.append(tuple(place))
        if len(seatings) == len(place):
            del self._deals[match, game.deal]
            self.n_deals += 1
            for (one, other), outcomes in self._outcomes.items():
                outcomes[
                    sum((each[one] <= each[other]) + (each[one] < each[other]) for each in seatings)
                ] += 1

    def _add_fault(self, sheet: _Sheet, game: GameRecord, fault: Fault, match: int) -> None:
        sheet.faults[fault.kind] += 1
        first = sheet.first_fault
        if first is None or (match, game.seating, game.deal) < (first.match, first.seating, first.deal):
            private = game.private[fault.seat]
            sheet.first_fault = FirstFault(
                sheet.name, match, game.deal, game.seating, fault, private.offending, private.stderr
            )

    def difference(self, one: int, other: int) -> Difference | None:
        """How far the first of two participants is ahead, by the deals that were played from every seat."""
        if one > other:
            return difference(self._outcomes[other, one][::-1])
        return difference(self._outcomes[one, other])

    @property
    def first_faults(self) -> list[FirstFault]:
        """Of each participant that has faulted, its first fault in the order of play, whenever its game was added."""
        return [sheet.first_fault for sheet in self._sheets if sheet.first_fault is not None]

    def wins(self) -> list[tuple[str, float]]:
        """Each participant's name and first places, as `Standing` has them; unlike all of it, at once."""
        return [(sheet.name, sheet.wins) for sheet in self._sheets]

    def standings(self) -> list[Standing]:
        """How it stands, in participant order."""
        return [sheet.standing() for sheet in self._sheets]


class _Sheet:
    """What was taken down for one bot."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.wins = 0.0
        self.placings: list[int] = []
        self.totals: list[int] = []
        self.n_rounds = 0
        self.forfeits = 0
        self.faults: Counter[str] = Counter()
        self.first_fault: FirstFault | None = None
        # However long the run is, there are few different ones.
        self.times_us: Counter[int] = Counter()
        self.time_ns = 0

    def add_times(self, times_ns: array[int]) -> None:
        self.time_ns += sum(times_ns)
        self.times_us.update(ns // 1000 for ns in times_ns)

    def standing(self) -> Standing:
        n = self.times_us.total()
        return Standing(
            name=self.name,
            games=len(self.placings),
            wins=self.wins,
            placing=_mean(self.placings, len(self.placings)),
            points_a_game=_mean(self.totals, len(self.totals)),
            points_a_round=_mean(self.totals, self.n_rounds),
            faults=dict(self.faults),
            forfeits=self.forfeits,
            decisions=n,
            decision_ms=self.time_ns / n / 1e6 if n else None,
            decision_p95_ms=self._p95_us() / 1000 if n else None,
        )

    def _p95_us(self) -> int:
        """The nearest rank: the smallest time that 95 % of the decisions did not exceed."""
        rank = -(-95 * self.times_us.total() // 100)
        times = sorted(self.times_us)
        so_many = accumulate(self.times_us[us] for us in times)
        return next(us for us, n in zip(times, so_many, strict=True) if n >= rank)


def _mean(values: Iterable[float], n: int) -> float | None:
    return sum(values) / n if n else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
