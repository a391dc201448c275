"""Tournaments for their list, and what the page of one names: entries, and the bots that may be entered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Q, QuerySet

from arena.models import Tournament, TournamentEntry
from bots.models import Bot

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PAGE_SIZE = 30
N_ENTRIES = Count("entries", filter=Q(entries__departure=""))
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


def described_tournaments() -> QuerySet[Tournament]:
    """Tournaments with everything that a page names of them."""
    return Tournament.objects.select_related("organiser", "ladder", "seeding_ladder")


def tournament_page(
    *,
    user: User | AnonymousUser,
    state: str | None = None,
    format: str | None = None,
    before: int | None = None,
    size: int = PAGE_SIZE,
) -> Page:
    """Tournaments older than `before`; by id, so that nothing is counted or skipped."""
    found = Tournament.objects.for_lists().annotate(n_entries=N_ENTRIES)
    if state is not None:
        found = found.filter(state=state)
    if format is not None:
        found = found.filter(format=format)
    if before is not None:
        found = found.filter(pk__lt=before)
    rows = list(found.order_by("-pk")[: size + 1])
    return Page(
        [Row(each, each.n_entries, each.winner_for(user)) for each in rows[:size]],
        rows[size - 1].pk if len(rows) > size else None,
    )


def entries_of(tournament: Tournament, user: User | AnonymousUser) -> list[TournamentEntry]:
    """Entries that this person may know of: by seed, before there are seeds by the organiser's order or entering."""
    entries = tournament.entries.visible_to(user).with_names()
    return sorted(
        entries, key=lambda entry: (entry.seed or entry.place_by_hand or len(entries) + 1, entry.pk)
    )


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
