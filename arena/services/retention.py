"""What is kept how long, by kind of data, and forgetting what is older.

Results, replays, seeds, sources of versions that have played, ratings and tournaments are no kind here: ratings are
reckoned and games verified from them, so they are kept for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from arena.models import ApiToken
from bots.models import Package, Version
from bots.services import wipe_packages
from matches.models import Attempt, GameSeat

BATCH = 500


@dataclass(frozen=True)
class Kind:
    """A kind of data that is kept for a number of days, 0 meaning for ever.

    `setting` names that number; without one, what has expired by itself is due. `due` gives the rows that are older
    than a moment, `forget` what is done to some of them.
    """

    name: str
    what: str
    due: Callable[[datetime], QuerySet[Any]]
    forget: Callable[[QuerySet[Any]], object]
    setting: str = ""

    @property
    def days(self) -> int | None:
        return getattr(settings, self.setting) if self.setting else None

    @property
    def before(self) -> datetime | None:
        """What is older is due; None while everything is kept."""
        if self.days == 0:
            return None
        return timezone.now() - timedelta(days=self.days or 0)


def count_due(kind: Kind) -> int:
    return 0 if kind.before is None else kind.due(kind.before).count()


def forget_due(kind: Kind) -> Iterator[int]:
    """Forget what is due, a batch in a transaction of its own; the number of rows after each."""
    before = kind.before
    if before is None:
        return
    last = None
    while True:
        with transaction.atomic():
            rows = kind.due(before).order_by("pk")
            if last is not None:
                rows = rows.filter(pk__gt=last)
            # Locked, and looked at once more: what somebody has taken up meanwhile is due no longer.
            found = list(rows.select_for_update(of=("self",)).values_list("pk", flat=True)[:BATCH])
            if not found:
                return
            kind.forget(kind.due(before).filter(pk__in=found))
        yield len(found)
        last = found[-1]


# --- Kinds --------------------------------------------------------------------------------------------------


def old_logs(before: datetime) -> QuerySet[GameSeat]:
    return GameSeat.objects.filter(game__created_at__lt=before).exclude(private=b"")


def old_details(before: datetime) -> QuerySet[Attempt]:
    return Attempt.objects.filter(ended_at__lt=before).exclude(detail="")


def old_rejected(before: datetime) -> QuerySet[Package]:
    """Sources that no version was made from but such as were rejected long ago."""
    versions = Version.objects.filter(package=OuterRef("pk"))
    return Package.objects.filter(Exists(versions), wiped_at=None).exclude(
        Exists(versions.exclude(status=Version.Status.REJECTED, created_at__lt=before))
    )


def wipe_rejected(packages: QuerySet[Package]) -> None:
    found = list(packages.values_list("pk", flat=True))
    Version.objects.filter(package__in=found).update(report={})
    wipe_packages(packages=Package.objects.filter(pk__in=found))


KINDS = (
    Kind(
        "sessions",
        "log-ins that have expired",
        lambda before: Session.objects.filter(expire_date__lt=before),
        lambda rows: rows.delete(),
    ),
    Kind(
        "tokens",
        "API tokens that have expired",
        lambda before: ApiToken.objects.filter(expiry__lt=before),
        lambda rows: rows.delete(),
    ),
    Kind(
        "logs",
        "notes, standard error and failed exchanges of bots in games, which their owners alone read",
        old_logs,
        lambda rows: rows.update(private=b""),
        "KEEP_LOGS_DAYS",
    ),
    Kind(
        "details",
        "details of attempts at matches for operators; outcome and cause stay",
        old_details,
        lambda rows: rows.update(detail=""),
        "KEEP_DETAILS_DAYS",
    ),
    Kind(
        "rejected",
        "sources and reports of versions that were rejected; the sentence that says why stays",
        old_rejected,
        wipe_rejected,
        "KEEP_REJECTED_DAYS",
    ),
)
