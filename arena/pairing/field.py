"""Who may be paired on a ladder, and what is known of each: its rating, its matches, whom it has met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

# Elo points. At or below this a rating is known well enough.
SETTLED_STANDARD_ERROR = 10.0
# A newcomer is placed until its error is no larger and it has met so many others, within these numbers of matches.
PLACED_STANDARD_ERROR = 30.0
PLACEMENT_OPPONENTS = 8
PLACEMENT_MATCHES = 10
MOST_PLACEMENT_MATCHES = 40
# Who wins, or loses, all of these will not be rated any better by more of the same.
ONE_SIDED_MATCHES = 40
# And nobody asks for more than so many: at one win in fifty games that is an error of some 12 points.
MOST_MATCHES = 1000
# What stands for the error of a version that has no rating, and for the mean of one of whom nothing is known.
UNRATED_ELO = 1500.0
UNRATED_STANDARD_ERROR = 350.0


@dataclass(frozen=True, slots=True)
class Contender:
    """A version that may be paired.

    `n_rated`: matches that its rating rests on; `n_pending`: those that are queued or being played. `elo` without a
    `standard_error` is a guess, as from an earlier version of the bot: it steers, and is never published.
    `is_one_sided`: it has not won, or not lost, anything yet. `is_smoke_test`: meets each newcomer once and nobody
    else, as a bot does that plays at random.
    """

    version: int
    owner: int
    is_house: bool = False
    is_smoke_test: bool = False
    n_rated: int = 0
    n_pending: int = 0
    n_opponents: int = 0
    elo: float | None = None
    standard_error: float | None = None
    is_one_sided: bool = False

    @property
    def n_matches(self) -> int:
        return self.n_rated + self.n_pending

    @property
    def is_settled(self) -> bool:
        """Whether no match is made for its own sake any more."""
        if self.is_smoke_test or self.n_matches >= MOST_MATCHES:
            return True
        if self.is_one_sided and self.n_matches >= ONE_SIDED_MATCHES:
            return True
        known = self.standard_error is not None and self.standard_error <= SETTLED_STANDARD_ERROR
        return known and self.n_matches >= PLACEMENT_MATCHES

    @property
    def is_placed(self) -> bool:
        """Whether others can be measured by it."""
        return self.standard_error is not None and self.standard_error <= PLACED_STANDARD_ERROR

    @property
    def mean(self) -> float:
        return UNRATED_ELO if self.elo is None else self.elo

    @property
    def error(self) -> float:
        """The standard error once its pending matches are rated, as far as that can be foreseen."""
        if self.standard_error is None:
            return UNRATED_STANDARD_ERROR
        known: float = self.standard_error * (self.n_rated / max(self.n_matches, 1)) ** 0.5
        return known

    def is_new(self, n_others: int) -> bool:
        """Whether it is still being placed in a field of so many others."""
        if self.is_settled or self.n_matches >= MOST_PLACEMENT_MATCHES:
            return False
        return (
            self.n_matches < PLACEMENT_MATCHES
            or not self.is_placed
            or self.n_opponents < min(PLACEMENT_OPPONENTS, n_others)
        )


@dataclass(frozen=True, slots=True)
class Record:
    """Whom a version has met on the ladder, in matches played and pending: `met` by version, `owners` by the owner
    of each version met (house versions aside), and in how many matches."""

    n_matches: int = 0
    met: Mapping[int, int] = field(default_factory=dict)
    owners: Mapping[int, int] = field(default_factory=dict)


History = Callable[[int], Record]
"""A version's record. Asked for only where it matters: reading all of a large ladder would take too long."""


class Field:
    """All who may be paired now. It changes as tables are made: their matches are pending from then on."""

    def __init__(self, contenders: Iterable[Contender], history: History) -> None:
        self.contenders = {one.version: one for one in sorted(contenders, key=lambda one: one.version)}
        self._history = history
        self._records: dict[int, Record] = {}
        playing = [one for one in self.contenders.values() if not one.is_smoke_test]
        self._houses = sum(one.is_house for one in playing)
        self._guests = Counter(one.owner for one in playing if not one.is_house)

    def record(self, one: Contender) -> Record:
        if one.version not in self._records:
            self._records[one.version] = self._history(one.version)
        return self._records[one.version]

    def n_others(self) -> int:
        """How many a version can meet: all but itself and the smoke test."""
        return self._houses + self._guests.total() - 1

    def n_parties(self, one: Contender) -> int:
        """How many different people it can play against. Nobody stands behind a house bot: each is one of its own."""
        houses = self._houses - (one.is_house and not one.is_smoke_test)
        alone = not one.is_house and self._guests[one.owner] == 1
        return houses + len(self._guests) - alone

    def seat(self, table: Iterable[Contender]) -> None:
        """Count a match between these."""
        seated = [self.contenders[one.version] for one in table]
        for one, two in combinations(seated, 2):
            for own, other in ((one, two), (two, one)):
                self._records[own.version] = with_meeting(self.record(own), other)
        for one in seated:
            record = self.record(one)
            self._records[one.version] = replace(record, n_matches=record.n_matches + 1)
            self.contenders[one.version] = replace(one, n_pending=one.n_pending + 1)


def with_meeting(record: Record, other: Contender) -> Record:
    met = {**record.met, other.version: record.met.get(other.version, 0) + 1}
    owners = dict(record.owners)
    if not other.is_house:
        owners[other.owner] = owners.get(other.owner, 0) + 1
    return replace(record, met=met, owners=owners)
