"""Rows of the lists of matches: read as plain values, for a page shows dozens and uses little of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet

from arena.models import Ladder, Trial
from arena.selectors.matches import Wanted, keyed, of_trial, outside_trials, shares
from arena.statements import statement
from bots.models import Bot, Version
from matches.models import GameSeat, Match, Participant

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PAGE_SIZE = 25
LATEST = 10
REQUESTED_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ListedSide:
    """A version of a bot in a match: the share of the pairwise comparisons it won, in how many games it faulted, and
    the kind of its first fault."""

    bot: str
    number: int
    share: float | None = None
    n_faults: int = 0
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """A match with its sides, the best first; `at` is when it was finished, or else paired. The ladder and the
    tournament are None and "" where it has none."""

    pk: int
    status: str
    at: datetime
    ladder: str | None
    ladder_name: str
    tournament: int | None
    tournament_name: str
    sides: Sequence[ListedSide]


@dataclass(frozen=True, slots=True)
class Page:
    """Newest first. `older` and `newer` are the ids to ask for before and after, None where there is nothing."""

    matches: list[Listed]
    older: int | None
    newer: int | None


def match_page(
    *,
    user: User | AnonymousUser,
    wanted: Wanted | None = None,
    trial: Trial | None = None,
    before: int | None = None,
    after: int | None = None,
    size: int = PAGE_SIZE,
) -> Page:
    """The matches older than `before`, or the next newer than `after`; by id, so that nothing is counted or
    skipped. Those of a trial, of which there are thousands, are listed with the trial alone."""
    wanted = wanted or Wanted()
    asked = [None if one is None else one.pk for one in (trial, wanted.ladder, wanted.bot, wanted.against)]
    plain = replace(wanted, ladder=None, bot=None, against=None)
    page = _page.filtered(*asked, uneven=wanted.ladder)
    found = listed(page(user, before, after, *asked, wanted=plain, size=size + 1))
    if after is not None:
        has_newer, has_older = len(found) > size, True
        found = found[-size:]
    else:
        has_older, has_newer = len(found) > size, before is not None
        found = found[:size]
    return Page(
        matches=found,
        older=found[-1].pk if found and has_older else None,
        newer=found[0].pk if found and has_newer else None,
    )


@statement
def _page(
    user: User | AnonymousUser,
    before: int | None,
    after: int | None,
    trial: int | None,
    ladder: int | None,
    bot: int | None,
    against: int | None,
    *,
    wanted: Wanted,
    size: int,
) -> QuerySet[Match, tuple[Any, ...]]:
    visible = Match.objects.visible_to(user)
    matches = outside_trials(visible) if trial is None else of_trial(trial, visible)
    matches = replace(
        wanted,
        ladder=None if ladder is None else Ladder(pk=ladder),
        bot=None if bot is None else Bot(pk=bot),
        against=None if against is None else Bot(pk=against),
    ).among(matches)
    if after is not None:
        return described(keyed(matches).filter(key__gt=after).order_by("pk"), size)
    if before is not None:
        matches = keyed(matches).filter(key__lt=before)
    return described(matches.order_by("-pk"), size)


def is_newest(match: int, user: User | AnonymousUser, wanted: Wanted) -> bool:
    """Whether no match like these, trials aside, is newer than the one of this id."""
    found = wanted.among(outside_trials(Match.objects.visible_to(user)))
    return not keyed(found).filter(key__gt=match).exists()


def requested_matches(user: User) -> list[Listed]:
    """The latest matches that this person has asked for, newest first."""
    return listed(_requested(user))


@statement
def _requested(user: User) -> QuerySet[Match, tuple[Any, ...]]:
    asked = Match.objects.visible_to(user).filter(requested_match__by=user)
    return described(asked.order_by("-pk"), REQUESTED_SHOWN)


def version_matches(user: User | AnonymousUser, version: Version) -> list[Listed]:
    """The latest matches of one version, newest first."""
    return listed(_of_version(user, version.pk))


@statement
def _of_version(user: User | AnonymousUser, version: int) -> QuerySet[Match, tuple[Any, ...]]:
    found = outside_trials(Match.objects.visible_to(user)).filter(participants__version=version)
    return described(found.order_by("-pk"), LATEST)


def described(found: QuerySet[Match], size: int) -> QuerySet[Match, tuple[Any, ...]]:
    """The first matches of an ordered queryset, newest first, with what `listed` takes.

    Their keys are found by themselves, by an index: joined with what belongs to them, matches are read whole.
    """
    return (
        Match.objects.filter(pk__in=found.values("pk")[:size])
        .order_by("-pk")
        .values_list(
            "pk",
            "status",
            "created_at",
            "finished_at",
            "has_bot_fault",
            "ladder_match__ladder__slug",
            "ladder_match__ladder__name",
            "tournament_match__tournament",
            "tournament_match__tournament__name",
            "result__tally",
        )
    )


def listed(rows: Sequence[tuple[Any, ...]]) -> list[Listed]:
    # Sought where there is one to find: that is seldom.
    faults = first_faults([row[0] for row in rows if row[4]])
    players = players_of([row[0] for row in rows], faults)
    return [
        Listed(
            pk=pk,
            status=status,
            at=finished_at or created_at,
            ladder=ladder,
            ladder_name=ladder_name or "",
            tournament=tournament,
            tournament_name=tournament_name or "",
            sides=sides(players[pk], tally),
        )
        for (
            pk,
            status,
            created_at,
            finished_at,
            _has_fault,
            ladder,
            ladder_name,
            tournament,
            tournament_name,
            tally,
        ) in rows
    ]


def players_of(
    matches: Sequence[int], faults: Mapping[tuple[int, int], str]
) -> dict[int, list[tuple[str, int, str]]]:
    """By match, who plays, in order: bot's name, version's number, the kind of the version's first fault there."""
    seated: defaultdict[int, list[tuple[str, int, str]]] = defaultdict(list)
    if not matches:
        return seated
    for match, version, bot, number in _players(*matches):
        seated[match].append((bot, number, faults.get((match, version), "")))
    return seated


@statement
def _players(*matches: int) -> QuerySet[Participant, tuple[int, int, str, int]]:
    rows = Participant.objects.filter(match__in=matches).order_by("match", "number")
    return rows.values_list("match", "version", "version__bot__name", "version__number")


def first_faults(matches: Sequence[int]) -> dict[tuple[int, int], str]:
    """By match and version, of those that faulted in one of its games: the kind of its first fault there."""
    if not matches:
        return {}
    return {(match, version): fault for match, version, fault in _faults(*matches)}


@statement
def _faults(*matches: int) -> QuerySet[GameSeat, tuple[int, int, str]]:
    seats = GameSeat.objects.filter(game__match__in=matches).exclude(fault="").order_by("-pk")
    return seats.values_list("game__match", "version", "fault")


def sides(players: Sequence[tuple[str, int, str]], tally: dict[str, Any] | None) -> list[ListedSide]:
    if tally is None:
        return [ListedSide(bot, number) for bot, number, _fault in players]
    won = shares(tally, len(players))
    found = [
        ListedSide(bot, number, won[at], tally["faults"][at], fault)
        for at, (bot, number, fault) in enumerate(players)
    ]
    return sorted(found, key=lambda side: -(side.share or 0.0))
