"""Finished matches in bulk, for whoever reckons with them elsewhere: in the order in which they finished, so that who
comes back goes on where they stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone

from arena.models import Ladder
from matches.models import GameSeat, Match, Participant

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

BATCH = 200
# A match is stored a moment after the time at which it is said to have finished; none of before then is still to come.
SETTLED = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Matches by id, and where the next chunk begins: behind the last match of this one, None if it is empty."""

    ids: list[int]
    end: tuple[datetime, int] | None
    is_last: bool


def chunk(
    *,
    user: User | AnonymousUser,
    size: int,
    after: tuple[datetime, int] | None = None,
    ladder: Ladder | None = None,
) -> Chunk:
    """At most so many finished matches that this person may see, of a ladder or all, behind a moment and an id."""
    found = Match.objects.visible_to(user).filter(
        status=Match.Status.FINISHED, finished_at__lt=timezone.now() - SETTLED
    )
    if ladder is not None:
        found = found.filter(ladder_match__ladder=ladder)
    if after is not None:
        moment, last = after
        # The first condition, which follows from the second, is what an index can begin at.
        found = found.filter(finished_at__gte=moment).filter(Q(finished_at__gt=moment) | Q(pk__gt=last))
    rows = list(found.order_by("finished_at", "pk").values_list("finished_at", "pk")[: size + 1])
    kept = [(at, pk) for at, pk in rows[:size] if at is not None]
    return Chunk([pk for _at, pk in kept], kept[-1] if kept else None, is_last=len(rows) <= size)


def bulk_rows(ids: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The matches as plain values, in this order, read in batches."""
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        matches = _described().in_bulk(batch)
        games = _games(batch)
        for pk in batch:
            yield _row(matches[pk], games.get(pk, []))


def _described() -> QuerySet[Match]:
    seated = Participant.objects.select_related("version__bot").defer("version__report").order_by("number")
    return Match.objects.select_related(
        "result", "ladder_match__ladder", "tournament_match", "trial_match"
    ).prefetch_related(Prefetch("participants", seated))


def _games(matches: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    seats = (
        GameSeat.objects.filter(game__match__in=matches)
        .order_by("game__match", "game", "seat")
        .values_list(
            "game__match", "game", "game__deal", "game__seating", "game__is_forfeit", "game__n_rounds",
            "version", "placing", "total", "fault",
        )
    )  # fmt: skip
    found: dict[int, list[dict[str, Any]]] = {}
    for (match, game, deal, seating, is_forfeit, n_rounds), group in groupby(seats, key=lambda row: row[:6]):
        by_seat = list(group)
        found.setdefault(match, []).append(
            {
                "id": game,
                "deal": deal,
                "seating": seating,
                "is_forfeit": is_forfeit,
                "n_rounds": n_rounds,
                "versions": [row[6] for row in by_seat],
                "placings": [row[7] for row in by_seat],
                "totals": [row[8] for row in by_seat],
                "faults": [row[9] for row in by_seat],
            }
        )
    return found


def _row(match: Match, games: list[dict[str, Any]]) -> dict[str, Any]:
    ladder = getattr(match, "ladder_match", None)
    tournament = getattr(match, "tournament_match", None)
    trial = getattr(match, "trial_match", None)
    return {
        "id": match.pk,
        "ladder": ladder.ladder.slug if ladder else None,
        "tournament": tournament.tournament_id if tournament else None,
        "trial": trial.trial_id if trial else None,
        "preset": match.preset,
        "seats": match.seats,
        "deals": match.deals,
        "limits": match.limits.as_dict(),
        "commitment": match.commitment,
        "seed": match.published_seed,
        "created_at": match.created_at,
        "finished_at": match.finished_at,
        "duration_ms": match.result.duration_ms,
        "participants": [
            {
                "bot": one.version.bot.name,
                "version": one.version.number,
                "version_id": one.version_id,
                "sha256": one.version.sha256,
            }
            for one in match.participants.all()
        ],
        "tally": match.result.tally,
        "games": games,
    }
