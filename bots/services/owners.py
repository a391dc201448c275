"""What an account may have, and what others may read of its bots."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from bots.models import DELETED, Bot, Package


@dataclass(frozen=True, slots=True)
class Quotas:
    """What an account has used and may use; the last two are of the past 24 hours."""

    bots: int
    bots_limit: int
    versions_today: int
    versions_a_day: int


def lock_owner(owner: User) -> None:
    """Let nobody else change this account's bots until the transaction ends.

    PostgreSQL locks the row; on SQLite every write transaction excludes all others from its start. What is
    counted after this call therefore still holds when the transaction commits.
    """
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)


def quotas(user: User) -> Quotas:
    today = Q(versions__created_at__gt=timezone.now() - timedelta(days=1))
    used = Bot.objects.filter(owner=user).aggregate(
        bots=Count("pk", distinct=True), versions=Count("versions", filter=today)
    )
    return Quotas(
        bots=used["bots"],
        bots_limit=settings.QUOTA_BOTS,
        versions_today=used["versions"],
        versions_a_day=settings.QUOTA_VERSIONS_A_DAY,
    )


def publish_source(*, bot: Bot, is_public: bool) -> None:
    """Let everybody read the sources of all versions of a bot, or its owner alone."""
    Bot.objects.filter(pk=bot.pk).update(is_source_public=is_public)


def strip_name(*, bot: Bot) -> None:
    """Call a bot by what says nothing of its owner, who is leaving; its source is nobody's to read."""
    name, number = f"{DELETED}{bot.pk}", 1
    while Bot.objects.filter(name__iexact=name).exclude(pk=bot.pk).exists():
        number += 1
        name = f"{DELETED}{bot.pk}-{number}"
    Bot.objects.filter(pk=bot.pk).update(name=name, is_source_public=False)


def wipe_packages(*, packages: QuerySet[Package]) -> None:
    """Empty these packages. The rows stay, since versions and replays name them."""
    packages.update(content=b"", wiped_at=timezone.now())
