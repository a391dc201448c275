"""A whole game: rounds until the target, the totals, and who wins.

    game = Game(rules_from("official"), seats=2, deal=SeededDeal(seed, 0))
    while game.outcome is None:
        game.apply(choose(game.view(game.seat), game.legal_actions()))

Same rules, deal and decisions: the same game, on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from .actions import Action, Phase
from .deal import Deal
from .events import Event
from .round import Round, RoundResult
from .rules import Rules, check_seats
from .scoring import next_clockwise, placing, round_winner
from .view import view, view_text

MAX_EXTRA_ROUNDS: Final = 10
"""After so many extra rounds a tie for the lowest total stays shared."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: `reason` is `target` (a total reached it) or `round_cap`; placing 1 is the lowest total."""

    reason: str
    totals: tuple[int, ...]
    placing: tuple[int, ...]


class Game:
    """A game of `seats` seats under `rules`, its cards from `deal`; the first round is dealt at once.

    For reading: `rules`, `seats`, `events` (the whole history, append-only), `rounds` (the results of those
    that are over), `totals`, `outcome` (None while the game is on), `n_decisions`, `current` (the round in
    play, or the last). Raises `RulesError` for a table of another size than 2 to 8.
    """

    __slots__ = (
        "_deal",
        "_extra_tables",
        "current",
        "events",
        "n_decisions",
        "outcome",
        "rounds",
        "rules",
        "seats",
        "totals",
    )

    def __init__(self, rules: Rules, seats: int, deal: Deal) -> None:
        self.rules = rules
        self.seats = check_seats(seats)
        self._deal = deal
        self.events: list[Event] = []
        self.rounds: list[RoundResult] = []
        self.totals = [0] * seats
        self.outcome: Outcome | None = None
        self.n_decisions = 0
        self._extra_tables: list[tuple[int, ...]] = []
        self.current = self._deal_round(tuple(range(seats)), None)

    @property
    def phase(self) -> Phase:
        """What is to be decided: `reveal`, `draw` or `place`; `over` when nothing is."""
        return self.current.phase

    @property
    def seat(self) -> int | None:
        """The seat to act, None when the game is over. Reveals are asked in seat order, then shown all at once."""
        return self.current.seat

    @property
    def round(self) -> int:
        """The number of the round in play, from 1."""
        return self.current.number

    @property
    def turn(self) -> int:
        """The number of the turn over all seats of the round, from 1; 0 in phase reveal."""
        return self.current.turn

    def legal_actions(self) -> tuple[Action, ...]:
        """All legal actions of the seat to act, always in the same order; none when the game is over."""
        return self.current.legal_actions()

    def apply(self, action: Action) -> None:
        """Carry out the decision of the seat to act. Raises `IllegalAction`, and changes nothing, if it is illegal."""
        current = self.current
        current.apply(action)
        self.n_decisions += 1
        if current.seat is None:
            self._end_round(current.result())

    def view(self, seat: int) -> dict[str, Any]:
        """All that `seat` may know, as the protocol's `view`; the caller's to keep."""
        return view(self.current, self.totals, seat)

    def view_text(self, seat: int) -> str:
        """`view` as compact JSON text, quicker."""
        return view_text(self.current, self.totals, seat)

    def _deal_round(self, table: tuple[int, ...], starter: int | None) -> Round:
        return Round(self.rules, self.seats, len(self.rounds) + 1, table, starter, self._deal, self.events)

    def _end_round(self, result: RoundResult) -> None:
        self.rounds.append(result)
        for seat, points in enumerate(result.points):
            self.totals[seat] += points
        totals = tuple(self.totals)
        self.events.append(
            (
                "score",
                result.number,
                result.closer,
                result.cut,
                result.points_before,
                result.points,
                result.doubled,
                totals,
            )
        )
        target_reached = bool(self._extra_tables) or max(totals) >= self.rules.target
        if target_reached:
            tied = self._tied_for_lowest(result)
            if tied:
                self._extra_tables.append(tied)
                anchor = result.starter if result.closer is None else result.closer
                self.current = self._deal_round(tied, next_clockwise(anchor, tied, self.seats))
                return
        elif len(self.rounds) < self.rules.round_cap:
            self.current = self._deal_round(result.table, self._next_starter(result))
            return
        self.outcome = Outcome(
            "target" if target_reached else "round_cap", totals, placing(totals, self._extra_tables)
        )
        self.events.append(("over", self.outcome.reason, self.outcome.placing, totals))

    def _tied_for_lowest(self, result: RoundResult) -> tuple[int, ...]:
        """The seats that are to play an extra round; none when the game ends here."""
        lowest = min(self.totals[seat] for seat in result.table)
        tied = tuple(seat for seat in result.table if self.totals[seat] == lowest)
        goes_on = (
            len(tied) > 1
            and self.rules.final_tie == "extra_round"
            and len(self._extra_tables) < MAX_EXTRA_ROUNDS
            and len(self.rounds) < self.rules.round_cap
        )
        return tied if goes_on else ()

    def _next_starter(self, result: RoundResult) -> int | None:
        if result.closer is None:
            return result.starter
        if self.rules.next_start == "round_winner":
            return round_winner(result.points, result.closer)
        return result.closer if self.rules.next_start == "closer" else None
