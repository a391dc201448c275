"""Events for tests: made, entered and played with results that are said, not played."""

from collections.abc import Callable
from typing import Any

from arena.formats import FORMATS
from arena.models import Tournament, TournamentEntry, TournamentMatch
from arena.services import tournaments
from bots.models import Version
from matches.models import Match
from matches.services import finish_match
from tests.make import make_claim, make_record, make_user, make_version, won_by

QUICK = {"deals": 1, "final_deals": 1, "extra_deals": 1}
Picks = Callable[[list[TournamentEntry]], TournamentEntry]


def make_tournament(
    format: str = "single-elimination", settings: dict[str, Any] | None = None, **terms: Any
) -> Tournament:
    """An event by lot with as few deals as can be, unless said otherwise."""
    known = {setting.name for setting in FORMATS[format].settings}
    quick = {name: value for name, value in QUICK.items() if name in known}
    return tournaments.create_tournament(
        organiser=terms.pop("organiser", None) or make_user(),
        name=terms.pop("name", "Autumn cup"),
        format=format,
        settings=quick | (settings or {}),
        seeding=terms.pop("seeding", "lot"),
        **terms,
    )


def make_entries(tournament: Tournament, n: int) -> list[TournamentEntry]:
    return [enter(tournament, make_version()) for _ in range(n)]


def enter(tournament: Tournament, version: Version) -> TournamentEntry:
    return tournaments.enter(tournament=tournament, bot=version.bot, by=version.bot.owner)


def make_event(format: str = "single-elimination", n: int = 4, **terms: Any) -> Tournament:
    """A started event of n entries."""
    tournament = make_tournament(format, **terms)
    make_entries(tournament, n)
    return start(tournament)


def start(tournament: Tournament) -> Tournament:
    tournaments.start_tournament(tournament=tournament, by=tournament.organiser)
    tournament.refresh_from_db()
    return tournament


def current(tournament: Tournament) -> list[TournamentMatch]:
    """The event's matches that are not void, oldest first."""
    links = TournamentMatch.objects.filter(tournament=tournament, is_current=True)
    return list(links.select_related("match").order_by("match_id"))


def waiting(tournament: Tournament) -> list[TournamentMatch]:
    return [link for link in current(tournament) if link.match.status == Match.Status.QUEUED]


def best_seed(entries: list[TournamentEntry]) -> TournamentEntry:
    return min(entries, key=lambda entry: entry.seed or 0)


def worst_seed(entries: list[TournamentEntry]) -> TournamentEntry:
    return max(entries, key=lambda entry: entry.seed or 0)


def finish(link: TournamentMatch, wins: Picks = best_seed) -> Match:
    """Give the match a result in which one entry wins every game; nobody is told."""
    claim = make_claim(link.match)
    winner = wins(list(TournamentEntry.objects.filter(pk__in=link.entry_ids)))
    version_ids = [version.pk for version in claim.versions]
    record = won_by(make_record(claim.match, claim.versions), version_ids.index(winner.version_id))
    assert finish_match(claim=claim, record=record)
    return link.match


def play_out(tournament: Tournament, wins: Picks = best_seed, *, newest_first: bool = False) -> Tournament:
    """Play whatever the event asks for, a match at a time, until it asks for nothing."""
    while links := waiting(tournament):
        finish(links[-1 if newest_first else 0], wins)
        tournaments.advance(tournament_id=tournament.pk)
    tournament.refresh_from_db()
    return tournament


def entry_of_seed(tournament: Tournament, seed: int) -> TournamentEntry:
    return TournamentEntry.objects.select_related("bot__owner").get(tournament=tournament, seed=seed)


def placed(tournament: Tournament) -> list[int]:
    """The seeds in the order of the standings."""
    seeds = dict(tournament.entries.values_list("pk", "seed"))
    return [seeds[row["entry"]] for row in tournament.snapshot["standings"]]
