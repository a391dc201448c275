"""The statistics of a version of a bot on a ladder."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.pages import parameters
from arena.pages.bots import get_bot
from arena.pages.charts import FRAME, MOMENTS_LISTED, bar_chart, history_chart, points_colour
from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.selectors.leaderboard import every_ladder
from arena.selectors.statistics import statistics


@methods("GET")
def statistics_page(request: HttpRequest, name: str) -> HttpResponse:
    """Of the version that plays, or the newest, on the first ladder, unless others are asked for."""
    bot = get_bot(request, name)
    everything = every_ladder()
    if not everything:
        return render(request, "arena/no_ladders.html")
    slug = parameters.choice(request, "ladder", [ladder.slug for ladder in everything])
    ladder = next((ladder for ladder in everything if ladder.slug == slug), everything[0])
    versions = bot.versions.defer("report").order_by("-number")
    number = parameters.number(request, "version")
    wanted = versions if number is None else versions.filter(number=number)
    version = (bot.current_version if number is None else None) or wanted.first()
    if version is None:
        raise NotThere(
            _("This bot has no version %(number)s.") % {"number": number}
            if number is not None
            else _("This bot has no version yet.")
        )
    version.bot = bot
    found = statistics(version=version, ladder=ladder, ladders=everything, user=request.user)
    points, thinking = found.points, found.thinking
    return render(
        request,
        "arena/statistics.html",
        {
            "found": found,
            "bot": bot,
            "version": version,
            "numbers": list(versions.values_list("number", flat=True)),
            "ladder": ladder,
            "ladders": everything,
            "frame": FRAME,
            "history": history_chart(found.history),
            "listed": found.history[: -MOMENTS_LISTED - 1 : -1],
            "bars": bar_chart(
                [(str(bar.low), bar.n_games) for bar in points.bars],
                [points_colour(bar.low) for bar in points.bars],
            )
            if points
            else None,
            "times": bar_chart([(str(bar.below_ms), bar.n_decisions) for bar in thinking.bars])
            if thinking
            else None,
        },
    )
