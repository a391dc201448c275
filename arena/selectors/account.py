"""What an account has and may still use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Count
from django.utils.translation import gettext as _

from arena.models import ApiToken, Ladder, LadderEntry
from bots.models import Bot
from bots.services import quotas

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet


@dataclass(frozen=True, slots=True)
class QuotaRow:
    """One quota in words: what of, how much is used, and how much there is."""

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
        QuotaRow(_("bots"), own["bots"], settings.QUOTA_BOTS),
        QuotaRow(_("versions within 24 hours"), own["versions"], settings.QUOTA_VERSIONS_A_DAY),
        *(
            QuotaRow(
                _("bots on the ladder %(ladder)s") % {"ladder": ladder.title},
                entries.get(ladder.pk, 0),
                settings.QUOTA_ENTRIES,
            )
            for ladder in ladders
        ),
    ]


def bots_of(user: User) -> QuerySet[Bot]:
    return Bot.objects.owned_by(user).select_related("current_version").order_by("name")


def tokens_of(user: User) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user).order_by("-created")
