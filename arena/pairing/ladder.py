"""Who meets whom next on a ladder: spend each match where it teaches most, starve nobody, stop when all is known.

The first seat of a table goes to a newcomer while there is one, then by a mixture that keeps error bars even and
honest: mostly the most uncertain or least played version, sometimes one that may be the best, sometimes any. The
others are drawn by how open the game would be (p(1-p) at a draw from the ratings' errors) and how seldom they met.
Chasing information alone would save few matches and spoil the calibration of the errors.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from arena.ratings.bradley_terry import ELO_PER_NAT

# Elo points. Below this a rating is known well enough.
SETTLED_STANDARD_ERROR = 10.0
PLACEMENT_MATCHES = 10
# What stands for the rating of a version that has none.
UNRATED_ELO = 1500.0
UNRATED_STANDARD_ERROR = 350.0
MOST_UNCERTAIN, FEWEST_MATCHES, CONTENDERS = 0.45, 0.25, 0.15

Meeting = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Contender:
    """A version that may be paired. `n_matches` counts queued and running ones too; after `max_matches` it is no
    longer given matches of its own, however uncertain (it may still be drawn as an opponent)."""

    version: int
    owner: int
    is_house: bool
    n_matches: int
    max_matches: int
    elo: float | None = None
    standard_error: float | None = None

    @property
    def is_settled(self) -> bool:
        known = self.standard_error is not None and self.standard_error <= SETTLED_STANDARD_ERROR
        return self.n_matches >= self.max_matches or (known and self.n_matches >= PLACEMENT_MATCHES)

    @property
    def mean(self) -> float:
        return UNRATED_ELO if self.elo is None else self.elo

    @property
    def error(self) -> float:
        return UNRATED_STANDARD_ERROR if self.standard_error is None else self.standard_error


def pick_tables(
    contenders: Iterable[Contender],
    *,
    seats: int,
    n_tables: int,
    meetings: Iterable[Meeting],
    rng: random.Random,
) -> list[tuple[int, ...]]:
    """At most `n_tables` tables of `seats` distinct versions, ascending; none when every rating is settled.

    `meetings` has one pair of versions for each match in which the two met. At tables of more than two seats no two
    versions of one owner meet, house versions aside. Fewer tables come back when a table cannot be filled.
    """
    field = {one.version: one for one in sorted(contenders, key=lambda one: one.version)}
    met: Counter[Meeting] = Counter((min(pair), max(pair)) for pair in meetings)
    tables: list[tuple[int, ...]] = []
    while len(tables) < n_tables:
        # A table that cannot be filled around one version may be possible around another.
        unsettled = [one for one in field.values() if not one.is_settled]
        table = None
        while unsettled and table is None:
            first = pick_first(unsettled, rng)
            table = fill_table(first, list(field.values()), seats, met, rng)
            unsettled.remove(first)
        if table is None:
            break
        tables.append(tuple(sorted(one.version for one in table)))
        for one in table:
            field[one.version] = replace(one, n_matches=one.n_matches + 1)
        met.update(combinations(tables[-1], 2))
    return tables


def pick_first(unsettled: Sequence[Contender], rng: random.Random) -> Contender:
    """Whose match it is. Equals are drawn between, so that no version is favoured for its number."""
    shuffled = rng.sample(unsettled, len(unsettled))
    fewest = min(shuffled, key=lambda one: one.n_matches)
    if fewest.n_matches < PLACEMENT_MATCHES:
        return fewest
    draw = rng.random()
    if draw < MOST_UNCERTAIN:
        return max(shuffled, key=lambda one: one.error)
    if draw < MOST_UNCERTAIN + FEWEST_MATCHES:
        return fewest
    if draw < MOST_UNCERTAIN + FEWEST_MATCHES + CONTENDERS:
        return max(shuffled, key=lambda one: one.mean + one.error)
    return shuffled[0]


def fill_table(
    first: Contender, field: Sequence[Contender], seats: int, met: Counter[Meeting], rng: random.Random
) -> list[Contender] | None:
    """The first seat's table, or None if there are too few who may sit there."""
    table = [first]
    while len(table) < seats:
        allowed = [one for one in field if may_join(one, table, seats)]
        if not allowed:
            return None
        weights = [openness(first, one, rng) / (1 + times_met(one, table, met, allowed)) for one in allowed]
        table.append(rng.choices(allowed, weights)[0])
    return table


def may_join(one: Contender, table: Sequence[Contender], seats: int) -> bool:
    if any(one.version == seated.version for seated in table):
        return False
    return seats == 2 or one.is_house or all(one.owner != seated.owner for seated in table)


def openness(one: Contender, two: Contender, rng: random.Random) -> float:
    """p(1-p) for a game between them, each rating drawn from its error; never quite nothing."""
    difference = rng.gauss(one.mean, one.error) - rng.gauss(two.mean, two.error)
    chance = 1 / (1 + math.exp(min(max(-difference / ELO_PER_NAT, -30.0), 30.0)))
    return max(chance * (1 - chance), 1e-4)


def times_met(
    one: Contender, table: Sequence[Contender], met: Counter[Meeting], allowed: Sequence[Contender]
) -> float:
    """How often they have met those seated, as a multiple of what is usual for the others who may join."""

    def meetings(other: Contender) -> int:
        return sum(met[min(other.version, s.version), max(other.version, s.version)] for s in table)

    usual = sum(meetings(other) for other in allowed) / len(allowed)
    return meetings(one) / max(usual, 1.0)
