"""The list of matches, and the page of one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from arena.pages import parameters
from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.selectors import matches as selectors
from arena.selectors.effects import rating_effect
from arena.selectors.leaderboard import ladders
from bots.models import Bot
from matches.engine.rules import PRESETS
from matches.models import Match


@methods("GET")
def match_list(request: HttpRequest) -> HttpResponse:
    every_ladder = list(ladders())
    slug = parameters.choice(request, "ladder", [ladder.slug for ladder in every_ladder])
    name = parameters.bot_name(request, "bot")
    status = parameters.choice(request, "status", Match.Status.values)
    before, after = parameters.number(request, "before"), parameters.number(request, "after")
    bot = Bot.objects.visible_to(request.user).filter(name__iexact=name).first() if name else None
    page = selectors.Page([], older=None, newer=None)
    if bot is not None or name is None:
        page = selectors.match_page(
            user=request.user,
            ladder=next((ladder for ladder in every_ladder if ladder.slug == slug), None),
            bot=bot,
            status=status,
            before=before,
            after=after,
        )
    return render(
        request,
        "arena/matches.html",
        {
            "page": page,
            "ladders": every_ladder,
            "statuses": Match.Status.choices,
            "chosen": {"ladder": slug or "", "bot": name or "", "status": status or ""},
            "is_filtered": bool(slug or name or status),
            "is_unknown_bot": name is not None and bot is None,
        },
    )


def get_match(request: HttpRequest, pk: int) -> Match:
    match = selectors.described_matches(request.user).filter(pk=pk).first()
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
        "entrants": [_entrant(participant.version.bot) for participant in match.participants.all()],
        "attempts": list(match.attempts.order_by("number")),
        "is_over": match.status not in {Match.Status.QUEUED, Match.Status.RUNNING},
    }


def _entrant(bot: Bot) -> str:
    """What stands for a bot in a command of the kit, which has the house bots."""
    return bot.name if bot.is_house else f"{bot.name}.py"
