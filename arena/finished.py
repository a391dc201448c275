"""How many matches have finished today, and how attempts have ended of late: figures that many pages show, of more rows
than they should count. The sweep counts most of them, and keeps that in its sign of life."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, QuerySet
from django.utils import timezone

from arena import pulse
from arena.models import Pulse
from arena.statements import statement
from matches.models import Attempt, Match

# A day may have more than anybody wants to be counted.
COUNTED_TO = 10_000
# A match names the moment at which it finished before its result is stored. Each sweep counts anew, so that one that
# took longer is counted by the next.
STORED_WITHIN = timedelta(minutes=2)
RECENT = timedelta(hours=1)
# What a sweep has counted of late counts for so long.
SWEPT_LATELY = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Ended:
    """How many attempts of the last hour ended so; the cause is empty where nothing went wrong."""

    outcome: Attempt.Outcome
    cause: str
    n: int

    @property
    def is_failure(self) -> bool:
        return self.outcome in {Attempt.Outcome.INFRASTRUCTURE, Attempt.Outcome.LOST}


def n_today(signs: Iterable[Pulse] | None = None) -> int:
    """Matches finished since midnight UTC, as far as COUNTED_TO, which stands for "as many or more".

    What the sweep has counted (`swept`) is not counted again. Signs of life are read where they are not handed over.
    """
    since, n = _midnight(), 0
    told = _told(signs)
    if told.get("finished_until", 0) > since.timestamp():
        since, n = datetime.fromtimestamp(told["finished_until"], UTC), told["finished_today"]
    return n + Match.objects.filter(finished_at__gte=since)[: COUNTED_TO - n].count()


def lately(signs: Iterable[Pulse] | None = None) -> list[Ended]:
    """How attempts at matches have ended within the last hour, by outcome and cause.

    What the sweep has counted (`swept`) is of the hour before it ran. Signs of life are read where they are not handed
    over.
    """
    now = timezone.now()
    since, counted = now - RECENT, Counter[tuple[str, str]]()
    told = _told(signs)
    if told.get("ended_until", 0) > (now - SWEPT_LATELY).timestamp():
        since = datetime.fromtimestamp(told["ended_until"], UTC)
        counted.update({(outcome, cause): n for outcome, cause, n in told["ended"]})
    counted.update({(outcome, cause): n for outcome, cause, n in _ended_since(since)})
    return [Ended(Attempt.Outcome(outcome), cause, n) for (outcome, cause), n in sorted(counted.items())]


def swept() -> dict[str, Any]:
    """For the sweep's sign of life: how many matches have finished today before a moment, in seconds since 1970, and
    how attempts have ended from an hour ago until then."""
    midnight, now = _midnight(), timezone.now()
    recent = (now - STORED_WITHIN).replace(microsecond=0)
    until = max(recent, midnight)
    finished = Match.objects.filter(finished_at__gte=midnight, finished_at__lt=until)
    ended = _attempts().filter(ended_at__gte=now - RECENT, ended_at__lt=recent)
    return {
        "finished_today": finished[:COUNTED_TO].count(),
        "finished_until": int(until.timestamp()),
        "ended": [list(row) for row in ended],
        "ended_until": int(recent.timestamp()),
    }


def _told(signs: Iterable[Pulse] | None) -> dict[str, Any]:
    """What the sweep has told with its sign of life."""
    found = Pulse.objects.filter(name=pulse.SWEEP) if signs is None else signs
    return next((sign.detail for sign in found if sign.name == pulse.SWEEP), {})


@statement
def _ended_since(moment: datetime) -> QuerySet[Attempt, tuple[str, str, int]]:
    return _attempts().filter(ended_at__gte=moment)


def _attempts() -> QuerySet[Attempt, tuple[str, str, int]]:
    """By outcome and cause, how many there are of those that have ended."""
    ended = [outcome for outcome in Attempt.Outcome if outcome != Attempt.Outcome.RUNNING]
    counted = Attempt.objects.filter(outcome__in=ended).order_by("outcome", "cause")
    return counted.values_list("outcome", "cause").annotate(n=Count("pk"))


def _midnight() -> datetime:
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
