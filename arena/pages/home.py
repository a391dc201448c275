"""The front page: what this is, who leads, what is going on."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.pages.doors import methods
from arena.selectors.leaderboard import ladders, leaderboard
from arena.selectors.matches import Wanted, match_page
from arena.selectors.status import match_queue

HERO = [-2, 5, 12, 0, 3, None, 8, "x", 1, 5, None, "x"]
LEADERS = 5
LATEST = 8


@methods("GET")
def home(request: HttpRequest) -> HttpResponse:
    boards = [
        leaderboard(ladder=ladder, user=request.user, size=LEADERS, with_trends=False)
        for ladder in ladders()[:2]
    ]
    return render(
        request,
        "arena/home.html",
        {
            "hero": HERO,
            "boards": boards,
            "queue": match_queue(),
            "latest": match_page(user=request.user, wanted=Wanted(status="finished"), size=LATEST).summaries,
        },
    )
