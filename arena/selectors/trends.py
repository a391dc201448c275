"""How ratings have moved: a few moments of the last week, and the places won or lost within a day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Protocol

from django.db.models import QuerySet, Subquery
from django.utils import timezone

from arena.models import Ladder, Rating, RatingRun
from arena.statements import statement

WEEK = timedelta(days=7)
DAY = timedelta(days=1)
# Few, since each is read for every row of a page.
MOMENTS = 8
# Of one ladder; there are fewer of the last week, as long as they are thinned out (`arena.services.rating`).
RUNS_READ = 500


@dataclass(frozen=True, slots=True)
class Trend:
    """A version's ratings at some moments of the last week, oldest first, and how many places it has risen within 24
    hours: None where it had none then, or has none now."""

    points: list[tuple[datetime, float]] = field(default_factory=list)
    rise: int | None = None


class Placed(Protocol):
    """A `Rating`, or a row that was read of one."""

    version_id: int
    place: int | None


def trends(ladder: Ladder, ratings: Sequence[Placed]) -> dict[int, Trend]:
    """By version, of these rows of the ladder's current snapshot, by two queries."""
    if not ratings:
        return {}
    now = timezone.now()
    runs = _runs(ladder.pk)
    yesterday = next((pk for pk, at in runs if at <= now - DAY), None)
    shown = _spread([run for run in runs if run[1] > now - WEEK][::-1])
    wanted = {*shown, *([yesterday] if yesterday is not None else [])}
    moments = tuple(run for run in runs if run[0] in wanted)
    found = _ratings_in(moments, tuple(rating.version_id for rating in ratings))
    ways = {}
    for rating in ratings:
        _elo, then = found.get((rating.version_id, yesterday or 0), (None, None))
        ways[rating.version_id] = Trend(
            points=[
                (at, found[rating.version_id, run][0])
                for run, at in shown.items()
                if (rating.version_id, run) in found
            ],
            rise=_rise(then, rating.place),
        )
    return ways


def rises(ladder: Ladder, ratings: Sequence[Placed]) -> dict[int, int | None]:
    """By version, of these rows of the ladder's current snapshot, the places that it has risen, as `Trend` has them."""
    versions = [rating.version_id for rating in ratings]
    places = dict(_places(ladder.pk, timezone.now() - DAY, *versions)) if versions else {}
    return {rating.version_id: _rise(places.get(rating.version_id), rating.place) for rating in ratings}


@statement
def _places(ladder: int, at: datetime, *versions: int) -> QuerySet[Rating, tuple[int, int | None]]:
    """Of these versions in the snapshot that was published at that moment."""
    runs = RatingRun.objects.filter(ladder=ladder, created_at__lte=at).order_by("-created_at", "-pk")
    then = Rating.objects.filter(run=Subquery(runs.values("pk")[:1]), version__in=versions)
    return then.order_by().values_list("version_id", "place")


@statement
def _runs(ladder: int) -> QuerySet[RatingRun, tuple[int, datetime]]:
    found = RatingRun.objects.filter(ladder=ladder).order_by("-created_at", "-pk")
    return found.values_list("pk", "created_at")[:RUNS_READ]


def _rise(then: int | None, now: int | None) -> int | None:
    return None if then is None or now is None else then - now


# By the snapshots, which do not change; the ladder's next one is another key.
@lru_cache(maxsize=100)
def _ratings_in(
    runs: tuple[tuple[int, datetime], ...], versions: tuple[int, ...]
) -> dict[tuple[int, int], tuple[float, int | None]]:
    """By version and run: rating and place."""
    rows = Rating.objects.filter(run__in=[run for run, _at in runs], version__in=versions).order_by()
    return {
        (version, run): (elo, place)
        for version, run, elo, place in rows.values_list("version_id", "run_id", "elo", "place")
    }


def _spread(runs: Iterable[tuple[int, datetime]]) -> dict[int, datetime]:
    """The first, the last, and of those between the nearest to evenly spread moments; oldest first."""
    in_order = list(runs)
    if len(in_order) <= MOMENTS:
        return dict(in_order)
    first, last = in_order[0][1], in_order[-1][1]
    picked = {}
    for number in range(MOMENTS):
        moment = first + (last - first) * number / (MOMENTS - 1)
        pk, at = min(in_order, key=lambda run: abs(run[1] - moment))
        picked[pk] = at
    return picked
