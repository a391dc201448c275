"""A new tournament, and a change of its terms before it starts: the form with its estimate."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from arena.formats import FORMATS
from arena.models import Tournament
from arena.pages import parameters
from arena.pages.doors import MemberRequest, methods
from arena.pages.tournament_forms import TournamentForm
from arena.pages.tournaments import run_by
from arena.services import tournaments as services
from arena.services.tournaments import TournamentError
from arena.tournaments.words import words
from arena.tries import may_try


@methods("GET", "POST")
def new(request: HttpRequest) -> HttpResponse:
    """Everybody may read the form and its estimate; creating needs an account."""
    if request.method != "POST":
        form = TournamentForm(
            initial={"format": parameters.choice(request, "format", list(FORMATS))} if request.GET else None
        )
        return show(request, form)
    form = TournamentForm(request.POST)
    if "preview" in request.POST:
        return show(request, form)
    if not request.user.is_authenticated:
        form.add_error(
            None, _("You are not logged in, so nothing was created. Log in, and send the form again.")
        )
        return show(request, form, status=403)
    if form.is_valid():
        try:
            tournament = services.create_tournament(organiser=request.user, **form.terms())
        except TournamentError as error:
            form.refuse(problems_of(error))
        else:
            messages.success(request, _("The tournament is open for entries."))
            return redirect("tournament", pk=tournament.pk)
    return show(request, form, status=422)


@methods("GET", "POST")
@login_required
def edit(request: MemberRequest, pk: int) -> HttpResponse:
    """The terms of an event that has not started."""
    tournament = run_by(request, pk)
    if tournament.state != Tournament.State.REGISTRATION:
        messages.error(request, _("The terms of a tournament are fixed once it has started."))
        return redirect("tournament", pk=pk)
    if request.method != "POST":
        return show(request, TournamentForm.of(tournament), tournament=tournament)
    form = TournamentForm(request.POST)
    if "preview" in request.POST:
        return show(request, form, tournament=tournament)
    if form.is_valid():
        try:
            services.edit_tournament(tournament=tournament, by=request.user, **form.terms())
        except TournamentError as error:
            form.refuse(problems_of(error))
        else:
            messages.success(request, _("The terms are changed; the record says how."))
            return redirect("tournament", pk=pk)
    return show(request, form, tournament=tournament, status=422)


def problems_of(error: TournamentError) -> dict[str, str]:
    """Sentences by field; "" is for the whole."""
    return dict(error.fields) or {error.field or "": error.sentence}


def show(
    request: HttpRequest, form: TournamentForm, *, tournament: Tournament | None = None, status: int = 200
) -> HttpResponse:
    context = {"form": form, "tournament": tournament, **estimated(request, form)}
    return render(request, "arena/tournament_new.html", context, status=status)


@methods("POST")
def estimate(request: HttpRequest) -> HttpResponse:
    """The estimate for what stands in the form so far."""
    return render(
        request, "arena/_tournament_estimate.html", estimated(request, TournamentForm(request.POST))
    )


def estimated(request: HttpRequest, form: TournamentForm) -> dict[str, Any]:
    """What the chosen format would cost, or why that cannot be said."""
    chosen = FORMATS[form.chosen_format]
    n_entries: int | None = form.get_initial_for_field(form.fields["n_entries"], "n_entries")
    settings: dict[str, Any] = form.initial_settings()
    problems: list[str] = []
    if form.is_bound:
        # Fields that have nothing to do with the estimate may still be empty.
        errors = form.errors
        n_entries = form.cleaned_data.get("n_entries")
        settings = form.settings()
        wanted = [name for name in errors if name == "n_entries" or name.startswith(f"{chosen.name}-")]
        problems = [f"{form[name].label}: {errors[name][0]}" for name in wanted]
        if not problems and not may_try(request, action="estimate"):
            problems = [_("Too many estimates were asked for from your address. Wait a minute.")]
    found = None
    if n_entries is not None and not problems:
        try:
            found = services.preview(format=chosen.name, settings=settings, n_entries=n_entries)
        except TournamentError as error:
            problems = list(problems_of(error).values())
    return {
        "estimate": found,
        "assumptions": [words(sentence) for sentence in found.assumptions] if found else [],
        "problems": problems,
        "format": chosen,
        "n_entries": n_entries,
    }
