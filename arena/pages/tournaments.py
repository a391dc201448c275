"""Tournaments: the list, a new one, the page of one, and taking part in it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from arena.formats import FORMATS
from arena.formats.results import pairing_of
from arena.models import Tournament, TournamentEntry, TournamentMatch
from arena.pages import brackets, parameters
from arena.pages.doors import MemberRequest, methods
from arena.pages.errors import NotThere
from arena.pages.tournament_forms import EmbargoForm, TournamentForm
from arena.selectors import tournaments as selectors
from arena.services import tournaments as services
from arena.services.tournaments import TournamentError
from arena.tournaments.exports import export_csv, export_json
from arena.tournaments.reading import matches_for, names_for, records_for, state_for
from bots.models import Bot
from matches.models import Match

OVER = {Tournament.State.FINISHED, Tournament.State.CANCELLED}


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
            "formats": [(name, _(each.title)) for name, each in FORMATS.items()],
            "chosen": {"state": state or "", "format": format or ""},
        },
    )


def get_tournament(pk: int) -> Tournament:
    tournament = selectors.described_tournaments().filter(pk=pk).first()
    if tournament is None:
        raise NotThere(_("There is no tournament %(number)s.") % {"number": pk})
    return tournament


def get_entry(request: HttpRequest, tournament: Tournament, pk: int) -> TournamentEntry:
    entry = tournament.entries.visible_to(request.user).with_names().filter(pk=pk).first()
    if entry is None:
        raise NotThere(_("There is no such entry in this tournament."))
    return entry


# A new one


@methods("GET", "POST")
def new(request: HttpRequest) -> HttpResponse:
    """Everybody may read the form and its estimate; creating needs an account."""
    if request.method != "POST":
        form = TournamentForm(
            initial={"format": parameters.choice(request, "format", list(FORMATS))} if request.GET else None
        )
        return _show_new(request, form)
    form = TournamentForm(request.POST)
    if "preview" in request.POST:
        return _show_new(request, form)
    if not request.user.is_authenticated:
        form.add_error(
            None, _("You are not logged in, so nothing was created. Log in, and send the form again.")
        )
        return _show_new(request, form, status=403)
    if form.is_valid():
        try:
            tournament = services.create_tournament(organiser=request.user, **form.terms())
        except TournamentError as error:
            form.refuse(problems_of(error))
        else:
            messages.success(request, _("The tournament is open for entries."))
            return redirect("tournament", pk=tournament.pk)
    return _show_new(request, form, status=422)


def problems_of(error: TournamentError) -> dict[str, str]:
    """Sentences by field; "" is for the whole."""
    return dict(error.fields) or {error.field or "": error.sentence}


def _show_new(request: HttpRequest, form: TournamentForm, *, status: int = 200) -> HttpResponse:
    context = {"form": form, **_estimated(form)}
    return render(request, "arena/tournament_new.html", context, status=status)


@methods("POST")
def estimate(request: HttpRequest) -> HttpResponse:
    """The estimate for what stands in the form so far."""
    return render(request, "arena/_tournament_estimate.html", _estimated(TournamentForm(request.POST)))


def _estimated(form: TournamentForm) -> dict[str, Any]:
    """What the chosen format would cost, or why that cannot be said."""
    chosen = FORMATS[form.chosen_format]
    n_entries: int | None = form.fields["n_entries"].initial
    settings: dict[str, Any] = {}
    problems: list[str] = []
    if form.is_bound:
        # Fields that have nothing to do with the estimate may still be empty.
        errors = form.errors
        n_entries = form.cleaned_data.get("n_entries")
        settings = form.settings()
        wanted = [name for name in errors if name == "n_entries" or name.startswith(f"{chosen.name}-")]
        problems = [f"{form[name].label}: {errors[name][0]}" for name in wanted]
    found = None
    if n_entries is not None and not problems:
        try:
            found = services.preview(format=chosen.name, settings=settings, n_entries=n_entries)
        except TournamentError as error:
            problems = list(problems_of(error).values())
    return {"estimate": found, "problems": problems, "format": chosen, "n_entries": n_entries}


# One


@methods("GET")
def tournament_page(request: HttpRequest, pk: int) -> HttpResponse:
    tournament = get_tournament(pk)
    is_run_by = tournament.is_run_by(request.user)
    return render(
        request,
        "arena/tournament.html",
        {
            **_drawn(request, tournament, _known(request, tournament)),
            "bots": selectors.enterable_bots(tournament, request.user) if tournament.is_open else [],
            "records": records_for(tournament, request.user)[::-1],
            "settings": _settings(tournament),
            "embargo_form": EmbargoForm(initial={"until": tournament.embargo_until}) if is_run_by else None,
        },
    )


@methods("GET")
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """The live part of the page, or nothing (204) where the reader has `seen` all of it; it asks for itself again until
    the event is over."""
    tournament = get_tournament(pk)
    known = _known(request, tournament)
    if request.GET.get("seen") == known["tag"]:
        response = HttpResponse(status=204)
    else:
        response = render(request, "arena/_tournament.html", _drawn(request, tournament, known))
    patch_cache_control(response, no_store=True)
    return response


def _known(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
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
    embargo = "secret" if tournament.is_embargoed else "open"
    return {
        "tournament": tournament,
        "entries": entries,
        "matches": matches,
        "n_entries": n_entries,
        "is_run_by": tournament.is_run_by(user),
        "is_over": tournament.state in OVER,
        "is_hidden": tournament.has_started and not is_shown,
        "counts": counts,
        "tag": "-".join(
            [tournament.state, tournament.digest[:16], embargo, *map(str, [n_entries, *counts.values()])]
        ),
    }


def _drawn(request: HttpRequest, tournament: Tournament, known: dict[str, Any]) -> dict[str, Any]:
    """The same with the state drawn, as far as the reader may see it."""
    state = state_for(tournament, request.user)
    if state is None:
        return known
    links: dict[str, list[brackets.Link]] = {}
    for key, found in known["matches"].items():
        extra = int(key.partition("+")[2] or 0)
        links.setdefault(pairing_of(key), []).extend(
            brackets.Link(one.match_id, one.match.status, extra, key) for one in found
        )
    entrants = entrants_of(known["entries"], names_for(tournament, request.user))
    drawings = brackets.drawings(state, entrants, links)
    return {
        **known,
        "drawings": drawings,
        # Who came how far says less than the bracket itself.
        "is_knockout": drawings[0].is_bracket,
        "standings": brackets.standings(state, entrants),
        "notes": [brackets.said(note) for note in state["notes"]],
        "winner": entrants.get(state["winner"]),
        "keys": _keys(state),
    }


def entrants_of(entries: list[TournamentEntry], names: dict[int, str]) -> dict[int, brackets.Entrant]:
    """Every entry of the draw, those that this person may not know of by their seed alone."""
    found = {pk: brackets.Entrant(id=pk, name=name, is_known=False) for pk, name in names.items()}
    for entry in entries:
        version = entry.version.number if entry.version else None
        found[entry.pk] = brackets.Entrant(entry.pk, names[entry.pk], entry.seed, version)
    return found


def _keys(state: dict[str, Any]) -> list[tuple[str, str]]:
    """Matches that are to be played or were, each with words to choose it by."""
    return [
        (key, f"{round['title']} · {pairing['number']}" + (f" ({key})" if "+" in key else ""))
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
            value = _(dict(setting.choices).get(value, value))
        found.append((_(setting.title), value, _(setting.explanation)))
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


# Taking part


@methods("POST")
@login_required
def enter(request: MemberRequest, pk: int) -> HttpResponse:
    tournament = get_tournament(pk)
    name = request.POST.get("bot", "")
    bot = Bot.objects.visible_to(request.user).filter(name__iexact=name).first()
    if bot is None:
        messages.error(request, _("Choose one of your bots that plays."))
        return redirect("tournament", pk=pk)
    return done(
        request,
        tournament,
        lambda: services.enter(tournament=tournament, bot=bot, by=request.user),
        _("%(bot)s is entered.") % {"bot": bot.name},
    )


def done(request: HttpRequest, tournament: Tournament, deed: Any, sentence: str) -> HttpResponse:
    """Do it, and say on the event's page that it is done or why it is not."""
    try:
        deed()
    except TournamentError as error:
        if error.code == "forbidden":
            raise PermissionDenied(error.sentence) from error
        messages.error(request, error.sentence)
    else:
        messages.success(request, sentence)
    return redirect("tournament", pk=tournament.pk)


def get_link(request: HttpRequest, tournament: Tournament, key: str) -> TournamentMatch:
    """The match that stands for this key now."""
    for each in matches_for(tournament, request.user).get(key, []):
        return each
    raise NotThere(_("This tournament has no such match now."))
