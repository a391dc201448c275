"""A ladder's leaderboard: the published ratings, each with its place as exact as the errors allow and no more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Lower

from arena.models import Ladder, LadderEntry, Rating
from arena.ratings.compare import SURE_ERRORS
from arena.selectors.bots import beginning_with, by_author
from arena.selectors.faults import kinds_of_faults
from arena.selectors.trends import Trend, trends
from arena.statements import statement
from bots.models import Bot, Version, visible_bot

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PAGE_SIZE = 50
# Who is not rated yet is sought among so many latest versions; of all others almost all are.
LOOKED_AT = 200
# More points a round than anybody ever has: whoever has none is listed last.
NO_POINTS = 1e9
# What the rows may be sorted by; all are from the best or the first on, and turned round by a "-" before the name.
SORTS: dict[str, Any] = {
    "rank": F("rank"),
    "bot": Lower("version__bot__name"),
    "author": Lower("version__bot__owner__username"),
    "error": F("standard_error"),
    "games": -F("n_games"),
    "won": -F("win_share"),
    "points": Coalesce("round_points", Value(NO_POINTS)),
    "faults": F("n_faults"),
    "submitted": -F("version_id"),
}
ORDERS = [*SORTS, *(f"-{name}" for name in SORTS)]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows of a ladder's snapshot: of the versions that play or of all that ever did, of whose bots, of bots
    whose names begin so, with so many games at least. None and "" leave all."""

    all_versions: bool = False
    author: str = ""
    name: str = ""
    is_provisional: bool | None = None
    is_house: bool | None = None
    least_games: int | None = None

    @property
    def is_everything(self) -> bool:
        return self == Wanted(all_versions=self.all_versions)


# What a row is made of. Plain values: dozens of rows are read for a page, and whole models would take as long again.
FIELDS = (
    *("version", "version__number", "version__created_at", "version__bot__name", "version__bot__is_house"),
    *("version__bot__current_version", "version__bot__owner", "version__bot__owner__username"),
    *("rank", "rank_low", "rank_high", "place", "place_low", "place_high", "better_than_next"),
    *("elo", "standard_error", "doubts", "n_games", "win_share", "round_points", "n_faults"),
)


@dataclass(slots=True)
class Row:
    """A version's row in a snapshot, FIELDS in their order; its way there, and of which kinds its faults were, the most
    frequent first. Where only those that play are shown, it `is_placed` among them."""

    version_id: int
    number: int
    submitted_at: datetime
    bot: str
    is_house: bool
    current_version_id: int | None
    owner_id: int
    owner: str
    rank: int
    among_all_low: int | None
    among_all_high: int | None
    place: int | None
    place_low: int | None
    place_high: int | None
    better_than_next: float | None
    elo: float
    standard_error: float
    doubts: list[str]
    n_games: int
    win_share: float
    round_points: float | None
    n_faults: int
    is_mine: bool = False
    is_placed: bool = False
    trend: Trend | None = None
    fault_kinds: Sequence[str] = ()

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval."""
        return SURE_ERRORS * self.standard_error

    @property
    def fault_rate(self) -> float:
        return self.n_faults / self.n_games if self.n_games else 0.0

    @property
    def is_current(self) -> bool:
        return self.current_version_id == self.version_id

    @property
    def rank_low(self) -> int | None:
        """The best place that is possible, or rank among all versions."""
        return self.place_low if self.is_placed else self.among_all_low

    @property
    def rank_high(self) -> int | None:
        return self.place_high if self.is_placed else self.among_all_high


@dataclass(frozen=True, slots=True)
class Board:
    """One page of a leaderboard. `mine` are the reader's own rows that stand on other pages; `next_after` is the rank
    to ask for the rows after, None where there are none."""

    ladder: Ladder
    rows: list[Row]
    mine: list[Row]
    after: int | None
    next_after: int | None


def ladders() -> QuerySet[Ladder]:
    return Ladder.objects.select_related("current_run")


@statement
def every_ladder() -> QuerySet[Ladder]:
    return ladders()


def ratings_wanted(ladder: Ladder, user: User | AnonymousUser, wanted: Wanted) -> QuerySet[Rating]:
    """Rows of the ladder's snapshot by rank, with bot and owner."""
    rows = Rating.objects.published(ladder).visible_to(user).with_names().order_by("rank")
    if not wanted.all_versions:
        rows = rows.current()
    if wanted.author:
        rows = rows.filter(version__bot__in=by_author(Bot.objects.all(), wanted.author))
    if wanted.name:
        rows = rows.filter(version__bot__in=beginning_with(Bot.objects.all(), wanted.name))
    if wanted.is_provisional is not None:
        rows = rows.exclude(doubts=[]) if wanted.is_provisional else rows.filter(doubts=[])
    if wanted.is_house is not None:
        rows = rows.filter(version__bot__is_house=wanted.is_house)
    if wanted.least_games is not None:
        rows = rows.filter(n_games__gte=wanted.least_games)
    return rows


def leaderboard(
    *,
    ladder: Ladder,
    user: User | AnonymousUser,
    wanted: Wanted | None = None,
    order: str = "rank",
    after: int | None = None,
    size: int = PAGE_SIZE,
    is_brief: bool = False,
) -> Board:
    """The rows after the one of rank `after`, in one of ORDERS; equals follow each other by rank. A brief board has
    neither trends, kinds of faults nor the reader's rows of other pages."""
    wanted = wanted or Wanted()
    found = _rows(_found(ladder, user, wanted, order, after, size + 1), user, wanted)
    shown = found[:size]
    own = []
    if user.is_authenticated and not is_brief:
        seen = {row.version_id for row in shown}
        mine = _own(ladder.current_run_id, user, all_versions=wanted.all_versions, size=size)
        own = [row for row in _rows(mine, user, wanted) if row.version_id not in seen]
    if not is_brief:
        ways = trends(ladder, [*shown, *own])
        faulty = [row.version_id for row in (*shown, *own) if row.n_faults]
        kinds = kinds_of_faults(ladder, faulty) if faulty else {}
        for row in (*shown, *own):
            row.trend = ways[row.version_id]
            row.fault_kinds = kinds.get(row.version_id, ())
    return Board(
        ladder=ladder,
        rows=shown,
        mine=own,
        after=after,
        next_after=shown[-1].rank if len(found) > size else None,
    )


def _found(
    ladder: Ladder, user: User | AnonymousUser, wanted: Wanted, order: str, after: int | None, size: int
) -> list[tuple[Any, ...]]:
    if order == "rank" or after is None:
        return _first(ladder.current_run_id, user, after, wanted=wanted, order=order, size=size)
    # What the row has after which to go on is sought first.
    rows = _in_order(ratings_wanted(ladder, user, wanted), order, after)
    return list(rows.values_list(*FIELDS)[:size])


@statement
def _first(
    run: int | None, user: User | AnonymousUser, after: int | None, *, wanted: Wanted, order: str, size: int
) -> QuerySet[Rating, tuple[Any, ...]]:
    rows = ratings_wanted(Ladder(current_run_id=run), user, wanted)
    return _in_order(rows, order, after).values_list(*FIELDS)[:size]


@statement
def _own(
    run: int | None, user: User | AnonymousUser, *, all_versions: bool, size: int
) -> QuerySet[Rating, tuple[Any, ...]]:
    rows = ratings_wanted(Ladder(current_run_id=run), user, Wanted(all_versions=all_versions))
    return rows.filter(version__bot__in=Bot.objects.owned_by(user)).values_list(*FIELDS)[:size]


def _rows(found: Iterable[tuple[Any, ...]], user: User | AnonymousUser, wanted: Wanted) -> list[Row]:
    rows = [Row(*values) for values in found]
    for row in rows:
        row.is_mine = row.owner_id == user.pk
        row.is_placed = not wanted.all_versions and row.place_low is not None and row.place_high is not None
    return rows


def _in_order(rows: QuerySet[Rating], order: str, after: int | None) -> QuerySet[Rating]:
    if order == "rank":
        return rows if after is None else rows.filter(rank__gt=after)
    is_reversed = order.startswith("-")
    # Annotated, so that the row after which to go on is found by the same figure.
    keyed = rows.annotate(key=SORTS[order.removeprefix("-")])
    if after is not None:
        last = keyed.filter(rank=after).values_list("key", flat=True).first()
        if last is None:
            return rows.none()
        beyond = Q(key__lt=last) if is_reversed else Q(key__gt=last)
        keyed = keyed.filter(beyond | Q(key=last, rank__gt=after))
    return keyed.order_by(F("key").desc() if is_reversed else F("key").asc(), "rank")


class Unrated(NamedTuple):
    """A bot's name and the number of its version that plays."""

    bot: str
    number: int


def unrated(ladder: Ladder, user: User | AnonymousUser) -> list[Unrated]:
    """Bots that play on the ladder and whose current version, one of the latest `LOOKED_AT` of all, has no place in the
    snapshot yet, newest version first."""
    return [Unrated(*row) for row in _unrated(ladder.pk, ladder.current_run_id, user)]


@statement
def _unrated(ladder: int, run: int | None, user: User | AnonymousUser) -> QuerySet[Version, tuple[str, int]]:
    latest = Version.objects.order_by("-pk").values("pk")[:LOOKED_AT]
    entries = LadderEntry.objects.filter(ladder=ladder, bot=OuterRef("bot"), is_active=True)
    rated = Rating.objects.filter(run=run, version=OuterRef("pk"), place__isnull=False)
    return (
        Version.objects.playing()
        .filter(visible_bot(user, "bot__"), Exists(entries), pk__in=latest)
        .exclude(Exists(rated))
        .order_by("-pk")
        .values_list("bot__name", "number")[:PAGE_SIZE]
    )
