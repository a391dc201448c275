"""Bots by name: the list of all, and what the search box finds."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.pages.doors import methods
from arena.pages.parameters import typed
from arena.selectors.bots import bot_page


@methods("GET")
def bot_list(request: HttpRequest) -> HttpResponse:
    """Whatever is typed is looked for; what no name begins with is found nowhere, and no error."""
    text, author, after = (typed(request, name) for name in ("q", "author", "after"))
    page = bot_page(user=request.user, text=text, author=author, after=after)
    return render(request, "arena/bots.html", {"page": page, "text": text, "author": author, "after": after})
