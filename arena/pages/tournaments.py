"""Tournaments: the list, and the page of one with all that is drawn on it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from arena.formats import FORMATS
from arena.formats.results import pairing_of
from arena.models import Tournament, TournamentEntry, TournamentMatch
from arena.pages import brackets, parameters
from arena.pages.doors import methods, refuse
from arena.pages.errors import NotThere
from arena.pages.tournament_forms import EmbargoForm
from arena.selectors import tournaments as selectors
from arena.services.tournaments import TournamentError
from arena.tournaments.exports import export_csv, export_json
from arena.tournaments.reading import counting, matches_for, names_for, records_for, state_for
from arena.tournaments.words import said, words
from matches.models import Match

LATEST_RECORDS = 50


@methods("GET")
def tournament_list(request: HttpRequest) -> HttpResponse:
    state = parameters.choice(request, "state", Tournament.State.values)
    format = parameters.choice(request, "format", list(FORMATS))
    page = selectors.tournament_page(
        user=request.user, state=state, format=format, before=parameters.number(request, "before")
    )
    return render(
        request,
        "arena/tournaments.html",
        {
            "page": page,
            "states": Tournament.State.choices,
            "formats": [(name, words(each.title)) for name, each in FORMATS.items()],
            "chosen": {"state": state or "", "format": format or ""},
        },
    )


def get_tournament(pk: int) -> Tournament:
    tournament = selectors.described_tournament(pk)
    if tournament is None:
        raise NotThere(_("There is no tournament %(number)s.") % {"number": pk})
    return tournament


def get_entry(request: HttpRequest, tournament: Tournament, pk: int) -> TournamentEntry:
    entry = tournament.entries.visible_to(request.user).with_names().filter(pk=pk).first()
    if entry is None:
        raise NotThere(_("There is no such entry in this tournament."))
    return entry


def run_by(request: HttpRequest, pk: int) -> Tournament:
    """The tournament, if this person runs it; else 403."""
    tournament = get_tournament(pk)
    if not tournament.is_run_by(request.user):
        raise PermissionDenied(_("Only the organiser of a tournament and operators decide about it."))
    return tournament


def done(request: HttpRequest, tournament: Tournament, deed: Any, sentence: str) -> HttpResponse:
    """Do it, and say on the event's page that it is done or why it is not."""
    try:
        deed()
    except TournamentError as error:
        refuse(request, error)
    else:
        messages.success(request, sentence)
    return redirect("tournament", pk=tournament.pk)


# One


@methods("GET")
def tournament_page(request: HttpRequest, pk: int) -> HttpResponse:
    tournament = get_tournament(pk)
    is_run_by = tournament.is_run_by(request.user)
    records = records_for(tournament, request.user, latest=LATEST_RECORDS + 1)
    return render(
        request,
        "arena/tournament.html",
        {
            **drawn(request, tournament, known(request, tournament)),
            "bots": selectors.enterable_bots(tournament, request.user) if tournament.is_open else [],
            "records": records[: -LATEST_RECORDS - 1 : -1],
            "has_more_records": len(records) > LATEST_RECORDS,
            "settings": _settings(tournament),
            "embargo_form": EmbargoForm(initial={"until": tournament.embargo_until}) if is_run_by else None,
        },
    )


@methods("GET")
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """The live part of the page, or nothing (204) where the reader has `seen` all of it; it asks for itself again until
    the event is over."""
    tournament = get_tournament(pk)
    context = known(request, tournament)
    if request.GET.get("seen") == context["tag"]:
        response = HttpResponse(status=204)
    else:
        response = render(request, "arena/_tournament.html", drawn(request, tournament, context))
    patch_cache_control(response, no_store=True)
    return response


def known(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """What the live part shows but for the drawn state; `tag` changes with whatever it shows."""
    user = request.user
    entries = selectors.entries_of(tournament, user)
    is_shown = tournament.has_started and tournament.shows_results_to(user)
    matches = matches_for(tournament, user) if is_shown else {}
    statuses = [one.match.status for found in matches.values() for one in found]
    counts = {
        "finished": statuses.count(Match.Status.FINISHED),
        "running": statuses.count(Match.Status.RUNNING),
        "queued": statuses.count(Match.Status.QUEUED),
        "parked": statuses.count(Match.Status.PARKED),
    }
    n_entries = sum(not entry.has_left for entry in entries)
    # To whom results are not shown it is not shown either that one has come.
    embargo = "secret" if tournament.is_embargoed else "open"
    digest = tournament.digest[:16] if is_shown else ""
    return {
        "tournament": tournament,
        "entries": entries,
        "matches": matches,
        "n_entries": n_entries,
        "mine": [entry for entry in entries if entry.bot.owner_id == user.pk],
        "is_run_by": tournament.is_run_by(user),
        "is_over": tournament.is_over,
        "is_hidden": tournament.has_started and not is_shown,
        "counts": counts,
        "tag": "-".join(
            [tournament.state, digest, embargo, *map(str, [len(entries), n_entries, *counts.values()])]
        ),
    }


def drawn(request: HttpRequest, tournament: Tournament, context: dict[str, Any]) -> dict[str, Any]:
    """The same with the state drawn, as far as the reader may see it."""
    if not tournament.has_started or context["is_hidden"]:
        return context
    names = names_for(tournament, request.user)
    state = state_for(tournament, request.user, names)
    if state is None:
        return context
    matches: dict[str, list[TournamentMatch]] = context["matches"]
    count = counting(state, [one for found in matches.values() for one in found])
    links: dict[str, list[brackets.Link]] = {}
    for key, found in matches.items():
        extra = int(key.partition("+")[2] or 0)
        links.setdefault(pairing_of(key), []).extend(
            brackets.Link(one.match_id, one.match.status, extra, key)
            for one in found
            if one.match_id in count
        )
    entrants = entrants_of(context["entries"], names)
    drawings = brackets.drawings(state, entrants, links)
    return {
        **context,
        "drawings": drawings,
        # Who came how far says less than the bracket itself.
        "is_knockout": drawings[0].is_bracket,
        "standings": brackets.standings(state, entrants),
        "notes": [said(note) for note in state["notes"]],
        "winner": entrants.get(state["winner"]),
        "keys": _keys(state, {who: entrant.name for who, entrant in entrants.items()}),
    }


def entrants_of(entries: list[TournamentEntry], names: dict[int, str]) -> dict[int, brackets.Entrant]:
    """Every entry of the draw, those that this person may not know of by their seed alone."""
    found = {pk: brackets.Entrant(id=pk, name=name, is_known=False) for pk, name in names.items()}
    for entry in entries:
        version = entry.version.number if entry.version else None
        found[entry.pk] = brackets.Entrant(entry.pk, names[entry.pk], entry.seed, version)
    return found


def _keys(state: dict[str, Any], names: dict[int, str]) -> list[tuple[str, str]]:
    """Matches that are to be played or were, each with words to choose it by."""

    def label(round: dict[str, Any], pairing: dict[str, Any], key: str) -> str:
        who = ", ".join(names[slot["entry"]] for slot in pairing["slots"] if slot["entry"] is not None)
        extra = f" ({key})" if "+" in key else ""
        return f"{words(round['title'])} · {pairing['number']}: {who}{extra}"

    return [
        (key, label(round, pairing, key))
        for part in state["parts"]
        for round in part["rounds"]
        for pairing in round["pairings"]
        for key in [*pairing["played"], *(match["key"] for match in pairing["matches"])]
    ]


def _settings(tournament: Tournament) -> list[tuple[str, Any, str]]:
    """The format's settings: title, value in words, explanation."""
    found = []
    for setting in tournament.plays_by.settings:
        value = tournament.settings.get(setting.name, setting.default)
        if setting.kind == "switch":
            value = _("yes") if value else _("no")
        elif setting.kind == "choice":
            value = words(dict(setting.choices).get(value, value))
        found.append((words(setting.title), value, words(setting.explanation)))
    return found


@methods("GET")
def export(request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    """All that this person may see of the event as JSON, or its standings as CSV."""
    tournament = get_tournament(pk)
    if kind == "json":
        response: HttpResponse = JsonResponse(export_json(tournament, request.user))
    else:
        response = HttpResponse(export_csv(tournament, request.user), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="tournament-{tournament.pk}.{kind}"'
    return response
