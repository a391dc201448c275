"""Which bots, and which owners, have results against each other that their ratings do not explain, for operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User

from arena.models import Ladder
from arena.ratings.outstanding import Encounter, Survey, survey
from arena.services.rating import outcomes
from bots.models import Bot, Version

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Row:
    """Two bots or two owners, and what they have come to against each other."""

    one: Bot | User
    other: Bot | User
    encounter: Encounter


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs that lie farthest from their ratings, of so many; from `threshold` on they stand out."""

    rows: list[Row]
    n_pairs: int
    threshold: float


def outstanding_pairs(ladder: Ladder) -> tuple[Pairs, Pairs]:
    """The pairs of bots, and those of owners. Reads every result of the ladder: seconds, where there are very many."""
    found = list(outcomes(ladder))
    known = Version.objects.filter(pk__in={version for outcome in found for version in outcome.versions})
    bots = dict(known.values_list("pk", "bot"))
    owners = dict(known.values_list("pk", "bot__owner"))
    return (
        named(survey(found, group=bots), Bot.objects.in_bulk(set(bots.values()))),
        named(survey(found, group=owners), User.objects.in_bulk(set(owners.values()))),
    )


def named(found: Survey, names: Mapping[int, Bot] | Mapping[int, User]) -> Pairs:
    shown = found.encounters[:SHOWN]
    return Pairs(
        rows=[Row(names[each.one], names[each.other], each) for each in shown],
        n_pairs=len(found.encounters),
        threshold=found.threshold,
    )
