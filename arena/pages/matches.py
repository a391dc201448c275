"""The list of matches, and the page of one."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from arena.pages import parameters
from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.pulse import nobody_plays
from arena.selectors import match_lists
from arena.selectors import matches as selectors
from arena.selectors.bots import bots_named
from arena.selectors.effects import rating_effect
from arena.selectors.leaderboard import every_ladder
from bots.models import Bot
from matches.engine.rules import MAX_SEATS, MIN_SEATS, PRESETS
from matches.models import Match

SEATS = [str(number) for number in range(MIN_SEATS, MAX_SEATS + 1)]
RATED = {"yes": True, "no": False}


@methods("GET")
def match_list(request: HttpRequest) -> HttpResponse:
    return render(request, "arena/matches.html", _listed(request))


@methods("GET")
def live_list(request: HttpRequest) -> HttpResponse:
    """The same rows as they are now, from the one before `before` on; whether there are newer ones, a line says."""
    listed = _listed(request)
    page = listed["page"]
    if page.matches:
        listed["is_newest"] = match_lists.is_newest(page.matches[0].pk, request.user, listed["wanted"])
    response = render(request, "arena/_matches.html", listed | {"is_live": True})
    patch_cache_control(response, no_store=True)
    return response


def _listed(request: HttpRequest) -> dict[str, Any]:
    known = every_ladder()
    chosen = {
        "bot": parameters.bot_name(request, "bot"),
        "against": parameters.bot_name(request, "against"),
        "ladder": parameters.choice(request, "ladder", [ladder.slug for ladder in known]),
        "status": parameters.choice(request, "status", Match.Status.values),
        "outcome": parameters.choice(request, "outcome", selectors.Outcome.values),
        "seats": parameters.choice(request, "seats", SEATS),
        "rated": parameters.choice(request, "rated", list(RATED)),
    }
    before, after = parameters.number(request, "before"), parameters.number(request, "after")
    names = [name for name in (chosen["bot"], chosen["against"]) if name]
    bots = bots_named(names, request.user)
    unknown = [name for name in names if name.lower() not in bots]
    wanted = selectors.Wanted(
        ladder=next((ladder for ladder in known if ladder.slug == chosen["ladder"]), None),
        bot=bots.get((chosen["bot"] or "").lower()),
        against=bots.get((chosen["against"] or "").lower()),
        status=chosen["status"],
        outcome=chosen["outcome"],
        seats=int(chosen["seats"]) if chosen["seats"] else None,
        is_rated=RATED.get(chosen["rated"] or ""),
    )
    page = match_lists.Page([], older=None, newer=None)
    if not unknown:
        page = match_lists.match_page(user=request.user, wanted=wanted, before=before, after=after)
    newest = page.matches[0].pk if page.matches else None
    query = {name: value for name, value in chosen.items() if value}
    return {
        "page": page,
        "wanted": wanted,
        "ladders": known,
        "statuses": Match.Status.choices,
        "outcomes": selectors.Outcome.choices,
        "seats": SEATS,
        "chosen": {name: value or "" for name, value in chosen.items()},
        "is_filtered": bool(query),
        "unknown": unknown,
        # The first page alone renews itself: what stands further down has happened.
        "is_live": before is None and after is None,
        "is_newest": True,
        "query": urlencode(query),
        "live_query": urlencode(query | {"before": newest + 1}) if newest is not None else "",
    }


def get_match(request: HttpRequest, pk: int) -> Match:
    match = selectors.described_match(pk, request.user)
    if match is None:
        raise NotThere(_("There is no match %(number)s.") % {"number": pk})
    return match


@methods("GET")
def match_page(request: HttpRequest, pk: int) -> HttpResponse:
    return render(request, "arena/match.html", _described(request, get_match(request, pk)))


@methods("GET")
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """The live part of the match's page; it asks for itself again until the match is over."""
    response = render(request, "arena/_match.html", _described(request, get_match(request, pk)))
    patch_cache_control(response, no_store=True)
    return response


def _described(request: HttpRequest, match: Match) -> dict[str, object]:
    games = list(selectors.games_of(match))
    found = selectors.summary(match)
    own = {
        seat.version_id
        for game in games
        for seat in game.seats.all()
        if seat.version.bot.owner_id == request.user.pk
    }
    return {
        "match": match,
        "summary": found,
        "preset": PRESETS.get(match.preset),
        "games": games,
        "own": own,
        "effect": rating_effect(found),
        "entrants": [
            _entrant(participant.version.bot)
            for participant in match.seated  # type: ignore[attr-defined]
        ],
        "attempts": selectors.attempts_at(match.pk),
        "is_over": match.status not in {Match.Status.QUEUED, Match.Status.RUNNING},
        "nobody_plays": match.status == Match.Status.QUEUED
        and nobody_plays(
            mib=match.seats * match.memory_mib,
            runtimes={side.version.runtime for side in found.sides},
        ),
    }


def _entrant(bot: Bot) -> str:
    """What stands for a bot in a command of the kit, which has the house bots."""
    return bot.name if bot.is_house else f"{bot.name}.py"
