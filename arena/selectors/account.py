"""What an account has and may still use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.models import ApiToken, Ladder, LadderEntry, RequestedMatch, Trial
from arena.services.trials.asking import DAY
from bots.models import Bot
from bots.services import quotas
from matches.models import Match

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet


@dataclass(frozen=True, slots=True)
class QuotaRow:
    """One quota: its name for programs and in words, how much is used, and how much there is."""

    name: str
    words: str
    used: int
    limit: int

    @property
    def left(self) -> int:
        return max(self.limit - self.used, 0)


def quota_rows(user: User | AnonymousUser) -> list[QuotaRow]:
    """The quotas of an account, and what of them is used; nobody's are all unused."""
    ladders = list(Ladder.objects.filter(is_open=True))
    if not user.is_authenticated:
        own = {"bots": 0, "versions": 0}
        entries: dict[int, int] = {}
    else:
        used = quotas(user)
        own = {"bots": used.bots, "versions": used.versions_today}
        entries = dict(
            LadderEntry.objects.filter(bot__owner=user, bot__withdrawn_at=None, is_active=True)
            .values_list("ladder")
            .annotate(n=Count("pk"))
        )
    return [
        QuotaRow("bots", _("bots"), own["bots"], settings.QUOTA_BOTS),
        QuotaRow(
            "versions_a_day", _("versions within 24 hours"), own["versions"], settings.QUOTA_VERSIONS_A_DAY
        ),
        *(
            QuotaRow(
                f"entries:{ladder.slug}",
                _("bots on the ladder %(ladder)s") % {"ladder": ladder.title},
                entries.get(ladder.pk, 0),
                settings.QUOTA_ENTRIES,
            )
            for ladder in ladders
        ),
    ]


def play_quota_rows(user: User) -> list[QuotaRow]:
    """The quotas of trials and of matches on request."""
    today = Q(created_at__gt=timezone.now() - DAY)
    trials = Trial.objects.filter(owner=user).aggregate(
        running=Count("pk", filter=Q(state=Trial.State.RUNNING)), today=Count("pk", filter=today)
    )
    pending = Q(match__status__in=[Match.Status.QUEUED, Match.Status.RUNNING])
    asked = RequestedMatch.objects.filter(by=user)
    requests = asked.aggregate(pending=Count("pk", filter=pending), today=Count("pk", filter=today))
    return [
        QuotaRow("trials", _("trials running"), trials["running"], settings.QUOTA_TRIALS),
        QuotaRow("trials_a_day", _("trials within 24 hours"), trials["today"], settings.QUOTA_TRIALS_A_DAY),
        QuotaRow(
            "requests",
            _("matches on request to be played"),
            requests["pending"],
            settings.QUOTA_PENDING_REQUESTS,
        ),
        QuotaRow(
            "requests_a_day",
            _("matches on request within 24 hours"),
            requests["today"],
            settings.QUOTA_REQUESTS_A_DAY,
        ),
    ]


def bots_of(user: User) -> QuerySet[Bot]:
    return Bot.objects.owned_by(user).select_related("current_version").order_by("name")


def tokens_of(user: User) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user).order_by("-created")
