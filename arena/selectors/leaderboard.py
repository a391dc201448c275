"""A ladder's leaderboard: the published ratings, with a rank as exact as the intervals allow and no more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import QuerySet

from arena.models import Ladder, LadderEntry, Rating
from arena.ratings.compare import Standing, standings
from bots.models import Bot

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class Row:
    """A rating in its place among the rows that this reader sees."""

    rating: Rating
    standing: Standing
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


def standings_among(ratings: QuerySet[Rating], some: Iterable[Rating]) -> dict[int, Standing]:
    """By key, where these ratings stand among all of the first set, whose order is from the best on."""
    figures = list(ratings.order_by("rank", "pk").values_list("pk", "elo", "standard_error"))
    place = {pk: number for number, (pk, _elo, _error) in enumerate(figures)}
    asked = [rating.pk for rating in some if rating.pk in place]
    found = standings([(elo, error) for _pk, elo, error in figures], [place[pk] for pk in asked])
    return dict(zip(asked, found, strict=True))


def leaderboard(
    *,
    ladder: Ladder,
    user: User | AnonymousUser,
    all_versions: bool = False,
    after: int = 0,
    size: int = PAGE_SIZE,
) -> Board:
    """The page that follows the first `after` rows: of the versions that play, or of all that ever played."""
    ratings = Rating.objects.published(ladder).visible_to(user).order_by("rank", "pk")
    if not all_versions:
        ratings = ratings.current()
    figures = list(ratings.values_list("pk", "elo", "standard_error", "version__bot__owner_id"))
    end = min(after + size, len(figures))
    places = range(after, end)
    own = [place for place, row in enumerate(figures) if user.pk is not None and row[3] == user.pk]
    shown = [*places, *(place for place in own if place not in places)]
    found = Rating.objects.with_names().in_bulk([figures[place][0] for place in shown])
    stand = standings([(elo, error) for _pk, elo, error, _owner in figures], shown)
    rows = {
        place: Row(found[figures[place][0]], standing=standing, is_mine=place in own)
        for place, standing in zip(shown, stand, strict=True)
    }
    return Board(
        ladder=ladder,
        rows=[rows[place] for place in places],
        mine=[rows[place] for place in own if place not in places],
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
