"""A ladder's leaderboard: the published ratings, with a rank as exact as the intervals allow and no more."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import QuerySet

from arena.models import Ladder, LadderEntry, Rating
from bots.models import Bot

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class Row:
    """A rating in its place; the version may have any rank from `rank_low` to `rank_high`."""

    rating: Rating
    rank_low: int
    rank_high: int
    is_mine: bool

    @property
    def is_current(self) -> bool:
        return self.rating.version.bot.current_version_id == self.rating.version_id


@dataclass(frozen=True, slots=True)
class Board:
    """One page of a leaderboard. `mine` are the reader's own rows that stand on other pages."""

    ladder: Ladder
    rows: list[Row]
    mine: list[Row]
    n_rows: int
    after: int
    next_after: int | None


def ladders() -> QuerySet[Ladder]:
    return Ladder.objects.select_related("current_run")


def rank_ranges(intervals: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """For each (low, high) the best and the worst rank, from 1: somebody is surely ahead only if the whole of their
    interval lies above."""
    lows = sorted(low for low, _ in intervals)
    highs = sorted(high for _, high in intervals)
    n = len(intervals)
    return [(1 + n - bisect_right(lows, high), n - bisect_left(highs, low)) for low, high in intervals]


def leaderboard(
    *,
    ladder: Ladder,
    user: User | AnonymousUser,
    all_versions: bool = False,
    after: int = 0,
    size: int = PAGE_SIZE,
) -> Board:
    """The page that follows the first `after` rows: of the versions that play, or of all that ever played."""
    ratings = Rating.objects.published(ladder).visible_to(user).order_by("-elo", "version_id")
    if not all_versions:
        ratings = ratings.current()
    figures = list(ratings.values_list("pk", "elo", "standard_error", "version__bot__owner_id"))
    ranges = rank_ranges([(elo - 1.96 * error, elo + 1.96 * error) for _, elo, error, _ in figures])
    end = min(after + size, len(figures))
    places = range(after, end)
    own = {place for place, row in enumerate(figures) if user.pk is not None and row[3] == user.pk}
    found = Rating.objects.with_names().in_bulk([figures[place][0] for place in own.union(places)])

    def row(place: int) -> Row:
        low, high = ranges[place]
        return Row(found[figures[place][0]], rank_low=low, rank_high=high, is_mine=place in own)

    return Board(
        ladder=ladder,
        rows=[row(place) for place in places],
        mine=[row(place) for place in sorted(own) if place not in places],
        n_rows=len(figures),
        after=after,
        next_after=end if end < len(figures) else None,
    )


def unrated_entries(*, ladder: Ladder, user: User | AnonymousUser) -> QuerySet[LadderEntry]:
    """Bots that play on the ladder and whose current version the snapshot does not know yet, newest first."""
    rated = Rating.objects.published(ladder).values("version")
    return (
        LadderEntry.objects.playing()
        .filter(ladder=ladder, bot__in=Bot.objects.visible_to(user))
        .exclude(bot__current_version__in=rated)
        .select_related("bot__owner", "bot__current_version")
        .order_by("-id")
    )
