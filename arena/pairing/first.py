"""Whose match it is: newcomers, and then the mixture."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from enum import StrEnum

from arena.pairing.field import Contender, Field

# The share of matches that newcomers get while there are any and others want matches too.
NEWCOMERS = 0.75
# While so many of its matches wait to be rated, more of them would be chosen blindly: the newcomer has to wait. Where
# there is nobody else to play for, it waits from the larger number on. Two instead of one cost some eight games more
# until the rating of a newcomer far from the middle is known (`tests/bench/simulated_ladder.py`).
MOST_PENDING, MOST_PENDING_ALONE = 1, 4
# The mixture; what is left over goes to anybody.
LEAST_CERTAIN, FEWEST_MATCHES, CONTENDERS = 0.45, 0.25, 0.15
# How many standard errors a version may be better than its rating says, to be thought a contender.
MOST_OPTIMISM = 2.0


class Reason(StrEnum):
    """Why a match was made for this version."""

    SMOKE_TEST = "smoke test"
    PLACEMENT = "placement"
    LEAST_CERTAIN = "least certain"
    FEWEST_MATCHES = "fewest matches"
    CONTENDER = "contender"
    UNIFORM = "uniform"


def firsts(field: Field, rng: random.Random) -> Iterator[tuple[Contender, Reason]]:
    """Versions that a match may be made for, each with the reason, the best choice first. Equals are drawn between,
    so that no version is favoured for its number."""
    unsettled = [one for one in field.contenders.values() if not one.is_settled]
    n_others = field.n_others()
    new = [one for one in unsettled if one.is_new(n_others)]
    while unsettled:
        picked = pick_first(unsettled, new, rng)
        if picked is None:
            return
        first, reason = picked
        yield first, reason
        unsettled.remove(first)
        if first in new:
            new.remove(first)


def pick_first(
    unsettled: Sequence[Contender], new: Sequence[Contender], rng: random.Random
) -> tuple[Contender, Reason] | None:
    placed = {one.version for one in new}
    known = [one for one in unsettled if one.version not in placed]
    waiting = [one for one in new if one.n_pending < (MOST_PENDING if known else MOST_PENDING_ALONE)]
    if waiting and (not known or rng.random() < NEWCOMERS):
        first = min(shuffled(waiting, rng), key=lambda one: one.n_matches)
        return first, Reason.PLACEMENT if first.n_matches else Reason.SMOKE_TEST
    if not known:
        return None
    draw = rng.random()
    if draw < LEAST_CERTAIN:
        return max(shuffled(known, rng), key=lambda one: one.error), Reason.LEAST_CERTAIN
    if draw < LEAST_CERTAIN + FEWEST_MATCHES:
        return min(shuffled(known, rng), key=lambda one: one.n_matches), Reason.FEWEST_MATCHES
    if draw < LEAST_CERTAIN + FEWEST_MATCHES + CONTENDERS:
        optimism = rng.uniform(0, MOST_OPTIMISM)
        return max(shuffled(known, rng), key=lambda one: one.mean + optimism * one.error), Reason.CONTENDER
    return rng.choice(known), Reason.UNIFORM


def is_waiting(one: Contender, field: Field) -> bool:
    """Whether it is a newcomer who has as many matches pending as one may."""
    return one.n_pending >= MOST_PENDING and one.is_new(field.n_others())


def shuffled(contenders: Sequence[Contender], rng: random.Random) -> list[Contender]:
    return rng.sample(contenders, len(contenders))
