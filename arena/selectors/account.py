"""What an account has and may still use."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.models import ApiToken, Ladder, LadderEntry, RequestedMatch, Trial
from arena.services.trials.asking import DAY
from arena.statements import statement
from bots.models import Bot
from bots.services import quotas
from matches.models import Match

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


PENDING = [Match.Status.QUEUED, Match.Status.RUNNING]


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
    ladders = _open_ladders()
    if not user.is_authenticated:
        own = {"bots": 0, "versions": 0}
        entries: dict[int, int] = {}
    else:
        used = quotas(user)
        own = {"bots": used.bots, "versions": used.versions_today}
        entries = dict(_entries_of(user.pk))
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


@statement
def _open_ladders() -> QuerySet[Ladder]:
    return Ladder.objects.filter(is_open=True)


@statement
def _entries_of(user: int) -> QuerySet[LadderEntry, tuple[int, int]]:
    playing = LadderEntry.objects.filter(bot__owner=user, bot__withdrawn_at=None, is_active=True)
    return playing.values_list("ladder").annotate(n=Count("pk"))


def play_quota_rows(user: User) -> list[QuotaRow]:
    """The quotas of trials and of matches on request."""
    today = timezone.now() - DAY
    trials, requests = _trials_since(today, user.pk), _requests_since(today, user.pk)
    return [
        QuotaRow(
            "trials",
            _("trials running"),
            sum(state == Trial.State.RUNNING for state, _at in trials),
            settings.QUOTA_TRIALS,
        ),
        QuotaRow(
            "trials_a_day",
            _("trials within 24 hours"),
            sum(at > today for _state, at in trials),
            settings.QUOTA_TRIALS_A_DAY,
        ),
        QuotaRow(
            "requests",
            _("matches on request to be played"),
            sum(status in PENDING for status, _at in requests),
            settings.QUOTA_PENDING_REQUESTS,
        ),
        QuotaRow(
            "requests_a_day",
            _("matches on request within 24 hours"),
            sum(at > today for _status, at in requests),
            settings.QUOTA_REQUESTS_A_DAY,
        ),
    ]


@statement
def _trials_since(moment: datetime, owner: int) -> QuerySet[Trial, tuple[str, datetime]]:
    """With those that run, whenever they began."""
    counted = Q(state=Trial.State.RUNNING) | Q(created_at__gt=moment)
    return Trial.objects.filter(counted, owner=owner).order_by().values_list("state", "created_at")


@statement
def _requests_since(moment: datetime, by: int) -> QuerySet[RequestedMatch, tuple[str, datetime]]:
    """With those that are to be played, whenever they were made."""
    counted = Q(match__status__in=PENDING) | Q(created_at__gt=moment)
    asked = RequestedMatch.objects.filter(counted, by=by).order_by()
    return asked.values_list("match__status", "created_at")


@statement
def bots_of(user: int) -> QuerySet[Bot]:
    owned = Bot.objects.filter(owner=user).select_related("current_version")
    return owned.defer("current_version__report").order_by("name")


def tokens_of(user: User) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user).order_by("-created")
