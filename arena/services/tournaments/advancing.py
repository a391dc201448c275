"""Bringing an event on: from entries, results and decisions to its state, and from that to matches.

The state is reckoned from the beginning each time, under the lock of the event's row and in one transaction with the
matches that follow from it. So the order of results, repeated calls and a worker killed in the middle do not matter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from arena.bells import ring_match, ring_rating, ring_tournament
from arena.formats import Entry, Result, State, as_json
from arena.formats import Match as Wanted
from arena.models import (
    Ladder,
    LadderMatch,
    Tournament,
    TournamentForfeit,
    TournamentMatch,
    TournamentRecord,
)
from arena.services.tournaments.keeping import locked, record
from bots.models import Version
from matches import services as matches
from matches.models import Match

# So many are made in one transaction, which keeps others from writing as long as it lasts.
MAX_MADE = 100
Place = tuple[str, str]
"""A match's key and its entries, as `TournamentMatch` stores them."""


def listed(ids: Iterable[int]) -> str:
    """Entries as `TournamentMatch.entries` and its kin store them."""
    return ",".join(str(one) for one in sorted(ids))


class Book:
    """All that an event's state is reckoned from, read at one time."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.rows = list(tournament.entries.exclude(seed=None).order_by("seed"))
        links = TournamentMatch.objects.filter(tournament=tournament, is_current=True)
        self.links = {
            (link.key, link.entries): link for link in links.select_related("match").defer("match__seed")
        }
        self.forfeits: dict[Place, TournamentForfeit] = {
            (forfeit.key, forfeit.entries): forfeit
            for forfeit in TournamentForfeit.objects.filter(tournament=tournament)
        }
        self._results: dict[Place, Result] | None = None

    @property
    def entries(self) -> list[Entry]:
        return [row.for_format() for row in self.rows]

    @property
    def results(self) -> dict[Place, Result]:
        """What counts: a decision of the organiser before what was played."""
        if self._results is None:
            entry_of = {row.version_id: row.pk for row in self.rows if row.version_id is not None}
            finished = {place for place, link in self.links.items() if is_finished(link)}
            tallies = TournamentMatch.objects.filter(
                pk__in=[self.links[place].pk for place in finished - self.forfeits.keys()]
            ).values_list("key", "entries", "match__result__tally")
            self._results = {
                (key, entries): Result.of_tally(key, tally, entry_of)
                for key, entries, tally in tallies.iterator()
            }
            for place, forfeit in self.forfeits.items():
                self._results[place] = Result.forfeited(
                    forfeit.key, split(forfeit.entries), split(forfeit.forfeits)
                )
        return self._results

    def state(self, without: Collection[Place] = ()) -> State:
        """The event as it stands, or as it would without some of its results."""
        tournament = self.tournament
        return tournament.plays_by.state(
            self.entries,
            tournament.settings,
            [result for place, result in self.results.items() if place not in without],
            tournament.lot_seed,
        )

    def digest(self) -> str:
        """Changes with whatever may change the state or call for action."""
        is_paused = self.tournament.state == Tournament.State.PAUSED
        known: Any = (
            self.tournament.state,
            [(row.pk, row.departure, row.departure_stage) for row in self.rows],
            sorted(
                (link.match_id, is_finished(link), is_paused and link.match.status == Match.Status.QUEUED)
                for link in self.links.values()
            ),
            sorted((*place, forfeit.forfeits) for place, forfeit in self.forfeits.items()),
        )
        return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def split(ids: str) -> tuple[int, ...]:
    return tuple(int(one) for one in ids.split(","))


def is_finished(link: TournamentMatch) -> bool:
    return bool(link.match.status == Match.Status.FINISHED)


def advance(*, tournament_id: int) -> list[Match]:
    """Reckon a started event anew and make exactly the matches that it now asks for and that do not exist yet."""
    with transaction.atomic():
        tournament = locked(tournament_id)
        if not tournament.has_started or tournament.state == Tournament.State.CANCELLED:
            return []
        return bring_on(tournament)


def bring_on(tournament: Tournament) -> list[Match]:
    """The same for an event that is locked, has started and is not cancelled."""
    # What was made void elsewhere answers nothing any more.
    TournamentMatch.objects.filter(
        tournament=tournament, is_current=True, match__status=Match.Status.VOID
    ).update(is_current=False)
    book = Book(tournament)
    if tournament.digest == book.digest():
        return []
    state = book.state()
    turn(tournament, state)
    wanted = {(match.key, listed(match.entries)): match for match in state.to_play}
    for place, link in list(book.links.items()):
        is_held = tournament.state == Tournament.State.PAUSED and link.match.status == Match.Status.QUEUED
        if not is_finished(link) and (is_held or place not in wanted) and drop(link, unless_finished=True):
            del book.links[place]
    missing = [place for place in wanted if place not in book.links]
    made = []
    if tournament.state == Tournament.State.RUNNING:
        versions = Version.objects.in_bulk(
            [row.version_id for row in book.rows if row.version_id is not None]
        )
        version_of = {row.pk: versions[row.version_id] for row in book.rows if row.version_id is not None}
        for place in missing[:MAX_MADE]:
            book.links[place] = make(tournament, wanted[place], version_of)
            made.append(book.links[place].match)
    is_whole = tournament.state != Tournament.State.RUNNING or len(missing) <= MAX_MADE
    tournament.snapshot = as_json(state)
    tournament.winner_id = state.winner
    tournament.digest = book.digest() if is_whole else ""
    tournament.save(update_fields=["snapshot", "winner", "digest", "state", "finished_at"])
    if not is_whole:
        ring_tournament(tournament.pk)
    return made


def turn(tournament: Tournament, state: State) -> None:
    """End the event, or open it again when a result was taken back."""
    if state.is_finished and tournament.state != Tournament.State.FINISHED:
        tournament.state, tournament.finished_at = Tournament.State.FINISHED, timezone.now()
        record(tournament, TournamentRecord.Action.FINISHED)
    elif not state.is_finished and tournament.state == Tournament.State.FINISHED:
        tournament.state, tournament.finished_at = Tournament.State.RUNNING, None
        record(tournament, TournamentRecord.Action.REOPENED)


def make(tournament: Tournament, wanted: Wanted, version_of: dict[int, Version]) -> TournamentMatch:
    match = matches.create_match(
        versions=[version_of[who] for who in wanted.entries],
        preset=tournament.preset,
        deals=wanted.deals,
        limits=tournament.limits,
        embargo_until=tournament.embargo_until,
        embargo_viewer=tournament.organiser_id,
    )
    if tournament.ladder is not None and fits(tournament, tournament.ladder, len(wanted.entries)):
        LadderMatch.objects.create(ladder=tournament.ladder, match=match)
    ring_match(match)
    return TournamentMatch.objects.create(
        tournament=tournament, match=match, key=wanted.key, entries=listed(wanted.entries)
    )


def fits(tournament: Tournament, ladder: Ladder, seats: int) -> bool:
    """Whether matches at tables of this size can count for the ladder."""
    return (tournament.preset, seats, tournament.limits) == (ladder.preset, ladder.seats, ladder.limits)


def take_back(link: TournamentMatch) -> bool:
    """Free the match's place for another. It becomes void, but for one that has finished and counts for a ladder: who
    runs an event must not choose among rated results, so it stays rated. Whether it became void."""
    is_rated = LadderMatch.objects.filter(match=link.match_id).exists()
    if not is_rated:
        return drop(link)
    if drop(link, unless_finished=True):
        return True
    TournamentMatch.objects.filter(pk=link.pk).update(is_current=False)
    return False


def drop(link: TournamentMatch, *, unless_finished: bool = False) -> bool:
    """Make the match void and free its place. False, and nothing done, if it has finished meanwhile and that counts."""
    if not matches.void_match(match=link.match, unless_finished=unless_finished) and unless_finished:
        return False
    TournamentMatch.objects.filter(pk=link.pk).update(is_current=False)
    if LadderMatch.objects.filter(match=link.match_id).exists():
        ring_rating()
    return True
