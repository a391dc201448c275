"""A game's replay as a download: expanded or compact, gzip where the client takes it."""

from __future__ import annotations

import gzip
import json
import re

from django.http import HttpRequest, HttpResponse

from matches.models import Game
from matches.replay import decode, expand

FORMATS = ("expanded", "compact")


def replay_response(request: HttpRequest, game: Game, form: str) -> HttpResponse:
    """`form` is one of FORMATS; the stored bytes are gzip of the compact JSON."""
    stored = bytes(game.replay)
    if form == "compact":
        packed = stored
    else:
        names = [str(seat.version) for seat in game.seats.select_related("version__bot")]
        about = {"match": game.match_id, "game": game.pk, "names": names}
        text = json.dumps(expand(decode(stored), about), separators=(",", ":"))
        packed = gzip.compress(text.encode(), compresslevel=6, mtime=0)
    takes_gzip = accepts_gzip(request.headers.get("Accept-Encoding", ""))
    response = HttpResponse(
        packed if takes_gzip else gzip.decompress(packed), content_type="application/json"
    )
    if takes_gzip:
        response["Content-Encoding"] = "gzip"
    response["Vary"] = "Accept-Encoding"
    suffix = "" if form == "expanded" else ".compact"
    response["Content-Disposition"] = f'attachment; filename="skyjo-game-{game.pk}{suffix}.json"'
    return response


def accepts_gzip(header: str) -> bool:
    """Whether an `Accept-Encoding` takes gzip: named (or `*`) and not with a quality of zero (RFC 9110)."""
    for part in header.lower().split(","):
        coding, _, parameters = part.strip().partition(";")
        if coding.strip() in {"gzip", "x-gzip", "*"}:
            return not re.fullmatch(r"\s*q=0(\.0*)?\s*", parameters)
    return False
