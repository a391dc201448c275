"""A game's viewer alone, for a frame on anybody's site."""

from __future__ import annotations

from csp.decorators import csp_replace
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt

from arena.pages.doors import methods
from arena.pages.games import viewer
from arena.selectors import matches as selectors


@methods("GET")
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]
def embed(request: HttpRequest, pk: int) -> HttpResponse:
    """What anybody may see, whoever asks: who is logged in is not even looked at, so that the site around the frame
    cannot make a visitor's browser show what is the visitor's alone.

    Where there is nothing to show, a page that can be framed says so.
    """
    game = selectors.described_games(AnonymousUser()).filter(pk=pk).first()
    if game is None or game.is_forfeit:
        context = {"number": pk, "game": game}
        return render(request, "arena/embed_nothing.html", context, status=404 if game is None else 200)
    return render(request, "arena/embed.html", viewer(game) | {"game": game})
