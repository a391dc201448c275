"""Publishing ratings: fit the results of a ladder, store the snapshot, and flip the pointer to it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from arena.models import Ladder, LadderMatch, Rating, RatingRun
from arena.ratings.table import ALGORITHM, Outcome, rate
from bots.models import Version
from matches.models import Match, Result

# The house bot whose first version stands at 1500 on every ladder.
ANCHOR = "greedy"
# At most this share of the time goes into fitting one ladder.
FIT_SHARE = 0.1
# All snapshots of the last minutes are kept, then one an hour, then one a day.
KEEP_ALL = timedelta(minutes=10)
KEEP_HOURLY = timedelta(days=2)


def rate_ladder(*, ladder: Ladder) -> RatingRun | None:
    """Publish a new snapshot if a result has come or gone since the last. None if there is nothing to do.

    The fit is a pure function of the ladder's complete matches that are not void. Finished matches only become void
    and never anything else, so the two counts change with every change of the input and never return.
    """
    began = time.monotonic()
    ladder = Ladder.objects.select_related("current_run").get(pk=ladder.pk)
    previous = ladder.current_run
    linked = LadderMatch.objects.filter(ladder=ladder)
    # Counted before the results are read: what is voided in between is then found at the next fit.
    n_void = linked.filter(match__status=Match.Status.VOID).count()
    n_finished = linked.filter(match__status=Match.Status.FINISHED).count()
    if previous is None and not n_finished:
        return None
    if previous is not None:
        known = (previous.algorithm, previous.n_matches, previous.n_void)
        age_ms = (timezone.now() - previous.created_at).total_seconds() * 1000
        if known == (ALGORITHM, n_finished, n_void) or age_ms < previous.duration_ms / FIT_SHARE:
            return None
    table = rate(outcomes(ladder), anchor_id())
    with transaction.atomic():
        run = RatingRun.objects.create(
            ladder=ladder,
            algorithm=ALGORITHM,
            input_sha256=table.input_sha256,
            n_matches=table.n_matches,
            n_games=table.n_games,
            n_void=n_void,
            duration_ms=round((time.monotonic() - began) * 1000),
        )
        Rating.objects.bulk_create(
            Rating(
                run=run,
                version_id=row.version,
                rank=row.rank,
                elo=row.elo,
                standard_error=row.standard_error,
                n_games=row.n_games,
                n_matches=row.n_matches,
                n_opponents=row.n_opponents,
                win_share=row.win_share,
                mean_points=row.mean_points,
                n_faults=row.n_faults,
            )
            for row in table.rows
        )
        flipped = Ladder.objects.filter(pk=ladder.pk, current_run=previous).update(current_run=run)
        if not flipped:
            # Another snapshot was published meanwhile; it may be of later results than this one.
            transaction.set_rollback(True)
            return None
    prune_runs(ladder=ladder)
    return run


def outcomes(ladder: Ladder) -> Iterator[Outcome]:
    """The rated matches of a ladder, by one query, so that they are of one moment."""
    rows = Result.objects.filter(match__ladder_match__ladder=ladder, match__status=Match.Status.FINISHED)
    for match_id, tally in rows.values_list("match_id", "tally").iterator(chunk_size=5000):
        yield Outcome(
            match=match_id,
            versions=tuple(tally["versions"]),
            games=tally["games"],
            pairs=tuple(tally["pairs"]),
            totals=tuple(tally["totals"]),
            clean=tuple(tally["clean"]),
            faults=tuple(tally["faults"]),
        )


def anchor_id() -> int | None:
    return (
        Version.objects.filter(bot__name=ANCHOR, bot__is_house=True, number=1)
        .values_list("pk", flat=True)
        .first()
    )


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
