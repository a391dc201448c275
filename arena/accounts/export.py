"""Everything that the arena keeps about an account, as one zip."""

from __future__ import annotations

import dataclasses
import json
import zipfile
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder

from arena.models import ApiToken, LadderEntry, RequestedMatch, Tournament, Trial
from bots.models import Bot, Version
from matches.models import GameSeat, Match
from matches.replay import decode_private

README = """\
account.json   the account, its bots with all versions, their places on ladders, its tournaments and trials, and
               the names of API tokens
sources/       every version's file, as it was uploaded; those of old rejected versions may be gone
games.jsonl    one JSON object a line for each seat of each game: match, game, deal, seating, result, fault
private.jsonl  notes, standard error and failed exchanges of your bots, by game and seat
Replays are public: download them from the games' pages or by the API.
"""


# So many sources are read at a time: each may have a MiB.
SOURCES_AT_ONCE = 10


def export_account(*, user: User) -> Iterator[bytes]:
    """A zip of the account's data, its own README inside, piece by piece.

    Bots may have written gigabytes over time, more than a web process may hold, or has a disk for.
    """
    written = _Written()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README)
        archive.writestr("account.json", as_json(account(user), indent=2))
        kept = Version.objects.filter(bot__owner=user, package__wiped_at=None).order_by("pk")
        for version in kept.select_related("bot", "package").iterator(chunk_size=SOURCES_AT_ONCE):
            path = f"sources/{version.bot.name}/{version.number:03d}-{version.filename}"
            archive.writestr(path, bytes(version.package.content))
            yield written.taken()
        for name, rows in (("games.jsonl", games(user)), ("private.jsonl", private(user))):
            with archive.open(name, "w", force_zip64=True) as lines:
                for row in rows:
                    lines.write(as_json(row).encode() + b"\n")
                    if piece := written.taken():
                        yield piece
    yield written.taken()


class _Written:
    """What a ZipFile takes for a file that can only be written to; it keeps what nobody has taken yet."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes, /) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """There is nothing to close."""

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def as_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, indent=indent)


def account(user: User) -> dict[str, Any]:
    return {
        "username": user.username,
        "email": user.email,
        "date_joined": user.date_joined,
        "last_login": user.last_login,
        "api_tokens": list(
            ApiToken.objects.filter(user=user).values("name", "scope", "created", "expiry", "last_used_at")
        ),
        "tournaments": list(
            Tournament.objects.filter(organiser=user)
            .order_by("pk")
            .values("id", "name", "description", "state", "format", "created_at")
        ),
        "trials": list(
            Trial.objects.filter(owner=user)
            .order_by("pk")
            .values("id", "version", "opponent", "state", "counts", "created_at", "finished_at")
        ),
        "requested_matches": list(
            RequestedMatch.objects.filter(by=user).order_by("pk").values("match", "created_at")
        ),
        "bots": [bot_row(bot) for bot in Bot.objects.filter(owner=user).order_by("pk")],
    }


def bot_row(bot: Bot) -> dict[str, Any]:
    versions = Version.objects.filter(bot=bot).order_by("number")
    return {
        "name": bot.name,
        "created_at": bot.created_at,
        "withdrawn_at": bot.withdrawn_at,
        "is_source_public": bot.is_source_public,
        "ladders": list(
            LadderEntry.objects.filter(bot=bot, is_active=True).values_list("ladder__slug", flat=True)
        ),
        "versions": [
            {
                "number": version.number,
                "sha256": version.sha256,
                "filename": version.filename,
                "status": version.status,
                "rejection": version.rejection,
                "report": version.report,
                "created_at": version.created_at,
                "checked_at": version.checked_at,
            }
            for version in versions
        ],
    }


def games(user: User) -> Iterator[Any]:
    return (
        GameSeat.objects.filter(bot__owner=user, game__match__in=Match.objects.released_to(user))
        .order_by("game_id", "seat")
        .values(
            "game__match_id",
            "game_id",
            "game__deal",
            "game__seating",
            "seat",
            "version__bot__name",
            "version__number",
            "placing",
            "total",
            "cpu_ms",
            "fault",
            "fault_detail",
        )
        .iterator(chunk_size=2000)
    )


def private(user: User) -> Iterator[dict[str, Any]]:
    seats = GameSeat.objects.filter(bot__owner=user, game__match__in=Match.objects.released_to(user)).exclude(
        private=b""
    )
    for game, seat, data in (
        seats.order_by("game_id", "seat").values_list("game_id", "seat", "private").iterator(chunk_size=500)
    ):
        for kept in decode_private(bytes(data)):
            yield {"game": game, "seat": seat, **dataclasses.asdict(kept)}
