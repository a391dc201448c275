"""Replays played again by the server: of a stored game, and of a file that somebody brings."""

from __future__ import annotations

from typing import Any

from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.pages.doors import methods
from arena.pages.games import get_game, without_replay
from arena.replay_files import MAX_BYTES, MAX_DECISIONS, Opened, from_query, open_replay
from arena.tries import may_try
from matches.replay import ReplayError, log
from matches.services import verify_game


@methods("GET", "POST")
def verify_page(request: HttpRequest, pk: int) -> HttpResponse:
    """When a game was last played again and what came of it; a POST plays it again now."""
    game = get_game(request, pk)
    if game.is_forfeit:
        raise without_replay(game)
    if request.method == "POST":
        if not may_try(request, action="replay"):
            return ratelimit.respond_429(request)
        verify_game(game=game)
        return redirect("game_verify", pk=pk)
    return render(request, "arena/game_verify.html", {"game": game, "seats": game.seats.all()})


@methods("GET", "POST")
def watch(request: HttpRequest) -> HttpResponse:
    """The viewer for a replay that somebody has as a file. The server plays it again and keeps nothing of it.

    A replay that is short enough, as nearly all are, leads to an address that holds it: so Back, Reload and links work.
    """
    text = request.GET.get("replay")
    if request.method != "POST" and text is None:
        return show(request)
    if not may_try(request, action="replay"):
        return ratelimit.respond_429(request)
    file = request.FILES.get("file")
    if request.method == "POST" and file is None:
        return show(request, status=422, problem=_("choose a file"))
    try:
        opened = (
            open_replay(file.read(MAX_BYTES + 1))
            if file
            else from_query(text or "", request.GET.getlist("name"))
        )
    except ReplayError as error:
        return show(request, status=422, problem=str(error), filename=file.name if file else "")
    query = opened.query
    if file and query:
        return redirect(f"{reverse('watch')}?{query}")
    address = request.build_absolute_uri(f"{reverse('watch')}?{query}") if query else None
    return show(request, page_url=address, **played(opened))


def show(request: HttpRequest, *, status: int = 200, **context: Any) -> HttpResponse:
    limits = {"max_bytes": MAX_BYTES, "max_decisions": MAX_DECISIONS}
    return render(request, "arena/watch.html", limits | context, status=status)


def played(opened: Opened) -> dict[str, Any]:
    """What the page shows of a sound replay: the viewer, and what the game came to."""
    verified = opened.verified
    names = opened.names or [_("seat %(seat)s") % {"seat": seat} for seat in range(len(verified.totals))]
    seats = sorted(zip(verified.placing, names, verified.totals, strict=True), key=lambda seat: seat[0])
    return {
        "verified": verified,
        "n_decisions": len(verified.core.decisions),
        "standing": seats,
        "expanded": opened.expanded,
        "seat_names": names,
        "log": log(opened.expanded, names, _),
    }
