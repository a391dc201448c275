"""Whom it meets: for a newcomer those who tell most about it, else a draw by openness and by how seldom they met."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from arena.pairing.field import PLACEMENT_OPPONENTS, Contender, Field
from arena.pairing.first import Reason, is_waiting
from arena.pairing.shares import excess, table_excess
from matches.differences import ELO_PER_NAT

# What one match is worth in independent games.
GAMES_A_MATCH = 10
# So many are looked at before the shares of owners are given up for this table.
MOST_DRAWN = 30
# Both found by simulation (`tests/bench/simulated_ladder.py`): a newcomer then meets some 15 near equals.
REPEAT_PENALTY = 0.1
SHARPNESS = 32

Weight = Callable[[Contender], float]


def fill_table(
    first: Contender,
    reason: Reason,
    field: Field,
    seats: int,
    rng: random.Random,
    *,
    keeps_shares: bool = True,
) -> tuple[int, ...] | None:
    """The first's table, or None if there are too few who may sit there."""
    table = [first]
    if reason is Reason.SMOKE_TEST:
        table += [one for one in field.contenders.values() if one.is_smoke_test][:1]
    while len(table) < seats:
        able = [one for one in field.contenders.values() if may_join(one, table, seats)]
        if not able:
            return None
        # A newcomer's matches are those that teach most about it, not those that others happen to want.
        able = [one for one in able if not is_waiting(one, field)] or able
        if reason is Reason.PLACEMENT and sum(one.is_placed for one in able) >= PLACEMENT_OPPONENTS:
            weight = teaching(first, able, field)
        else:
            # Where all are new, those of whom least little is known would meet nobody but each other.
            weight = open_to(table, able, field, rng)
        joining = draw(able, weight, table, field, seats, rng, keeps_shares=keeps_shares)
        if joining is None:
            return None
        table.append(joining)
    return tuple(sorted(one.version for one in table))


def may_join(one: Contender, table: Sequence[Contender], seats: int) -> bool:
    if one.is_smoke_test or any(one.version == seated.version for seated in table):
        return False
    return seats == 2 or one.is_house or all(one.owner != seated.owner for seated in table)


def draw(
    able: Sequence[Contender],
    weight: Weight,
    table: Sequence[Contender],
    field: Field,
    seats: int,
    rng: random.Random,
    *,
    keeps_shares: bool,
) -> Contender | None:
    """One of them by weight who keeps the shares of owners; or, where they need not be kept, exceeds them least."""
    first = table[0]
    if not keeps_shares:
        least = min(excess(first, one, field, seats) for one in able)
        able = [one for one in able if excess(first, one, field, seats) == least]
        return rng.choices(able, [weight(one) for one in able])[0]
    weights = {one.version: weight(one) for one in able if not excess(first, one, field, seats)}
    for _ in range(min(MOST_DRAWN, len(weights))):
        drawn = rng.choices(list(weights), list(weights.values()))[0]
        if not table_excess(field.contenders[drawn], table, field, seats):
            return field.contenders[drawn]
        del weights[drawn]
    return None


def teaching(first: Contender, able: Sequence[Contender], field: Field) -> Weight:
    """How much a match tells about a newcomer: the precision that it adds, which is little where the other is not
    well known itself, or the outcome is. Sharpened, so that chance decides between near equals alone and a newcomer
    meets many of them."""
    met = field.record(first).met

    def weight(other: Contender) -> float:
        spread = math.hypot(first.error, other.error) / ELO_PER_NAT
        # The logistic curve averaged over a Gaussian, by MacKay's approximation.
        distance = (first.mean - other.mean) / ELO_PER_NAT / math.sqrt(1 + math.pi * spread**2 / 8)
        chance = win_chance(distance)
        information = GAMES_A_MATCH * chance * (1 - chance)
        gain = 1 / (1 / max(information, 1e-6) + (other.error / ELO_PER_NAT) ** 2)
        return math.pow(gain / (1 + met.get(other.version, 0)) ** REPEAT_PENALTY, SHARPNESS)

    most = max(weight(other) for other in able)
    return lambda other: max(weight(other) / most, 1e-9)


def open_to(
    table: Sequence[Contender], able: Sequence[Contender], field: Field, rng: random.Random
) -> Weight:
    """How open the games with those seated would be, each rating drawn from its error, over how often they met.

    Openness counts squared: that costs nothing in calibration, and favours near equals as much as is worth while.
    """
    drawn = [rng.gauss(one.mean, one.error) for one in table]
    records = [field.record(one).met for one in table]
    met = {one.version: sum(record.get(one.version, 0) for record in records) for one in able}
    usual = max(sum(met.values()) / len(able), 1.0)

    def weight(other: Contender) -> float:
        own = rng.gauss(other.mean, other.error)
        open_games = math.fsum(openness(own - rating) ** 2 for rating in drawn)
        return open_games / (1 + met[other.version] / usual)

    return weight


def openness(difference: float) -> float:
    """p(1-p) at a difference in Elo points; never quite nothing."""
    chance = win_chance(difference / ELO_PER_NAT)
    return max(chance * (1 - chance), 1e-4)


def win_chance(difference: float) -> float:
    """At a difference in nats."""
    return 1 / (1 + math.exp(min(max(-difference, -30.0), 30.0)))
