"""The statistics of a version of a bot on a ladder."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.pages import parameters
from arena.pages.bots import get_bot
from arena.pages.charts import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, bar_chart, history_chart
from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.selectors.leaderboard import ladders
from arena.selectors.statistics import statistics

FRAME = {
    "width": WIDTH,
    "height": HEIGHT,
    "left": LEFT,
    "right": WIDTH - RIGHT,
    "top": TOP,
    "bottom": HEIGHT - BOTTOM,
}
# Rows of the table behind the chart; the JSON has all.
MOMENTS_LISTED = 50


@methods("GET")
def statistics_page(request: HttpRequest, name: str) -> HttpResponse:
    """Of the version that plays, or the newest, on the first ladder, unless others are asked for."""
    bot = get_bot(request, name)
    everything = list(ladders())
    if not everything:
        return render(request, "arena/no_ladders.html")
    slug = parameters.choice(request, "ladder", [ladder.slug for ladder in everything])
    ladder = next((ladder for ladder in everything if ladder.slug == slug), everything[0])
    versions = list(bot.versions.select_related("bot").defer("report").order_by("-number"))
    number = parameters.number(request, "version")
    if number is None:
        version = bot.current_version or next(iter(versions), None)
    else:
        version = next((one for one in versions if one.number == number), None)
    if version is None:
        raise NotThere(
            _("This bot has no version %(number)s.") % {"number": number}
            if number is not None
            else _("This bot has no version yet.")
        )
    version.bot = bot
    found = statistics(version=version, ladder=ladder, ladders=everything, user=request.user)
    return render(
        request,
        "arena/statistics.html",
        {
            "found": found,
            "bot": bot,
            "version": version,
            "versions": versions,
            "ladder": ladder,
            "ladders": everything,
            "frame": FRAME,
            "history": history_chart(found.history),
            "listed": found.history[: -MOMENTS_LISTED - 1 : -1],
            "bars": bar_chart(found.points.bars) if found.points else None,
        },
    )
