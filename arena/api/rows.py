"""What the API tells of matches, games, faults and ratings, with few columns of each row: lists are long, and what
belongs to a row is a column of the same query, and no object of its own."""

from __future__ import annotations

from django.db.models import F, Prefetch, QuerySet

from arena.models import Rating
from matches.models import Game, GameSeat, Match, Participant

PLAYERS = Participant.objects.all()
NAMES = {"bot_name": F("bot__name"), "version_number": F("version__number")}


def matches(found: QuerySet[Match], players: QuerySet[Participant] = PLAYERS) -> QuerySet[Match]:
    """The same matches with all that is told of them, and their players in order."""
    seated = players.annotate(**NAMES).order_by("number")
    return found.annotate(
        ladder=F("ladder_match__ladder__slug"),
        made_for=F("ladder_match__made_for"),
        reason=F("ladder_match__reason"),
        tournament=F("tournament_match__tournament"),
        trial=F("trial_match__trial"),
        requested_by=F("requested_match__by__username"),
    ).prefetch_related(Prefetch("participants", seated, to_attr="seated"))


def games(found: QuerySet[Game]) -> QuerySet[Game]:
    """The same games with their seats in order; replays and private parts are not read."""
    seats = GameSeat.objects.annotate(**NAMES).defer("private").order_by("seat")
    return found.defer("replay").prefetch_related(Prefetch("seats", seats, to_attr="in_order"))


def faults(found: QuerySet[GameSeat]) -> QuerySet[GameSeat]:
    """The same seats with their match, and when it was stored."""
    return found.defer("private").annotate(
        match=F("game__match"), version_number=F("version__number"), at=F("game__created_at")
    )


def ratings(found: QuerySet[Rating]) -> QuerySet[Rating]:
    """The same ratings with what is told of version, bot and owner."""
    return found.select_related(None).annotate(
        bot=F("version__bot__name"),
        number=F("version__number"),
        owner=F("version__bot__owner__username"),
        is_house=F("version__bot__is_house"),
        playing=F("version__bot__current_version"),
        submitted_at=F("version__created_at"),
    )
