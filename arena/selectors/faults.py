"""The faults of a bot in its games: every one since a version, newest first, and how many of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, QuerySet

from arena.models import Ladder
from bots.models import Bot, Version
from matches.models import GameSeat, GameSeatQuerySet

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PAGE_SIZE = 50
# Kinds are counted among so many latest faults, and a page is sought among so many: a bot that crashes in every game
# costs no more than another.
LOOKED_AT = 200
CHECKS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Faults:
    """One page, newest first. `counts` by kind, the most frequent first, are of the latest `LOOKED_AT` faults if there
    are as many; `rejected` are the versions that did not pass their check; `older` is the id to ask for before."""

    seats: list[GameSeat]
    counts: list[tuple[str, int]]
    has_more_than_counted: bool
    rejected: list[Version]
    older: int | None


@dataclass(frozen=True)
class Range:
    """The versions of a bot from the one numbered `since` on, or the one of this `number` alone; all without both."""

    bot: Bot
    since: int | None = None
    number: int | None = None

    @property
    def versions(self) -> QuerySet[Version]:
        versions = self.bot.versions.all()
        if self.number is not None:
            return versions.filter(number=self.number)
        return versions if self.since is None else versions.filter(number__gte=self.since)

    def faulty(self, kind: str | None = None) -> GameSeatQuerySet:
        """The seats in which these versions faulted, newest first, whoever may see them."""
        seats = GameSeat.objects.filter(bot=self.bot).exclude(fault="")
        if self.since is not None or self.number is not None:
            # As a list: joined, versions would keep an index from giving the newest first.
            seats = seats.filter(version__in=list(self.versions.values_list("pk", flat=True)))
        return (seats if kind is None else seats.filter(fault=kind)).order_by("-pk")


def described(seats: GameSeatQuerySet) -> QuerySet[GameSeat]:
    """With everything that a row of a list names."""
    return seats.select_related(
        "version__bot", "game__match__ladder_match__ladder", "game__match__trial_match"
    ).defer("private", "game__replay", "version__report")


def fault_counts(seats: GameSeatQuerySet, user: User | AnonymousUser) -> tuple[list[tuple[str, int]], bool]:
    """By kind, the most frequent first, how many of the latest faults there are; and whether there are more."""
    latest = list(seats.values_list("pk", flat=True)[: LOOKED_AT + 1])
    if not latest:
        return [], False
    shown = GameSeat.objects.filter(pk__in=latest[:LOOKED_AT]).visible_to(user).order_by()
    counts = Counter(dict(shown.values_list("fault").annotate(n=Count("pk"))))
    return counts.most_common(), len(latest) > LOOKED_AT


def fault_page(
    *,
    user: User | AnonymousUser,
    among: Range,
    kind: str | None = None,
    before: int | None = None,
    size: int = PAGE_SIZE,
) -> Faults:
    """The faults of these versions that this person may know of, older than the seat `before`."""
    counts, has_more = fault_counts(among.faulty(), user)
    shown: list[GameSeat] = []
    if counts:
        seats = among.faulty(kind)
        if before is not None:
            seats = seats.filter(pk__lt=before)
        looked_at = list(seats.values_list("pk", flat=True)[:LOOKED_AT])
        sought = GameSeat.objects.filter(pk__in=looked_at).visible_to(user).order_by("-pk")
        shown = list(described(sought)[: size + 1])
    is_first = before is None and kind is None
    return Faults(
        seats=shown[:size],
        counts=counts,
        has_more_than_counted=has_more,
        rejected=rejected_of(among.versions) if is_first else [],
        older=shown[size - 1].pk if len(shown) > size else None,
    )


def kinds_of_faults(ladder: Ladder, versions: Sequence[int]) -> dict[int, list[str]]:
    """By version, given by its id: of which kinds its faults on the ladder were, the most frequent first.

    Looks at `LOOKED_AT` faults of all of them together: a version that is not in it may have some too.
    """
    looked_at = GameSeat.objects.filter(version__in=versions).exclude(fault="").order_by()[:LOOKED_AT]
    seats = GameSeat.objects.filter(pk__in=looked_at.values("pk"), game__match__ladder_match__ladder=ladder)
    counted = seats.values("version", "fault").annotate(n=Count("pk")).order_by("-n", "fault")
    found: dict[int, list[str]] = {}
    for version, kind in counted.values_list("version", "fault"):
        found.setdefault(version, []).append(kind)
    return found


def rejected_of(versions: QuerySet[Version]) -> list[Version]:
    rejected = versions.filter(status=Version.Status.REJECTED).select_related("bot")
    return list(rejected.order_by("-number")[:CHECKS_SHOWN])
