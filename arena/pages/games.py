"""A game: its seats, its replay to watch and to download, and what the bot's owner alone may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.api.replays import FORMATS, replay_response
from arena.pages import parameters
from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.selectors import matches as selectors
from matches.engine.rules import PRESETS
from matches.models import Attempt, Game, GameSeat
from matches.replay import PrivateSeat, RoundLog, decode, decode_private, expand, log

# How attempts end that are played again for a fault of ours.
OURS = (Attempt.Outcome.INFRASTRUCTURE, Attempt.Outcome.LOST)


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


def without_replay(game: Game) -> NotThere:
    return NotThere(
        _("Game %(number)s was forfeited without being played; it has no replay.") % {"number": game.pk}
    )


@methods("GET")
def game_page(request: HttpRequest, pk: int) -> HttpResponse:
    game = get_game(request, pk)
    seats = list(game.seats.all())
    own = [
        OwnSeat(seat, decode_private(bytes(seat.private))[0])
        for seat in selectors.private_seats(game, request.user).select_related("version__bot")
        if seat.private
    ]
    notes = {note.decision: note.text for each in own for note in each.private.notes}
    page_url = request.build_absolute_uri(reverse("game", args=[game.pk]))
    embed_url = request.build_absolute_uri(reverse("game_embed", args=[game.pk]))
    context = viewer(game, notes) | {
        "game": game,
        "match": game.match,
        "seats": seats,
        "standing": sorted(seats, key=lambda seat: seat.placing),
        "preset": PRESETS.get(game.match.preset),
        "my_seats": [seat.seat for seat in seats if seat.version.bot.owner_id == request.user.pk],
        "own": own,
        "faults": faults_of(seats, own),
        "was_played_again": game.match.n_attempts > 1
        and game.match.attempts.filter(outcome__in=OURS).exists(),
        "page_url": page_url,
        "embed_url": embed_url,
        "embed_code": embed_code(embed_url, game),
    }
    return render(request, "arena/game.html", context)


def viewer(game: Game, notes: Mapping[int, str] | None = None) -> dict[str, Any]:
    """What `arena/_viewer.html` shows of a game; `notes` by decision, only those that the reader may see."""
    names = [str(seat.version) for seat in game.seats.all()]
    rounds: Sequence[RoundLog] = ()
    if not game.is_forfeit and notes:
        rounds = log(expand(decode(bytes(game.replay))), names, _, notes)
    elif not game.is_forfeit:
        rounds = public_log(bytes(game.replay), tuple(names), get_language())
    return {"replay_url": reverse("game_replay", args=[game.pk]), "seat_names": names, "log": rounds}


# By all that it is made of. Of one game many people read the same.
@lru_cache(maxsize=50)
def public_log(replay: bytes, names: tuple[str, ...], language: str) -> Sequence[RoundLog]:
    """The lines of a replay without anybody's notes."""
    return log(expand(decode(replay)), names, _)


def embed_code(url: str, game: Game) -> str:
    title = _("A game of Skyjo, number %(number)s") % {"number": game.pk}
    return format_html(
        '<iframe src="{}" title="{}" width="100%" height="800" loading="lazy" style="border: 0"></iframe>',
        url,
        title,
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
        raise without_replay(game)
    return replay_response(request, game, form)
