"""A bot's page, and what its owner may do there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from arena import services
from arena.pages import parameters
from arena.pages.charts import FRAME, history_chart
from arena.pages.doors import methods, refuse
from arena.pages.errors import NotThere
from arena.pages.ladders import get_ladder
from arena.pages.trial_offers import PAIRS, QUESTIONS
from arena.selectors import bots as selectors
from arena.selectors.histories import history_of
from arena.selectors.match_lists import match_page
from arena.selectors.matches import Wanted
from arena.selectors.trials import bots_against, latest_of, offered_versions
from bots.models import Bot, Version
from bots.services import SubmissionError, publish_source
from bots.words import rejection

MATCHES_SHOWN = 10
# Rows of the table behind the rating history; the page of statistics has more.
MOMENTS_SHOWN = 10


def get_bot(request: HttpRequest, name: str) -> Bot:
    bot = selectors.bot_named(name, request.user)
    if bot is None:
        raise NotThere(_("There is no bot “%(name)s”.") % {"name": name})
    return bot


@methods("GET")
def bot_page(request: HttpRequest, name: str) -> HttpResponse:
    bot = get_bot(request, name)
    before = parameters.number(request, "before")
    found = selectors.versions_of(bot.pk, before)
    versions = found[: selectors.VERSIONS_SHOWN]
    if before is None and len(found) == len(versions):
        # These are all; whatever else is sought by them need not ask again.
        bot.version_ids = [version.pk for version in versions]
    # Where none plays, the newest says why.
    newest = versions[0] if versions and before is None and bot.current_version is None else None
    rejected = newest if newest and newest.status == Version.Status.REJECTED else None
    is_owner = bot.owner_id == request.user.pk
    tryable, house = offered_versions(bot) if is_owner else ([], [])
    ratings = selectors.ratings_of(bot.pk)
    history = history_of(bot, ratings[0].run.ladder) if ratings else []
    return render(
        request,
        "arena/bot.html",
        {
            "bot": bot,
            "is_owner": is_owner,
            "strategy": selectors.strategy_of(bot),
            "ratings": ratings,
            "history": history_chart(history),
            "frame": FRAME,
            "listed": history[: -MOMENTS_SHOWN - 1 : -1],
            "n_moments": len(history),
            "versions": versions,
            "rejected": rejected,
            "rejection": rejection(rejected, is_private=False) if rejected else "",
            "before": before,
            "older_versions": versions[-1].number if len(found) > len(versions) else None,
            "latest": match_page(user=request.user, wanted=Wanted(bot=bot), size=MATCHES_SHOWN).matches,
            "notices": selectors.notices_of(bot.pk, request.user),
            "is_deactivated": selectors.is_deactivated(bot),
            "ladder_states": selectors.ladder_states(bot) if is_owner else [],
            "trials": latest_of(bot, request.user),
            "tryable": tryable,
            "house": house,
            "questions": QUESTIONS,
            "pairs_offered": PAIRS,
            "challengers": [] if is_owner else bots_against(bot.pk, request.user),
        },
    )


# --- What the owner may do ----------------------------------------------------------------------------------

Action = Callable[..., str]


def owner_action(action: Action) -> Callable[..., HttpResponseBase]:
    """A POST by the bot's owner: does it, says what was done or why not, and goes back to the bot's page."""

    @methods("POST")
    @login_required
    @wraps(action)
    def view(request: HttpRequest, name: str, **kwargs: Any) -> HttpResponse:
        bot = get_bot(request, name)
        if bot.owner_id != request.user.pk:
            raise PermissionDenied(_("Only the owner of a bot may change it."))
        try:
            messages.success(request, action(bot, **kwargs))
        except SubmissionError as error:
            refuse(request, error)
        return redirect("bot", name=bot.name)

    return view


@owner_action
def withdraw(bot: Bot) -> str:
    services.withdraw_bot(bot=bot)
    return _("%(bot)s is withdrawn. It plays no new matches; its results stay.") % {"bot": bot.name}


@owner_action
def reactivate(bot: Bot) -> str:
    services.reactivate_bot(bot=bot)
    return _("%(bot)s plays again.") % {"bot": bot.name}


@owner_action
def activate(bot: Bot, number: int) -> str:
    version = bot.versions.filter(number=number).first()
    if version is None:
        raise NotThere(_("This bot has no version %(number)s.") % {"number": number})
    services.activate_version(version=version)
    return _("Version %(number)s of %(bot)s plays now.") % {"number": number, "bot": bot.name}


@owner_action
def publish(bot: Bot) -> str:
    publish_source(bot=bot, is_public=True)
    return _("Everybody can read the source of %(bot)s now.") % {"bot": bot.name}


@owner_action
def unpublish(bot: Bot) -> str:
    publish_source(bot=bot, is_public=False)
    return _("Only you can read the source of %(bot)s now.") % {"bot": bot.name}


@owner_action
def enter(bot: Bot, slug: str) -> str:
    ladder = get_ladder(slug)
    services.enter_ladder(bot=bot, ladder=ladder)
    return _("%(bot)s is on the ladder %(ladder)s.") % {"bot": bot.name, "ladder": ladder.title}


@owner_action
def leave(bot: Bot, slug: str) -> str:
    ladder = get_ladder(slug)
    services.leave_ladder(bot=bot, ladder=ladder)
    return _("%(bot)s is off the ladder %(ladder)s.") % {"bot": bot.name, "ladder": ladder.title}
