"""The leaderboard of each ladder."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from arena.pages import parameters
from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.selectors.leaderboard import PAGE_SIZE, ladders, leaderboard, unrated_entries
from matches.engine.rules import PRESETS


@methods("GET")
def first_ladder(request: HttpRequest) -> HttpResponse:
    ladder = ladders().first()
    if ladder is None:
        return render(request, "arena/no_ladders.html")
    return redirect("leaderboard", slug=ladder.slug)


@methods("GET")
def ladder_page(request: HttpRequest, slug: str) -> HttpResponse:
    everything = list(ladders())
    ladder = next((ladder for ladder in everything if ladder.slug == slug), None)
    if ladder is None:
        raise NotThere(_("There is no ladder “%(slug)s”.") % {"slug": slug})
    versions = parameters.choice(request, "versions", ["current", "all"])
    after = parameters.number(request, "after") or 0
    board = leaderboard(ladder=ladder, user=request.user, all_versions=versions == "all", after=after)
    return render(
        request,
        "arena/leaderboard.html",
        {
            "ladder": ladder,
            "ladders": everything,
            "board": board,
            "waiting": [] if after else list(unrated_entries(ladder=ladder, user=request.user)[:PAGE_SIZE]),
            "preset": PRESETS.get(ladder.preset),
            "all_versions": versions == "all",
        },
    )
