"""The front page: what this is, who leads, what is going on."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.utils.cache import patch_cache_control

from arena import finished
from arena.pages.doors import methods
from arena.selectors import status
from arena.selectors.leaderboard import every_ladder, leaderboard
from arena.selectors.match_lists import match_page
from arena.selectors.matches import Wanted

HERO = [-2, 5, 12, 0, 3, None, 8, "x", 1, 5, None, "x"]
LEADERS = 5
LATEST = 8
# Among so many games, newest first, the closest one is shown.
GAMES_LOOKED_AT = 20


@methods("GET")
def home(request: HttpRequest) -> HttpResponse:
    boards = [
        leaderboard(ladder=ladder, user=request.user, size=LEADERS, is_brief=True)
        for ladder in every_ladder()[:2]
    ]
    return render(
        request,
        "arena/home.html",
        {
            "hero": HERO,
            "boards": boards,
            "featured": status.closest(status.latest_games(request.user, GAMES_LOOKED_AT)),
            "latest": match_page(user=request.user, wanted=Wanted(status="finished"), size=LATEST).matches,
            **_counters(),
        },
    )


@methods("GET")
def live(request: HttpRequest) -> HttpResponse:
    """The counters, which renew themselves."""
    response = render(request, "arena/_counters.html", _counters())
    patch_cache_control(response, no_store=True)
    return response


@methods("GET")
def icon(request: HttpRequest) -> HttpResponse:
    """For what has no head that names one, such as plain text, JSON and the operators' pages."""
    return redirect(static("arena/mark.svg"))


def _counters() -> dict[str, object]:
    n_finished = finished.n_today()
    return {
        "queue": status.match_queue(),
        "n_finished": n_finished,
        "has_more_finished": n_finished == finished.COUNTED_TO,
    }
