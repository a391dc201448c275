"""A bot that does not start is taken out of play: its opponents would play against nobody."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from arena.models import Notice
from arena.services.notices import notify
from bots.models import Bot, Version
from matches.models import GameSeat, Match

# Of its latest finished matches, one after the other.
MATCHES_WITHOUT_START = 3
START = "start"


def deactivate_nonstarters(*, match: Match) -> list[Version]:
    """After a finished match: withdraw the bots that have started in none of their latest matches, and tell the owners.

    The house's stay: a house bot that does not start is trouble of ours.
    """
    unstarted = GameSeat.objects.filter(game__match=match, fault=START).values("version")
    suspects = Version.objects.filter(pk__in=unstarted, bot__is_house=False).select_related("bot__owner")
    return [version for version in suspects if deactivate(version)]


def deactivate(version: Version) -> bool:
    """Withdraw its bot if this version plays for it and did not start of late."""
    latest = latest_matches(version)
    if len(latest) < MATCHES_WITHOUT_START or any(has_started(version, number) for number in latest):
        return False
    now = timezone.now()
    with transaction.atomic():
        if not Bot.objects.filter(pk=version.bot_id, current_version=version).update(
            current_version=None, withdrawn_at=now
        ):
            return False
        notify(version=version, kind=Notice.Kind.DEACTIVATED, facts={"matches": latest})
    return True


def latest_matches(version: Version) -> list[int]:
    played = Match.objects.filter(status=Match.Status.FINISHED, participants__version=version)
    return list(played.order_by("-finished_at").values_list("pk", flat=True)[:MATCHES_WITHOUT_START])


def has_started(version: Version, match_id: int) -> bool:
    """Whether it made a decision in any game: it did in none that it forfeited, or where its start was the fault."""
    seats = GameSeat.objects.filter(game__match=match_id, version=version)
    return seats.exclude(Q(fault=START) | Q(game__is_forfeit=True)).exists()
