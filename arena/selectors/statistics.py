"""What a version's matches on a ladder tell beyond its rating: its bot's history, its results against each opponent,
its points, what the seat does, how long it thinks, and how strong it is on the other ladders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from django.db.models import OuterRef, Q, QuerySet

from arena.models import Ladder, LadderMatch, Rating
from arena.statements import statement
from bots.models import Bot, Version
from matches.models import Match, OfEachRow, Participant, Result

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
from arena.selectors.figures import (
    Points,
    SeatFigures,
    Thinking,
    game_groups,
    points_of,
    seats_of,
    thinking_of,
)
from arena.selectors.histories import Moment, history_of
from arena.selectors.meetings import HeadToHead, Meeting, head_to_head, met

# A version's figures are those of its latest matches, so that an anchor's page costs no more than another's.
MATCHES_READ = 200
# Where few of a version's matches are of the ladder, so many of its latest are looked through for them.
MATCHES_LOOKED_THROUGH = 1000
OPPONENTS_SHOWN = 100


@dataclass(frozen=True, slots=True)
class TableSize:
    """The version's published rating on one ladder, with its place among all `n_rated` versions there."""

    ladder: Ladder
    rating: Rating
    n_rated: int


# Matches, and when each was finished.
Finished = tuple[tuple[int, datetime | None], ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What matches of the version tell: whom it met, those first that it met in most games, and what its games came
    to and took."""

    met: list[Meeting]
    points: Points | None
    seats: list[SeatFigures]
    thinking: Thinking | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """`n_matches` were read, of the `n_finished` that are rated."""

    bot: Bot
    version: Version
    ladder: Ladder
    n_matches: int
    n_finished: int
    history: list[Moment]
    opponents: list[HeadToHead]
    n_opponents: int
    points: Points | None
    seats: list[SeatFigures]
    thinking: Thinking | None
    table_sizes: list[TableSize]


def statistics(
    *, version: Version, ladder: Ladder, ladders: Sequence[Ladder], user: User | AnonymousUser
) -> Statistics:
    """Of the version on one of the ladders, and its strength on all of them."""
    sizes = table_sizes_of(version, ladders)
    n_matches = {one.ladder: one.rating.n_matches for one in sizes}
    n_rated = n_matches.get(ladder, 0)
    matches = played(version, ladder, user, is_usual=2 * n_rated >= sum(n_matches.values()))
    told = told_by(version.pk, matches)
    return Statistics(
        bot=version.bot,
        version=version,
        ladder=ladder,
        n_matches=len(matches),
        n_finished=max(len(matches), n_rated),
        history=history_of(version.bot, ladder),
        opponents=head_to_head(version, ladder, told.met[:OPPONENTS_SHOWN]),
        n_opponents=len(told.met),
        points=told.points,
        seats=told.seats,
        thinking=told.thinking,
        table_sizes=sizes,
    )


def played(
    version: Version, ladder: Ladder, user: User | AnonymousUser, *, is_usual: bool = False
) -> Finished:
    """The version's latest finished matches on the ladder, newest first; on another than its usual one, of its latest
    MATCHES_LOOKED_THROUGH.

    Each of its matches is asked for its ladder: joined, those of all other versions there may be read too.
    """
    return tuple(_played(version.pk, ladder.pk, user, is_usual=is_usual))


@statement
def _played(
    version: int, ladder: int, user: User | AnonymousUser, *, is_usual: bool
) -> QuerySet[Match, tuple[int, datetime | None]]:
    of_ladder = Q(OfEachRow(LadderMatch.objects.filter(match=OuterRef("pk"), ladder=ladder)))
    by_version = Q(participants__version=version)
    if not is_usual:
        latest = Participant.objects.filter(version=version).order_by("-match").values("match")
        by_version = Q(pk__in=latest[:MATCHES_LOOKED_THROUGH])
    finished = Match.objects.visible_to(user).filter(by_version, of_ladder, status=Match.Status.FINISHED)
    return finished.order_by("-pk").values_list("pk", "finished_at")[:MATCHES_READ]


# By the matches themselves: what a finished one came to stays, and one more, or one less, is another key. Names and
# ratings, which change, are not among it.
@lru_cache(maxsize=200)
def told_by(version: int, matches: Finished) -> Told:
    keys = [match for match, _finished_at in matches]
    rows = Result.objects.filter(match__in=keys).order_by("-match")
    results = [(tally, times) for tally, times in rows.values_list("tally", "times")]
    groups = game_groups(version, keys)
    return Told(
        met=met(version, [tally for tally, _times in results]),
        points=points_of(groups),
        seats=seats_of(groups),
        thinking=thinking_of(version, results),
    )


def table_sizes_of(version: Version, ladders: Iterable[Ladder]) -> list[TableSize]:
    """On every ladder where the version is rated, small tables first."""
    by_run = {ladder.current_run_id: ladder for ladder in ladders if ladder.current_run_id}
    rows = _ratings(version.pk, *by_run)
    found = [TableSize(by_run[rating.run_id], rating, rating.run.n_rated) for rating in rows]
    return sorted(found, key=lambda one: (one.ladder.seats, one.ladder.pk))


@statement
def _ratings(version: int, *runs: int) -> QuerySet[Rating]:
    return Rating.objects.filter(run__in=runs, version=version).select_related("run")
