"""Publishing ratings: fit the results of a ladder, store the snapshot, and flip the pointer to it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from arena.models import Ladder, LadderEntry, LadderMatch, Rating, RatingRun
from arena.ratings.compare import placed
from arena.ratings.table import ALGORITHM, Outcome, Row, Table, rate
from bots.models import DELETED, Bot, Version
from matches.models import Match, Participant, Result

# The house bot whose first version stands at 1500 on every ladder.
ANCHOR = "greedy"
# The house bot so far below all that play that it shall not tell how wide a field is.
OUTLIER = "random"
# What a snapshot holds beside the fit; another number has every ladder published anew.
CONTENTS = 3
# At most this share of the time goes into fitting one ladder.
FIT_SHARE = 0.1
# All snapshots of the last minutes are kept, then one an hour, then one a day.
KEEP_ALL = timedelta(minutes=10)
KEEP_HOURLY = timedelta(days=2)
# The first of the two numbers that name a ladder's lock in PostgreSQL; any will do that nobody else uses.
LOCK_SPACE = 0x52415445


class RatingBusyError(Exception):
    """Another process is fitting this ladder now."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a version is published with, and what it would be; None where it has no row."""

    version: int
    before: Rating | None
    after: Row | None


def rate_ladder(*, ladder: Ladder) -> RatingRun | None:
    """Publish a new snapshot if a result, or who plays, has come or gone. None if there is nothing to do.

    One process at a time fits a ladder; another finds it busy and leaves. The fit is a pure function of the ladder's
    results that count.
    """
    with fitting(ladder) as is_mine:
        if not is_mine:
            return None
        ladder = Ladder.objects.select_related("current_run").get(pk=ladder.pk)
        basis = basis_sha256(ladder)
        previous = ladder.current_run
        if previous is None and not finished(ladder).exists():
            return None
        if previous is not None and (previous.basis_sha256 == basis or is_too_soon(previous)):
            return None
        return publish(ladder, basis)


def recompute_ratings(*, ladder: Ladder) -> RatingRun:
    """Publish a new snapshot whether or not anything has changed. RatingBusyError while another process fits."""
    with fitting(ladder) as is_mine:
        if not is_mine:
            raise RatingBusyError
        return publish(ladder, basis_sha256(ladder))


def rating_changes(*, ladder: Ladder) -> list[Change]:
    """What a new snapshot would change in the published one, by version; nothing is written."""
    table = fitted(ladder)
    before = {rating.version_id: rating for rating in Rating.objects.published(ladder)}
    after = {row.version: row for row in table.rows}
    return [
        Change(version, before.get(version), after.get(version))
        for version in sorted(before.keys() | after.keys())
        if figures(before.get(version)) != figures(after.get(version))
    ]


def figures(row: Rating | Row | None) -> tuple[Any, ...] | None:
    """All that is published of a version."""
    if row is None:
        return None
    return (
        row.rank,
        row.elo,
        row.standard_error,
        list(row.doubts),
        row.n_matches,
        row.n_games,
        row.n_opponents,
        row.win_share,
        row.mean_points,
        row.round_points,
        row.n_faults,
    )


@contextmanager
def fitting(ladder: Ladder) -> Iterator[bool]:
    """Whether this process may fit the ladder. The lock goes with the process, however that ends."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [LOCK_SPACE, ladder.pk])
            is_mine = bool(cursor.fetchone()[0])
        try:
            yield is_mine
        finally:
            if is_mine:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCK_SPACE, ladder.pk])
        return
    folder = settings.DATA_DIR / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    database = Path(connection.settings_dict["NAME"]).name
    with (folder / f"{database}-ratings-{ladder.pk}").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def is_too_soon(previous: RatingRun) -> bool:
    """Whether the last fit took so long that the next has to wait. A clock set back makes nobody wait."""
    age_ms = (timezone.now() - previous.created_at).total_seconds() * 1000
    return 0 <= age_ms < previous.duration_ms / FIT_SHARE


def publish(ladder: Ladder, basis: str) -> RatingRun:
    """`basis` was reckoned before the results are read: what comes or goes in between is found the next time."""
    began = time.monotonic()
    n_linked = finished(ladder, with_void=True).count()
    table = fitted(ladder)
    playing = set(playing_versions(ladder))
    places = placed(
        [(row.elo, row.standard_error) for row in table.rows], [row.version in playing for row in table.rows]
    )
    with transaction.atomic():
        run = RatingRun.objects.create(
            ladder=ladder,
            algorithm=ALGORITHM,
            input_sha256=table.input_sha256,
            basis_sha256=basis,
            prior_sd=table.prior_sd,
            n_matches=table.n_matches,
            n_games=table.n_games,
            n_rated=len(table.rows),
            n_left_out=max(n_linked - table.n_matches, 0),
            n_playing=sum(place.place is not None for place in places),
            duration_ms=round((time.monotonic() - began) * 1000),
        )
        Rating.objects.bulk_create(
            (
                Rating(
                    run=run,
                    version_id=row.version,
                    rank=row.rank,
                    elo=row.elo,
                    standard_error=row.standard_error,
                    doubts=list(row.doubts),
                    n_games=row.n_games,
                    n_matches=row.n_matches,
                    n_opponents=row.n_opponents,
                    win_share=row.win_share,
                    mean_points=row.mean_points,
                    round_points=row.round_points,
                    n_faults=row.n_faults,
                    **asdict(place),
                )
                for row, place in zip(table.rows, places, strict=True)
            ),
            batch_size=1000,
        )
        Ladder.objects.filter(pk=ladder.pk).update(current_run=run)
    prune_runs(ladder=ladder)
    return run


def playing_versions(ladder: Ladder) -> list[int]:
    """The ids of the versions that have a place on the leaderboard: current ones of bots on the ladder, in order."""
    entries = LadderEntry.objects.filter(ladder=ladder, is_active=True, bot__current_version__isnull=False)
    return list(entries.order_by("bot__current_version").values_list("bot__current_version", flat=True))


def fitted(ladder: Ladder) -> Table:
    return rate(outcomes(ladder), anchor=anchor_id(), outliers=outlier_ids())


def finished(ladder: Ladder, with_void: bool = False) -> QuerySet[Match]:
    """The ladder's matches that have a result."""
    statuses = [Match.Status.FINISHED, *([Match.Status.VOID] if with_void else [])]
    return Match.objects.filter(ladder_match__ladder=ladder, status__in=statuses, result__isnull=False)


def barred_versions() -> QuerySet[Version]:
    """The versions of bots whose matches do not count: hidden ones, and those of people who are banned. Whoever has
    only left the arena is not; their matches are other people's too."""
    banned = Q(owner__is_active=False) & ~Q(owner__username__startswith=DELETED)
    return Version.objects.filter(bot__in=Bot.objects.filter(Q(is_hidden=True) | banned))


def basis_sha256(ladder: Ladder) -> str:
    """Changes whenever the input of the fit does, or who plays, at little cost, and never returns to what it was for
    another input.

    Finished matches only ever become void, so that two counts tell of both; who is barred may come and go, and is
    named. Identifiers tell nothing: they become visible in another order than they are given out.
    """
    linked = LadderMatch.objects.filter(ladder=ladder)
    facts = [
        ALGORITHM,
        CONTENTS,
        anchor_id(),
        outlier_ids(),
        linked.filter(match__status=Match.Status.FINISHED).count(),
        linked.filter(match__status=Match.Status.VOID).count(),
        list(barred_versions().order_by("pk").values_list("pk", flat=True)),
        playing_versions(ladder),
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def outcomes(ladder: Ladder) -> Iterator[Outcome]:
    """The rated matches of a ladder, by one query, so that they are of one moment."""
    barred = Participant.objects.filter(match=OuterRef("match"), version__in=barred_versions())
    rows = Result.objects.filter(match__ladder_match__ladder=ladder, match__status=Match.Status.FINISHED)
    rows = rows.exclude(Exists(barred))
    for match_id, tally in rows.values_list("match_id", "tally").iterator(chunk_size=5000):
        yield Outcome(
            match=match_id,
            versions=tuple(tally["versions"]),
            games=tally["games"],
            pairs=tuple(tally["pairs"]),
            totals=tuple(tally["totals"]),
            clean=tuple(tally["clean"]),
            rounds=tuple(tally["rounds"]),
            faults=tuple(tally["faults"]),
        )


def anchor_id() -> int | None:
    return (
        Version.objects.filter(bot__name=ANCHOR, bot__is_house=True, number=1)
        .values_list("pk", flat=True)
        .first()
    )


def outlier_ids() -> list[int]:
    named = Version.objects.filter(bot__name=OUTLIER, bot__is_house=True)
    return list(named.order_by("pk").values_list("pk", flat=True))


def prune_runs(*, ladder: Ladder) -> None:
    """Thin out old snapshots: the last of each hour for two days, the last of each day before."""
    now = timezone.now()
    kept: set[datetime] = set()
    superfluous = []
    runs = RatingRun.objects.filter(ladder=ladder, created_at__lt=now - KEEP_ALL)
    for pk, created_at in runs.order_by("-created_at", "-pk").values_list("pk", "created_at"):
        bucket = created_at.replace(minute=0, second=0, microsecond=0)
        if created_at < now - KEEP_HOURLY:
            bucket = bucket.replace(hour=0)
        if bucket in kept:
            superfluous.append(pk)
        kept.add(bucket)
    current = Ladder.objects.filter(pk=ladder.pk).values("current_run")
    RatingRun.objects.filter(pk__in=superfluous).exclude(pk__in=current).delete()
