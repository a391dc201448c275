"""A game: its seats, its replay to watch and to download, and what the bot's owner alone may read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.api.replays import FORMATS, replay_response
from arena.pages import parameters
from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.selectors import matches as selectors
from matches.engine.rules import PRESETS
from matches.models import Game, GameSeat
from matches.replay import PrivateSeat, RoundLog, decode, decode_private, expand, log


@dataclass(frozen=True, slots=True)
class OwnSeat:
    """A seat whose private part the reader may see."""

    seat: GameSeat
    private: PrivateSeat


def get_game(request: HttpRequest, pk: int) -> Game:
    game = selectors.described_games(request.user).filter(pk=pk).first()
    if game is None:
        raise NotThere(_("There is no game %(number)s.") % {"number": pk})
    return game


@methods("GET")
def game_page(request: HttpRequest, pk: int) -> HttpResponse:
    game = get_game(request, pk)
    seats = list(game.seats.all())
    names = [str(seat.version) for seat in seats]
    own = [
        OwnSeat(seat, decode_private(bytes(seat.private))[0])
        for seat in selectors.private_seats(game, request.user).select_related("version__bot")
        if seat.private
    ]
    rounds: Sequence[RoundLog] = ()
    if not game.is_forfeit:
        notes = {note.decision: note.text for each in own for note in each.private.notes}
        rounds = log(expand(decode(bytes(game.replay))), names, _, notes)
    return render(
        request,
        "arena/game.html",
        {
            "game": game,
            "match": game.match,
            "seats": seats,
            "preset": PRESETS.get(game.match.preset),
            "replay_url": reverse("game_replay", args=[game.pk]),
            "seat_names": names,
            "my_seats": [seat.seat for seat in seats if seat.version.bot.owner_id == request.user.pk],
            "log": rounds,
            "own": own,
            "faults": faults_of(seats, own),
        },
    )


def faults_of(seats: Sequence[GameSeat], own: Sequence[OwnSeat]) -> list[tuple[GameSeat, PrivateSeat | None]]:
    """The seats that faulted, each with its private part where the reader may see that."""
    private = {each.seat.seat: each.private for each in own}
    return [(seat, private.get(seat.seat)) for seat in seats if seat.fault]


@methods("GET")
def replay(request: HttpRequest, pk: int) -> HttpResponse:
    """The replay as a download, expanded unless `?format=compact`."""
    form = parameters.choice(request, "format", FORMATS) or FORMATS[0]
    game = get_game(request, pk)
    if game.is_forfeit:
        raise NotThere(
            _("Game %(number)s was forfeited without being played; it has no replay.") % {"number": pk}
        )
    response = replay_response(request, game, form)
    response["X-Content-Type-Options"] = "nosniff"
    return response
