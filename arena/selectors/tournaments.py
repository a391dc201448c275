"""Tournaments for their list, and what the page of one names: entries, and the bots that may be entered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from arena.models import Tournament, TournamentEntry
from arena.statements import statement
from bots.models import Bot

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PAGE_SIZE = 30
# Joined and grouped, a list would take the database ten times as long to plan as to read.
N_ENTRIES = Coalesce(
    Subquery(
        TournamentEntry.objects.filter(tournament=OuterRef("pk"), departure="")
        .order_by()
        .values("tournament")
        .values(n=Count("pk"))
    ),
    0,
)
"""How many are entered and have not left."""


@dataclass(frozen=True, slots=True)
class Row:
    """A tournament with the bot that has won, as far as the reader may know."""

    tournament: Tournament
    n_entries: int
    winner: Bot | None


@dataclass(frozen=True, slots=True)
class Page:
    """Newest first. `older` is the id to ask for before, None where there is nothing."""

    rows: list[Row]
    older: int | None


def described_tournament(pk: int) -> Tournament | None:
    """With everything that a page names of it."""
    return next(iter(_described(pk)), None)


@statement
def _described(pk: int) -> QuerySet[Tournament]:
    return Tournament.objects.filter(pk=pk).select_related("organiser", "ladder", "seeding_ladder")


def tournament_page(
    *,
    user: User | AnonymousUser,
    state: str | None = None,
    format: str | None = None,
    before: int | None = None,
    size: int = PAGE_SIZE,
) -> Page:
    """Tournaments older than `before`; by id, so that nothing is counted or skipped."""
    rows = _page(before, state=state, format=format, size=size + 1)
    return Page(
        [Row(each, each.n_entries, each.winner_for(user)) for each in rows[:size]],
        rows[size - 1].pk if len(rows) > size else None,
    )


@statement
def _page(before: int | None, *, state: str | None, format: str | None, size: int) -> QuerySet[Any, Any]:
    found = Tournament.objects.for_lists().annotate(n_entries=N_ENTRIES)
    if state is not None:
        found = found.filter(state=state)
    if format is not None:
        found = found.filter(format=format)
    if before is not None:
        found = found.filter(pk__lt=before)
    return found.order_by("-pk")[:size]


def entries_of(tournament: Tournament, user: User | AnonymousUser) -> list[TournamentEntry]:
    """Entries that this person may know of: by seed, before there are seeds by the organiser's order or entering."""
    entries = _entries(tournament.pk, user)
    for entry in entries:
        entry.tournament = tournament
    return sorted(
        entries, key=lambda entry: (entry.seed or entry.place_by_hand or len(entries) + 1, entry.pk)
    )


@statement
def _entries(tournament: int, user: User | AnonymousUser) -> QuerySet[TournamentEntry]:
    entries = TournamentEntry.objects.filter(tournament=tournament).visible_to(user)
    return entries.with_names().defer("version__report")


def enterable_bots(tournament: Tournament, user: User | AnonymousUser) -> list[Bot]:
    """The bots that play, are not entered yet and that this person may enter: owners theirs, organisers those of the
    house too, operators all."""
    if not user.is_authenticated:
        return []
    whose = Q(owner=user)
    if user.has_perm("arena.change_tournament"):
        whose = Q()
    elif tournament.is_run_by(user):
        whose |= Q(is_house=True)
    entered = TournamentEntry.objects.filter(tournament=tournament).values("bot")
    return list(
        Bot.objects.visible_to(user)
        .filter(whose, current_version__isnull=False)
        .exclude(pk__in=entered)
        .order_by("is_house", "name")
    )
