"""What the arena is doing, for the status page and the metrics: queues, attempts, workers, periodic jobs, disk."""

from __future__ import annotations

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Min, Q, QuerySet, Subquery
from django.utils import timezone

from arena.finished import RECENT
from arena.models import Host
from arena.statements import statement
from bots.models import Version
from matches.models import Attempt, Game, GameSeat, Match, Participant

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PARKED_SHOWN = 20
GAMES_SHOWN = 20


@cache
def software_version() -> str:
    """The first version that heads a section of CHANGELOG.md."""
    try:
        text = (settings.BASE_DIR / "CHANGELOG.md").read_text()
    except OSError:
        return ""
    heading = re.search(r"^## \[?v?(\d[\w.+-]*)", text, re.MULTILINE)
    return heading[1] if heading else ""


@dataclass(frozen=True, slots=True)
class Queue:
    """How many rows wait, run or are parked, and since when the oldest one waits."""

    n_waiting: int = 0
    n_running: int = 0
    n_parked: int = 0
    oldest: datetime | None = None

    def __add__(self, other: Queue) -> Queue:
        return Queue(
            self.n_waiting + other.n_waiting,
            self.n_running + other.n_running,
            self.n_parked + other.n_parked,
            min(filter(None, [self.oldest, other.oldest]), default=None),
        )


def match_queues() -> dict[int | None, Queue]:
    """By ladder's id; None has the matches that count for no ladder. A ladder without any has no entry."""
    found: dict[int | None, Queue] = {}
    for ladder_id, status, n, oldest in _unfinished_matches():
        part = {
            Match.Status.QUEUED: Queue(n_waiting=n, oldest=oldest),
            Match.Status.RUNNING: Queue(n_running=n),
            Match.Status.PARKED: Queue(n_parked=n),
        }[Match.Status(status)]
        found[ladder_id] = found.get(ladder_id, Queue()) + part
    return found


@statement
def _unfinished_matches() -> QuerySet[Match, tuple[int | None, str, int, datetime]]:
    return (
        Match.objects.filter(status__in=[Match.Status.QUEUED, Match.Status.RUNNING, Match.Status.PARKED])
        .values_list("ladder_match__ladder", "status")
        .annotate(n=Count("pk"), oldest=Min("created_at"))
    )


def match_queue() -> Queue:
    """All matches together."""
    return sum(match_queues().values(), Queue())


@dataclass(frozen=True, slots=True)
class Versions:
    """Those that do not play yet, and how many are out of play until an operator has looked."""

    checks: Queue
    n_suspended: int


def waiting_versions() -> Versions:
    checks, n_suspended = Queue(), 0
    for status, n, oldest, n_out in _waiting_versions():
        checks += {
            Version.Status.RECEIVED: Queue(n_waiting=n, oldest=oldest),
            Version.Status.CHECKING: Queue(n_running=n),
            Version.Status.PARKED: Queue(n_parked=n),
        }.get(Version.Status(status), Queue())
        n_suspended += n_out
    return Versions(checks, n_suspended)


@statement
def _waiting_versions() -> QuerySet[Version, tuple[str, int, datetime, int]]:
    unchecked = [Version.Status.RECEIVED, Version.Status.CHECKING, Version.Status.PARKED]
    found = Version.objects.filter(Q(status__in=unchecked) | Q(suspended_at__isnull=False))
    return found.values_list("status").annotate(
        n=Count("pk"), oldest=Min("created_at"), n_suspended=Count("suspended_at")
    )


@dataclass(frozen=True, slots=True)
class Parked:
    """A parked match, by its id, with who plays it and the attempts at it, the first one first."""

    match: int
    versions: list[Version]
    attempts: list[Attempt]

    @property
    def causes(self) -> list[tuple[str, int]]:
        """What ended the attempts, the most frequent first, and how often."""
        return Counter(attempt.cause or attempt.outcome for attempt in self.attempts).most_common()


def parked_matches(user: User | AnonymousUser | None = None) -> list[Parked]:
    """Matches that keep failing, of those that this person may see where one is given, the newest first."""
    versions: defaultdict[int, list[Version]] = defaultdict(list)
    for participant in _seated_in_parked(user):
        versions[participant.match_id].append(participant.version)
    attempts: defaultdict[int, list[Attempt]] = defaultdict(list)
    for attempt in _attempts_at(*versions):
        attempts[attempt.match_id].append(attempt)
    return [Parked(match, seated, attempts[match]) for match, seated in versions.items()]


@statement
def _seated_in_parked(user: User | AnonymousUser | None) -> QuerySet[Participant]:
    matches = Match.objects.all() if user is None else Match.objects.visible_to(user)
    latest = matches.filter(status=Match.Status.PARKED).order_by("-pk").values("pk")[:PARKED_SHOWN]
    found = Participant.objects.filter(match__in=latest).select_related("version__bot")
    return found.only("match", "version__number", "version__bot__name").order_by("-match", "number")


@statement
def _attempts_at(*matches: int) -> QuerySet[Attempt]:
    return Attempt.objects.filter(match__in=matches).order_by("number")


@statement
def notable_hosts() -> QuerySet[Host]:
    """Hosts in quarantine, and those that stand out."""
    return Host.objects.exclude(quarantined_at=None, reported_at=None).order_by("name")


def oldest_unrated() -> dict[int, datetime]:
    """By ladder's id: when the first match ended, within the last hour, that its published ratings do not know of.

    Ratings that are behind for longer are behind for an hour, as long as matches are played.
    """
    run_at = F("match__ladder_match__ladder__current_run__created_at")
    rows = (
        Attempt.objects.filter(
            Q(match__ladder_match__ladder__current_run=None) | Q(ended_at__gt=run_at),
            outcome=Attempt.Outcome.FINISHED,
            ended_at__gt=timezone.now() - RECENT,
            match__status=Match.Status.FINISHED,
            match__ladder_match__isnull=False,
        )
        .values_list("match__ladder_match__ladder")
        .annotate(since=Min("ended_at"))
    )
    return dict(rows)


def n_differing_games() -> int:
    """Games that came out otherwise than they are stored when they were last played again."""
    return Game.objects.exclude(difference="").count()


@dataclass(frozen=True, slots=True)
class Disk:
    """Of the file system of DATA_DIR, as far as it is there, in bytes."""

    free: int
    total: int


def disk() -> Disk:
    found = shutil.disk_usage(
        next(path for path in [settings.DATA_DIR, *settings.DATA_DIR.parents] if path.exists())
    )
    return Disk(free=found.free, total=found.total)


def database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_database_size(current_database())"
            if connection.vendor == "postgresql"
            else "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        )
        return int(cursor.fetchone()[0])


def last_failure(user: User | AnonymousUser) -> Attempt | None:
    """The last attempt at a match that ended by an infrastructure fault of ours."""
    return next(iter(_last_failure(user)), None)


@statement
def _last_failure(user: User | AnonymousUser) -> QuerySet[Attempt]:
    ended = Attempt.objects.visible_to(user).filter(ended_at__isnull=False).order_by("-ended_at")
    # One look into the index for each of both outcomes.
    latest = [
        Q(pk=Subquery(ended.filter(outcome=outcome).values("pk")[:1]))
        for outcome in (Attempt.Outcome.INFRASTRUCTURE, Attempt.Outcome.LOST)
    ]
    return Attempt.objects.filter(latest[0] | latest[1]).order_by("-ended_at")[:1]


@dataclass(frozen=True, slots=True)
class PlayedSeat:
    """What a stored game came to for the version in a seat; its points are not known where it was stopped."""

    bot: str
    placing: int
    total: int | None
    fault: str


@dataclass(frozen=True, slots=True)
class Played:
    """A stored game with its seats in order; `at` is when it was stored, `finished_at` when its match was."""

    pk: int
    match: int
    at: datetime
    finished_at: datetime | None
    is_forfeit: bool
    seats: list[PlayedSeat]


def latest_games(user: User | AnonymousUser, n: int = GAMES_SHOWN) -> list[Played]:
    """The newest games, newest first."""
    rows = _latest_seats(user, n=n)
    return [
        Played(game, match, at, finished_at, is_forfeit, [PlayedSeat(*row[5:]) for row in seated])
        for (game, match, at, finished_at, is_forfeit), seated in groupby(rows, key=lambda row: row[:5])
    ]


@statement
def _latest_seats(user: User | AnonymousUser, *, n: int) -> QuerySet[GameSeat, tuple[Any, ...]]:
    newest = Game.objects.visible_to(user).order_by("-pk").values("pk")[:n]
    seats = GameSeat.objects.filter(game__in=newest).order_by("-game", "seat")
    of_game = ("game", "game__match", "game__created_at", "game__match__finished_at", "game__is_forfeit")
    return seats.values_list(*of_game, "version__bot__name", "placing", "total", "fault")


def closest(games: Iterable[Played]) -> Played | None:
    """The game, played to its end without a fault, in which first and last were the fewest points apart."""
    whole = [
        played
        for played in games
        if not any(seat.fault or seat.total is None for seat in played.seats) and not played.is_forfeit
    ]
    return min(whole, key=lambda played: _points_apart(played.seats), default=None)


def _points_apart(seats: Iterable[PlayedSeat]) -> int:
    totals = [seat.total for seat in seats if seat.total is not None]
    return max(totals) - min(totals)


def last_finished(user: User | AnonymousUser) -> Match | None:
    return next(iter(_last_finished(user)), None)


@statement
def _last_finished(user: User | AnonymousUser) -> QuerySet[Match]:
    finished = Match.objects.visible_to(user).filter(status=Match.Status.FINISHED, finished_at__isnull=False)
    return finished.order_by("-finished_at", "-pk")[:1]
