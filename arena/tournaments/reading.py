"""What may be read of an event: the state that is kept in its snapshot, with names put in as they are now."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet

from arena.statements import statement
from arena.tournaments.models import Tournament, TournamentEntry, TournamentMatch, TournamentRecord
from bots.models import Bot

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PLACEHOLDER = re.compile("‹bot ([0-9]+)›")


def names_for(tournament: Tournament, user: User | AnonymousUser) -> dict[int, str]:
    """Names of bots by entry; a bot that this person may not know of is called by its seed."""
    visible = dict(_visible_names(tournament.pk, user))
    return {
        pk: visible.get(pk, f"seed {seed}" if seed else "…") for pk, seed, _bot in _entries(tournament.pk)
    }


@statement
def _visible_names(tournament: int, user: User | AnonymousUser) -> QuerySet[TournamentEntry, tuple[int, str]]:
    entries = TournamentEntry.objects.filter(tournament=tournament).visible_to(user)
    return entries.values_list("pk", "bot__name")


@statement
def _entries(tournament: int) -> QuerySet[TournamentEntry, tuple[int, int | None, int]]:
    return TournamentEntry.objects.filter(tournament=tournament).values_list("pk", "seed", "bot")


def state_for(
    tournament: Tournament, user: User | AnonymousUser, names: Mapping[int, str] | None = None
) -> dict[str, Any] | None:
    """The state as `arena.formats.as_json` gives it; None before the start, and under an embargo for most. `names` as
    `names_for` gives them are read where they are not given."""
    if tournament.snapshot is None or not tournament.shows_results_to(user):
        return None
    names = names_for(tournament, user) if names is None else names
    of_bots = {bot: names[pk] for pk, _seed, bot in _entries(tournament.pk)}
    state: dict[str, Any] = named(tournament.snapshot, of_bots)
    return state


def records_for(
    tournament: Tournament, user: User | AnonymousUser, *, latest: int | None = None
) -> list[TournamentRecord]:
    """What was done to the event, in order, with names in `detail`; it says nothing to whom results are not shown.
    All of it, or so many of the latest: an organiser may pause and resume any number of times."""
    records = _records(tournament.pk, latest=latest)[::-1]
    mentioned = {int(bot) for record in records for bot in PLACEHOLDER.findall(record.detail)}
    names = dict(Bot.objects.visible_to(user).filter(pk__in=mentioned).values_list("pk", "name"))
    is_shown = tournament.shows_results_to(user)
    for record in records:
        record.detail = named(record.detail, names) if is_shown else ""
    return records


@statement
def _records(tournament: int, *, latest: int | None) -> QuerySet[TournamentRecord]:
    """The newest first."""
    records = TournamentRecord.objects.filter(tournament=tournament).select_related("by").order_by("-pk")
    return records if latest is None else records[:latest]


def named(value: Any, names: Mapping[int, str]) -> Any:
    """The same with names for bots' placeholders, in all texts."""
    if isinstance(value, dict):
        return {key: named(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [named(one, names) for one in value]
    if isinstance(value, str) and "‹" in value:
        return PLACEHOLDER.sub(lambda found: names.get(int(found[1]), "…"), value)
    return value


def counting(state: dict[str, Any] | None, links: Iterable[TournamentMatch]) -> set[int]:
    """The ids of the matches that count, or that the event waits for; one between others than are paired now answers
    nothing."""
    if state is None:
        return set()
    places = {(key, tuple(entries)) for key, entries in state["used"]}
    places |= {(match["key"], tuple(sorted(match["entries"]))) for match in state["to_play"]}
    return {link.match_id for link in links if (link.key, link.entry_ids) in places}


def matches_for(tournament: Tournament, user: User | AnonymousUser) -> dict[str, list[TournamentMatch]]:
    """The event's matches that have not been taken back, by their keys."""
    found = defaultdict(list)
    for link in _current_matches(tournament.pk, user):
        found[link.key].append(link)
    return dict(found)


@statement
def _current_matches(tournament: int, user: User | AnonymousUser) -> QuerySet[TournamentMatch]:
    links = TournamentMatch.objects.filter(tournament=tournament, is_current=True).visible_to(user)
    return links.select_related("match").defer("match__seed")
