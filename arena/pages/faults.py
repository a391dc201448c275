"""Every fault of a bot since one of its versions, with the way to each."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.pages import parameters
from arena.pages.bots import get_bot
from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.selectors import faults as selectors
from bots.models import Version
from bots.words import rejection
from matches.replay import FAULT_KINDS

# So many of the latest versions are offered to choose from; the address takes any.
VERSIONS_OFFERED = 100


@methods("GET")
def fault_list(request: HttpRequest, name: str) -> HttpResponse:
    """Of all versions, of those from `since` on, or of `version` alone."""
    bot = get_bot(request, name)
    since, number = parameters.number(request, "since"), parameters.number(request, "version")
    kind = parameters.choice(request, "kind", FAULT_KINDS)
    before = parameters.number(request, "before")
    numbers = list(bot.versions.order_by("-number").values_list("number", flat=True)[:VERSIONS_OFFERED])
    among = selectors.Range(bot, since=since, number=number)
    chosen = number if number is not None else since
    if chosen is not None and chosen not in numbers and not bot.versions.filter(number=chosen).exists():
        raise NotThere(_("This bot has no version %(number)s.") % {"number": chosen})
    page = selectors.fault_page(user=request.user, among=among, kind=kind, before=before)
    may_read_private = Version.objects.with_private_visible_to(request.user).filter(bot=bot).exists()
    return render(
        request,
        "arena/faults.html",
        {
            "bot": bot,
            "page": page,
            "numbers": numbers,
            "since": since if number is None else None,
            "number": number,
            "kind": kind,
            "kinds": FAULT_KINDS,
            "is_filtered": bool(kind or before or chosen is not None),
            "looked_at": selectors.LOOKED_AT,
            "rejected": [
                (version, rejection(version, is_private=may_read_private)) for version in page.rejected
            ],
        },
    )
