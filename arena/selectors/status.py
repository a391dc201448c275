"""What the arena is doing: queues, workers, periodic jobs, and the software's version."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Count, Min

from arena.models import Pulse
from bots.models import Version
from matches.models import Match

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


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

    n_waiting: int
    n_running: int
    n_parked: int
    oldest: datetime | None


def match_queue() -> Queue:
    rows = {
        row["status"]: row
        for row in Match.objects.filter(
            status__in=[Match.Status.QUEUED, Match.Status.RUNNING, Match.Status.PARKED]
        )
        .values("status")
        .annotate(n=Count("pk"), oldest=Min("created_at"))
    }

    def n(status: str) -> int:
        return rows[status]["n"] if status in rows else 0

    waiting = rows.get(Match.Status.QUEUED)
    return Queue(
        n_waiting=n(Match.Status.QUEUED),
        n_running=n(Match.Status.RUNNING),
        n_parked=n(Match.Status.PARKED),
        oldest=waiting["oldest"] if waiting else None,
    )


def check_queue() -> Queue:
    rows = {
        row["status"]: row
        for row in Version.objects.filter(
            status__in=[Version.Status.RECEIVED, Version.Status.CHECKING, Version.Status.PARKED]
        )
        .values("status")
        .annotate(n=Count("pk"), oldest=Min("created_at"))
    }

    def n(status: str) -> int:
        return rows[status]["n"] if status in rows else 0

    waiting = rows.get(Version.Status.RECEIVED)
    return Queue(
        n_waiting=n(Version.Status.RECEIVED),
        n_running=n(Version.Status.CHECKING),
        n_parked=n(Version.Status.PARKED),
        oldest=waiting["oldest"] if waiting else None,
    )


def pulses() -> dict[str, list[Pulse]]:
    """The signs of life by kind."""
    found: dict[str, list[Pulse]] = {kind: [] for kind in Pulse.Kind.values}
    for pulse in Pulse.objects.order_by("name"):
        found[pulse.kind].append(pulse)
    return found


def last_finished(user: User | AnonymousUser) -> Match | None:
    return Match.objects.visible_to(user).filter(status=Match.Status.FINISHED).order_by("-pk").first()
