"""What the API tells of matches, games, faults and ratings, with few columns of each row: lists are long, and what
belongs to a row is a column of the same query, and no object of its own.

A list's rows are plain tuples with the names that the serializers read; one match or game is a model's instance with
the same names.
"""

from __future__ import annotations

from collections import defaultdict, namedtuple
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import F, Prefetch, QuerySet

from arena.models import Rating
from arena.statements import statement
from matches.models import Game, GameSeat, Match, Participant

PLAYERS = Participant.objects.all()
NAMES = {"bot_name": "bot__name", "version_number": "version__number"}
LINKS = {
    "ladder": "ladder_match__ladder__slug",
    "made_for": "ladder_match__made_for",
    "reason": "ladder_match__reason",
    "tournament": "tournament_match__tournament",
    "trial": "trial_match__trial",
    "requested_by": "requested_match__by__username",
}
OF_FAULTS = {"match": "game__match", "version_number": "version__number", "at": "game__created_at"}
OF_RATINGS = {
    "bot": "version__bot__name",
    "number": "version__number",
    "owner": "version__bot__owner__username",
    "is_house": "version__bot__is_house",
    "playing": "version__bot__current_version",
    "submitted_at": "version__created_at",
}
# By the names in a row, where its columns come from; the first one is the row's key.
PLAYER = {"number": "number", "version_id": "version", **NAMES}
SEAT = {
    **{name: name for name in ("seat", "version_id", "placing", "total", "cpu_ms", "fault", "fault_detail")},
    **NAMES,
}
MATCH = {
    **{
        name: name
        for name in (
            *("id", "status", "preset", "seats", "deals", "start_ms", "decision_ms", "bank_ms", "memory_mib"),
            *("commitment", "seed", "n_attempts", "created_at", "started_at", "finished_at"),
        )
    },
    **LINKS,
}
GAME = {
    name: name
    for name in (
        *("id", "match_id", "deal", "seating", "is_forfeit", "n_rounds", "n_decisions", "round_points"),
        *("created_at", "verified_at", "difference"),
    )
}
FAULT = {
    **{name: name for name in ("id", "game_id", "seat", "version_id", "fault", "fault_detail")},
    **OF_FAULTS,
}
RATING = {
    **{
        name: name
        for name in (
            *("id", "version_id", "rank", "rank_low", "rank_high", "place", "place_low", "place_high"),
            *("better_than_next", "elo", "standard_error", "doubts", "n_games", "n_matches", "n_opponents"),
            *("win_share", "mean_points", "round_points", "n_faults"),
        )
    },
    **OF_RATINGS,
}

PlayerRow = namedtuple("PlayerRow", list(PLAYER))  # type: ignore[misc]
SeatRow = namedtuple("SeatRow", list(SEAT))  # type: ignore[misc]
GameRow = namedtuple("GameRow", [*GAME, "in_order"])  # type: ignore[misc]
FaultRow = namedtuple("FaultRow", list(FAULT))  # type: ignore[misc]


class MatchRow(namedtuple("MatchRow", [*MATCH, "seated"])):  # type: ignore[misc]
    published_seed = Match.published_seed


class RatingRow(namedtuple("RatingRow", list(RATING))):  # type: ignore[misc]
    version_id: int
    place: int | None
    half_width = Rating.half_width
    is_provisional = Rating.is_provisional
    fault_rate = Rating.fault_rate


def listed_matches(keys: Sequence[int]) -> dict[int, Any]:
    """By key, these matches with all that is told of them, and their players in order."""
    seated = grouped(_players(*keys), PlayerRow)
    return {row[0]: MatchRow._make([*row, seated[row[0]]]) for row in _matches(*keys)}


def listed_games(keys: Sequence[int]) -> dict[int, Any]:
    """By key, these games with their seats in order."""
    in_order = grouped(_seats(*keys), SeatRow)
    return {row[0]: GameRow._make([*row, in_order[row[0]]]) for row in _games(*keys)}


def listed_faults(keys: Sequence[int]) -> dict[int, Any]:
    """By key, these seats with their match, and when it was stored."""
    return {row[0]: FaultRow._make(row) for row in _faults(*keys)}


@statement
def _matches(*keys: int) -> QuerySet[Match, tuple[Any, ...]]:
    return Match.objects.filter(pk__in=keys).values_list(*MATCH.values())


@statement
def _players(*matches: int) -> QuerySet[Participant, tuple[Any, ...]]:
    found = Participant.objects.filter(match__in=matches).order_by("number")
    return found.values_list("match", *PLAYER.values())


@statement
def _games(*keys: int) -> QuerySet[Game, tuple[Any, ...]]:
    return Game.objects.filter(pk__in=keys).values_list(*GAME.values())


@statement
def _seats(*games: int) -> QuerySet[GameSeat, tuple[Any, ...]]:
    return GameSeat.objects.filter(game__in=games).order_by("seat").values_list("game", *SEAT.values())


@statement
def _faults(*keys: int) -> QuerySet[GameSeat, tuple[Any, ...]]:
    return GameSeat.objects.filter(pk__in=keys).order_by().values_list(*FAULT.values())


def grouped(found: Iterable[tuple[Any, ...]], kind: type[Any]) -> defaultdict[int, list[Any]]:
    """The rows by their first column, the match or game that they belong to, in their order."""
    rows: defaultdict[int, list[Any]] = defaultdict(list)
    for key, *values in found:
        rows[key].append(kind._make(values))
    return rows


def matches(found: QuerySet[Match], players: QuerySet[Participant] = PLAYERS) -> QuerySet[Match]:
    """The same matches with all that is told of them, and their players in order."""
    seated = players.annotate(**_columns(NAMES)).order_by("number")
    return found.annotate(**_columns(LINKS)).prefetch_related(
        Prefetch("participants", seated, to_attr="seated")
    )


def games(found: QuerySet[Game]) -> QuerySet[Game]:
    """The same games with their seats in order; replays and private parts are not read."""
    seats = GameSeat.objects.annotate(**_columns(NAMES)).defer("private").order_by("seat")
    return found.defer("replay").prefetch_related(Prefetch("seats", seats, to_attr="in_order"))


def ratings(found: QuerySet[Rating]) -> QuerySet[Rating, tuple[Any, ...]]:
    """The columns of RATING, as tuples with these names."""
    wanted = found.select_related(None).annotate(**_columns(OF_RATINGS))
    return wanted.values_list(*RATING, named=True)


def _columns(paths: Mapping[str, str]) -> dict[str, F]:
    return {name: F(path) for name, path in paths.items()}
