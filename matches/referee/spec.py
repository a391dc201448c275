"""What is asked of the referee: one match."""

from __future__ import annotations

from dataclasses import dataclass

from bots.sandbox.limits import Limits
from matches.engine.deal import seating
from matches.engine.rules import MAX_SEATS, MIN_SEATS, Rules


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """A match: `deals` deals of `seed` (32 bytes) by `rules`, each played once from all `seats` seatings.

    Raises ValueError for a seat count that the game does not know, or fewer than one deal.
    """

    seed: bytes
    rules: Rules
    seats: int
    deals: int
    limits: Limits

    def __post_init__(self) -> None:
        if not MIN_SEATS <= self.seats <= MAX_SEATS:
            raise ValueError(f"A table has {MIN_SEATS} to {MAX_SEATS} seats, not {self.seats}.")
        if self.deals < 1:
            raise ValueError(f"A match has at least one deal, not {self.deals}.")
        if len(self.seed) != 32:
            raise ValueError(f"A seed has 32 bytes, not {len(self.seed)}.")

    @property
    def n_games(self) -> int:
        return self.deals * self.seats

    def participants(self, deal: int, seating_number: int) -> tuple[int, ...]:
        """The participant in each seat: the seed's base order of this deal, turned by the seating's number."""
        base = seating(self.seed, deal, self.seats)
        return tuple(base[(seat + seating_number) % self.seats] for seat in range(self.seats))
