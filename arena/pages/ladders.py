"""The leaderboard of each ladder. Its whole state is in the address: which rows, in which order, after which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.models import Ladder
from arena.pages import parameters
from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.selectors.leaderboard import ORDERS, Wanted, every_ladder, leaderboard, unrated
from matches.engine.rules import PRESETS

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

HOUSE = {"only": True, "none": False}
PROVISIONAL = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading: its order, and the one that a click asks for next."""

    name: str
    title: StrPromise
    is_number: bool = True
    is_wide_only: bool = True


COLUMNS = [
    Column("bot", gettext_lazy("Bot"), is_number=False, is_wide_only=False),
    Column("rank", gettext_lazy("Rating"), is_wide_only=False),
    Column("better", gettext_lazy("Better")),
    Column("trend", gettext_lazy("7 days"), is_number=False),
    Column("author", gettext_lazy("Author"), is_number=False),
    Column("games", gettext_lazy("Games")),
    Column("won", gettext_lazy("Won"), is_wide_only=False),
    Column("points", gettext_lazy("Points a round")),
    Column("faults", gettext_lazy("Faults")),
    Column("submitted", gettext_lazy("Submitted"), is_number=False),
]


def get_ladder(slug: str, among: Iterable[Ladder] | None = None) -> Ladder:
    """The ladder of this slug, of these where they are known already."""
    for ladder in every_ladder() if among is None else among:
        if ladder.slug == slug:
            return ladder
    raise NotThere(_("There is no ladder “%(slug)s”.") % {"slug": slug})


@methods("GET")
def first_ladder(request: HttpRequest) -> HttpResponse:
    known = every_ladder()
    if not known:
        return render(request, "arena/no_ladders.html")
    return redirect("leaderboard", slug=known[0].slug)


@methods("GET")
def ladder_page(request: HttpRequest, slug: str) -> HttpResponse:
    everything = every_ladder()
    ladder = get_ladder(slug, everything)
    order = parameters.choice(request, "sort", ORDERS) or "rank"
    after = parameters.number(request, "after")
    wanted, chosen = _wanted(request)
    board = leaderboard(ladder=ladder, user=request.user, wanted=wanted, order=order, after=after)
    is_first = wanted.is_everything and after is None
    return render(
        request,
        "arena/leaderboard.html",
        {
            "ladder": ladder,
            "ladders": everything,
            "board": board,
            "waiting": unrated(ladder, request.user) if is_first else [],
            "preset": PRESETS.get(ladder.preset),
            "all_versions": wanted.all_versions,
            "is_filtered": not wanted.is_everything,
            # Whom a row is better than, only its own next place tells.
            "is_by_rank": order == "rank" and wanted.is_everything and not wanted.all_versions,
            "columns": COLUMNS,
            "order": order,
            "chosen": chosen,
            "query": urlencode({name: value for name, value in chosen.items() if value}),
        },
    )


def _wanted(request: HttpRequest) -> tuple[Wanted, dict[str, str]]:
    """What the parameters ask for, and those parameters, which the API takes too."""
    chosen = {
        "versions": parameters.choice(request, "versions", ["current", "all"]) or "",
        "q": parameters.typed(request, "q"),
        "author": parameters.typed(request, "author"),
        "provisional": parameters.choice(request, "provisional", list(PROVISIONAL)) or "",
        "house": parameters.choice(request, "house", list(HOUSE)) or "",
        "games": request.GET.get("games", ""),
    }
    wanted = Wanted(
        all_versions=chosen["versions"] == "all",
        author=chosen["author"],
        name=chosen["q"],
        is_provisional=PROVISIONAL.get(chosen["provisional"]),
        is_house=HOUSE.get(chosen["house"]),
        least_games=parameters.number(request, "games"),
    )
    return wanted, chosen
