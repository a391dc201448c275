"""Two bots side by side on a ladder."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.pages import parameters
from arena.pages.doors import methods
from arena.pages.ladders import get_ladder
from arena.selectors.bots import bots_named
from arena.selectors.comparison import comparison


@methods("GET")
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """The bots `bot` and `against`; without both, a form that asks for them."""
    ladder = get_ladder(slug)
    names = [parameters.bot_name(request, name) or "" for name in ("bot", "against")]
    bots = bots_named([name for name in names if name], request.user)
    unknown = [name for name in names if name and name.lower() not in bots]
    found = None
    if all(names) and not unknown:
        one, other = (bots[name.lower()] for name in names)
        found = comparison(ladder=ladder, one=one, other=other, user=request.user) if one != other else None
    return render(
        request,
        "arena/compare.html",
        {
            "ladder": ladder,
            "names": names,
            "unknown": unknown,
            "found": found,
            "rows": list(zip(found.versions, found.ratings, strict=True)) if found else [],
            "is_asked": all(names),
        },
    )
