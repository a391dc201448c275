"""The faults of a bot in its games: every one since a version, newest first, and how many of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import Count, QuerySet

from arena.models import Ladder
from arena.statements import statement
from bots.models import Bot, Version
from matches.models import GameSeat, GameSeatQuerySet

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PAGE_SIZE = 50
# Kinds are counted among so many latest faults, and a page is sought among so many: a bot that crashes in every game
# costs no more than another.
LOOKED_AT = 100
CHECKS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Listed:
    """A seat in which a bot faulted, by its id; `at` is when the game was stored. `ladder` is the name of
    the one that the match counts for, `trial` says whether it is part of one."""

    pk: int
    seat: int
    kind: str
    detail: dict[str, Any]
    version: int
    game: int
    at: datetime
    match: int
    ladder: str | None
    trial: int | None


@dataclass(frozen=True, slots=True)
class Faults:
    """One page, newest first. `counts` by kind, the most frequent first, are of the latest `LOOKED_AT` faults if there
    are as many; `rejected` are the versions that did not pass their check; `older` is the id to ask for before."""

    seats: list[Listed]
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

    def faulty(self, kind: str | None = None) -> GameSeatQuerySet:
        """The seats in which these versions faulted, newest first, whoever may see them."""
        return _faulty(self.bot.pk, kind, self.versions())

    def versions(self) -> list[int] | None:
        """As a list: joined, versions would keep an index from giving the newest first. None where all are wanted."""
        if self.since is None and self.number is None:
            return None
        return list(_versions(self.bot.pk, self.since, self.number).values_list("pk", flat=True))


def _faulty(bot: int, kind: str | None, versions: Sequence[int] | None) -> GameSeatQuerySet:
    seats = GameSeat.objects.filter(bot=bot).exclude(fault="")
    if versions is not None:
        seats = seats.filter(version__in=versions)
    return (seats if kind is None else seats.filter(fault=kind)).order_by("-pk")


def _versions(bot: int, since: int | None, number: int | None) -> QuerySet[Version]:
    versions = Version.objects.filter(bot=bot)
    if number is not None:
        return versions.filter(number=number)
    return versions if since is None else versions.filter(number__gte=since)


@dataclass(frozen=True, slots=True)
class Latest:
    """The seats, newest first, among the latest `LOOKED_AT` faults of which a person may know; and whether there are
    more than were looked at."""

    seats: list[int]
    counts: list[tuple[str, int]]
    has_more: bool


def latest_faults(
    among: Range, user: User | AnonymousUser, *, kind: str | None = None, before: int | None = None
) -> Latest:
    """Of these versions, of one kind, older than the seat `before`; each where given."""
    versions = among.versions()
    narrowed = (among.bot.pk, kind, before, *(versions or ()))
    ends = _ends(*narrowed, is_all=versions is None, n=LOOKED_AT)
    first = ends[0] if ends else None
    visible = _visible(user, first, *narrowed, is_all=versions is None)
    return Latest(
        seats=[pk for pk, _kind in visible],
        counts=Counter(kind for _pk, kind in visible).most_common(),
        has_more=len(ends) > 1,
    )


@statement
def _ends(
    bot: int, kind: str | None, before: int | None, *versions: int, is_all: bool, n: int
) -> QuerySet[GameSeat, int]:
    """The last one of the latest `n`, and the next older one; none where there are fewer."""
    seats = _before(before, _faulty(bot, kind, None if is_all else versions))
    return seats.values_list("pk", flat=True)[n - 1 : n + 1]


@statement
def _visible(
    user: User | AnonymousUser,
    first: int | None,
    bot: int,
    kind: str | None,
    before: int | None,
    *versions: int,
    is_all: bool,
) -> QuerySet[GameSeat, tuple[int, str]]:
    seats = _before(before, _faulty(bot, kind, None if is_all else versions))
    if first is not None:
        seats = seats.filter(pk__gte=first)
    return seats.visible_to(user).values_list("pk", "fault")


def _before(seat: int | None, seats: GameSeatQuerySet) -> GameSeatQuerySet:
    return seats if seat is None else seats.filter(pk__lt=seat)


def fault_page(
    *,
    user: User | AnonymousUser,
    among: Range,
    kind: str | None = None,
    before: int | None = None,
    size: int = PAGE_SIZE,
) -> Faults:
    """The faults of these versions that this person may know of, older than the seat `before`."""
    latest = latest_faults(among, user)
    is_first = before is None and kind is None
    found = latest if is_first or not latest.seats else latest_faults(among, user, kind=kind, before=before)
    shown = found.seats[:size]
    return Faults(
        seats=[Listed(*row) for row in _listed(*shown)],
        counts=latest.counts,
        has_more_than_counted=latest.has_more,
        rejected=_rejected(among.bot.pk, among.since, among.number) if is_first else [],
        older=shown[-1] if len(found.seats) > size else None,
    )


@statement
def _listed(*seats: int) -> QuerySet[GameSeat, tuple[Any, ...]]:
    found = GameSeat.objects.filter(pk__in=seats).order_by("-pk")
    return found.values_list(
        *("pk", "seat", "fault", "fault_detail", "version__number"),
        *("game", "game__created_at", "game__match"),
        *("game__match__ladder_match__ladder__name", "game__match__trial_match"),
    )


def kinds_of_faults(ladder: Ladder, versions: Sequence[int]) -> dict[int, list[str]]:
    """By version, given by its id: of which kinds its faults on the ladder were, the most frequent first.

    Looks at `LOOKED_AT` faults of all of them together: a version that is not in it may have some too.
    """
    found: dict[int, list[str]] = {}
    for version, kind in _kinds_of_faults(ladder.pk, *versions):
        found.setdefault(version, []).append(kind)
    return found


@statement
def _kinds_of_faults(ladder: int, *versions: int) -> QuerySet[GameSeat, tuple[int, str]]:
    looked_at = GameSeat.objects.filter(version__in=versions).exclude(fault="").order_by()[:LOOKED_AT]
    seats = GameSeat.objects.filter(pk__in=looked_at.values("pk"), game__match__ladder_match__ladder=ladder)
    counted = seats.values("version", "fault").annotate(n=Count("pk")).order_by("-n", "fault")
    return counted.values_list("version", "fault")


@statement
def _rejected(bot: int, since: int | None, number: int | None) -> QuerySet[Version]:
    rejected = _versions(bot, since, number).filter(status=Version.Status.REJECTED)
    return rejected.select_related("bot").order_by("-number")[:CHECKS_SHOWN]
