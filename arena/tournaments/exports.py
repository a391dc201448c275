"""An event as a file: all of it as JSON, its standings as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from arena.tournaments.models import Tournament, TournamentEntry, TournamentMatch
from arena.tournaments.reading import counting, matches_for, names_for, state_for

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

# What spreadsheets take for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def export_json(tournament: Tournament, user: User | AnonymousUser) -> dict[str, Any]:
    """Terms, entries, matches and the state as it stands, as far as this person may see them."""
    names = names_for(tournament, user)
    entries = TournamentEntry.objects.filter(tournament=tournament).select_related("version")
    visible = set(entries.visible_to(user).values_list("pk", flat=True))
    links: list[TournamentMatch] = [
        link for found in matches_for(tournament, user).values() for link in found
    ]
    state = state_for(tournament, user)
    count = counting(state, links)
    return {
        "id": tournament.pk,
        "name": tournament.name,
        "state": tournament.state,
        "format": tournament.format,
        "settings": tournament.settings,
        "preset": tournament.preset,
        "limits": tournament.limits.as_dict(),
        "seeding": tournament.seeding,
        "lot_commitment": tournament.lot_commitment,
        "lot_seed": tournament.published_lot_seed,
        "created_at": stamp(tournament.created_at),
        "started_at": stamp(tournament.started_at),
        "finished_at": stamp(tournament.finished_at),
        "entries": [
            {
                "id": entry.pk,
                "seed": entry.seed,
                "rating": entry.rating,
                "bot": names[entry.pk],
                "version": entry.version.number if entry.version and entry.pk in visible else None,
                "sha256": entry.version.sha256 if entry.version and entry.pk in visible else None,
                "departure": entry.departure,
            }
            for entry in entries
        ],
        "matches": [
            {
                "key": link.key,
                "entries": list(link.entry_ids),
                "match": link.match_id,
                "status": link.match.status,
                "counts": link.match_id in count,
            }
            for link in sorted(links, key=lambda link: link.match_id)
        ],
        "result": state,
    }


def stamp(time: Any) -> str | None:
    return time.isoformat() if time is not None else None


def export_csv(tournament: Tournament, user: User | AnonymousUser) -> str:
    """The standings, a row an entry: place, bot, seed, status, and a column for each criterion."""
    state = state_for(tournament, user) or {"criteria": [], "standings": []}
    names = names_for(tournament, user)
    seeds = dict(TournamentEntry.objects.filter(tournament=tournament).values_list("pk", "seed"))
    text = io.StringIO()
    writer = csv.writer(text)
    titles = [criterion["title"] for criterion in state["criteria"]]
    writer.writerow(["place", "place_to", "bot", "seed", "status", *map(guarded, titles)])
    for row in state["standings"]:
        who = row["entry"]
        values = [guarded(value) for value in row["values"]]
        writer.writerow(
            [row["place"], row["place_to"], guarded(names[who]), seeds[who], guarded(row["status"]), *values]
        )
    return text.getvalue()


def guarded(value: Any) -> Any:
    """A text that no spreadsheet takes for a formula. Numbers stay what they are."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
