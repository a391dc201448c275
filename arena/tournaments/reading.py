"""What may be read of an event: the state that is kept in its snapshot, with names put in as they are now."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from arena.tournaments.models import Tournament, TournamentEntry, TournamentMatch
from bots.models import Bot
from matches.models import Match

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PLACEHOLDER = re.compile("‹([0-9]+)›")


def names_for(tournament: Tournament, user: User | AnonymousUser) -> dict[int, str]:
    """Names of bots by entry; a bot that this person may not know of is called by its seed."""
    visible = set(
        Bot.objects.visible_to(user)
        .filter(tournament_entries__tournament=tournament)
        .values_list("pk", flat=True)
    )
    return {
        entry.pk: entry.bot.name if entry.bot_id in visible else f"seed {entry.seed}"
        for entry in TournamentEntry.objects.filter(tournament=tournament).select_related("bot")
    }


def state_for(tournament: Tournament, user: User | AnonymousUser) -> dict[str, Any] | None:
    """The state as `arena.formats.as_json` gives it; None before the start, and under an embargo for most."""
    if tournament.snapshot is None or not tournament.shows_results_to(user):
        return None
    state: dict[str, Any] = named(tournament.snapshot, names_for(tournament, user))
    return state


def named(value: Any, names: Mapping[int, str]) -> Any:
    """The same with names for entries' placeholders, in all texts."""
    if isinstance(value, dict):
        return {key: named(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [named(one, names) for one in value]
    if isinstance(value, str) and "‹" in value:
        return PLACEHOLDER.sub(lambda found: names.get(int(found[1]), ""), value)
    return value


def matches_for(tournament: Tournament, user: User | AnonymousUser) -> dict[str, list[TournamentMatch]]:
    """The event's matches that are not void, by their keys."""
    links = TournamentMatch.objects.filter(
        tournament=tournament, is_current=True, match__in=Match.objects.visible_to(user)
    )
    found = defaultdict(list)
    for link in links.select_related("match").defer("match__seed"):
        found[link.key].append(link)
    return dict(found)
