"""What organisers do to their tournament, and owners to their entry: by POST alone, what cannot be undone after a page
that asks first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest, PermissionDenied
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.models import LadderMatch, Tournament, TournamentMatch
from arena.pages.doors import MemberRequest, methods
from arena.pages.errors import NotThere
from arena.pages.tournament_forms import EmbargoForm, ForfeitForm, OrderForm, ReasonForm
from arena.pages.tournaments import done, get_entry, get_tournament, run_by
from arena.selectors.tournaments import entries_of
from arena.services import tournaments as services
from arena.services.tournaments import TournamentError
from arena.tournaments.reading import counting, matches_for, names_for, state_for
from arena.tournaments.words import words
from matches.models import Match

DEEDS: dict[str, Callable[..., object]] = {
    "start": services.start_tournament,
    "pause": services.pause,
    "resume": services.resume,
}
SAID = {
    "start": gettext_lazy("The tournament has started."),
    "pause": gettext_lazy("The tournament is paused: no new match starts."),
    "resume": gettext_lazy("The tournament goes on."),
}


def ask(
    request: HttpRequest,
    tournament: Tournament,
    *,
    title: str,
    sentences: list[str],
    button: str,
    form: Form | None = None,
    is_final: bool = False,
) -> HttpResponse:
    """A page that says what will happen and asks whether it should; 422 with a form that was not filled in right. What
    cannot be taken back has a button that looks so."""
    context: dict[str, Any] = {
        "tournament": tournament,
        "title": title,
        "sentences": sentences,
        "button": button,
        "form": form,
        "is_final": is_final,
    }
    return render(
        request, "arena/tournament_confirm.html", context, status=422 if form and form.errors else 200
    )


@methods("POST")
@login_required
def simple(request: MemberRequest, pk: int, action: str) -> HttpResponse:
    """Start, pause or resume."""
    tournament = run_by(request, pk)
    return done(
        request, tournament, lambda: DEEDS[action](tournament=tournament, by=request.user), str(SAID[action])
    )


@methods("POST")
@login_required
def embargo(request: MemberRequest, pk: int) -> HttpResponse:
    tournament = run_by(request, pk)
    form = EmbargoForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"{form['until'].label}: {form.errors['until'][0]}")
        return redirect("tournament", pk=pk)
    until = form.cleaned_data["until"]
    return done(
        request,
        tournament,
        lambda: services.change_embargo(tournament=tournament, until=until, by=request.user),
        _("The embargo is changed."),
    )


@methods("GET", "POST")
@login_required
def cancel(request: MemberRequest, pk: int) -> HttpResponse:
    tournament = run_by(request, pk)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        return done(
            request,
            tournament,
            lambda: services.cancel(tournament=tournament, by=request.user, reason=reason),
            _("The tournament is cancelled."),
        )
    return ask(
        request,
        tournament,
        title=_("Cancel the tournament"),
        sentences=[
            _("Matches that are not finished become void; nobody wins. A cancelled tournament cannot go on.")
        ],
        button=_("Cancel the tournament"),
        form=form,
        is_final=True,
    )


@methods("GET", "POST")
@login_required
def rewind(request: MemberRequest, pk: int) -> HttpResponse:
    tournament = run_by(request, pk)
    key = request.POST.get("round") or request.GET.get("round", "")
    title = next((title for found, title in rounds_of(tournament) if found == key), None)
    if title is None:
        raise BadRequest(_("This tournament has no such round."))
    if request.method == "POST":
        return done(
            request,
            tournament,
            lambda: services.rewind(tournament=tournament, round=key, by=request.user),
            _("%(round)s is rewound; the tournament is paused. Resume it to play the round again.")
            % {"round": title},
        )
    try:
        n = len(services.rewind_preview(tournament=tournament, round=key))
    except TournamentError as error:
        messages.error(request, error.sentence)
        return redirect("tournament", pk=pk)
    return ask(
        request,
        tournament,
        title=_("Rewind: %(round)s") % {"round": title},
        sentences=[
            ngettext(
                "%(n)d match is taken back and played again, with another seed.",
                "%(n)d matches are taken back and played again, with other seeds.",
                n,
            )
            % {"n": n},
            _("Finished matches stay rated on the ladder; others become void.")
            if tournament.ladder is not None
            else _("Matches that are taken back are void."),
            _(
                "All rounds that follow from this one are drawn anew. The tournament is paused until you resume it."
            ),
        ],
        button=_("Rewind this round"),
    )


def rounds_of(tournament: Tournament) -> list[tuple[str, str]]:
    """Keys and titles of the rounds as they are drawn now."""
    parts = tournament.snapshot["parts"] if tournament.snapshot else []
    return [(round["key"], words(round["title"])) for part in parts for round in part["rounds"]]


@methods("GET", "POST")
@login_required
def rerun(request: MemberRequest, pk: int) -> HttpResponse:
    tournament = run_by(request, pk)
    link = get_link(request, tournament, request.POST.get("key") or request.GET.get("key", ""))
    is_finished = link.match.status == Match.Status.FINISHED
    is_rated = is_finished and LadderMatch.objects.filter(match=link.match_id).exists()
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        return done(
            request,
            tournament,
            lambda: services.rerun(link=link, by=request.user, reason=reason),
            _("Match %(n)s is played again.") % {"n": link.match_id},
        )
    return ask(
        request,
        tournament,
        title=_("Play match %(n)s again") % {"n": link.match_id},
        sentences=[
            _(
                "Another match with a new seed takes its place. Its result stays rated on the ladder: nobody may "
                "choose among rated results. An operator can make it void."
            )
            if is_rated
            else _("The match becomes void and counts for nobody; another with a new seed takes its place."),
            _("What follows from its result is reckoned anew."),
        ],
        button=_("Play it again"),
        form=form,
    )


def get_link(request: HttpRequest, tournament: Tournament, key: str) -> TournamentMatch:
    """The match that stands for this key now."""
    links = matches_for(tournament, request.user).get(key, [])
    count = counting(state_for(tournament, request.user), links)
    for link in links:
        if link.match_id in count:
            return link
    raise NotThere(_("This tournament has no such match now."))


@methods("GET", "POST")
@login_required
def forfeit(request: MemberRequest, pk: int) -> HttpResponse:
    tournament = run_by(request, pk)
    key = request.POST.get("key") or request.GET.get("key", "")
    names = names_for(tournament, request.user)
    choices = [(who, names[who]) for who in entries_at(tournament, key)]
    if not choices:
        raise NotThere(_("This tournament has no such match now."))
    form = ForfeitForm(request.POST if request.method == "POST" else None, choices=choices)
    if request.method == "POST" and form.is_valid():
        forfeits = form.cleaned_data["forfeits"]
        return done(
            request,
            tournament,
            lambda: services.forfeit(tournament=tournament, key=key, forfeits=forfeits, by=request.user),
            _("The forfeit is decided."),
        )
    return ask(
        request,
        tournament,
        title=_("Decide a forfeit"),
        sentences=[_("Your decision takes the place of the result. If everybody forfeits, nobody wins.")],
        button=_("Decide"),
        form=form,
    )


def entries_at(tournament: Tournament, key: str) -> list[int]:
    """Who is at the match of this key now."""
    parts = tournament.snapshot["parts"] if tournament.snapshot else []
    for part in parts:
        for round in part["rounds"]:
            for pairing in round["pairings"]:
                keys = [*pairing["played"], *(match["key"] for match in pairing["matches"])]
                if key in keys:
                    return [slot["entry"] for slot in pairing["slots"] if slot["entry"] is not None]
    return []


@methods("GET", "POST")
@login_required
def seeds(request: MemberRequest, pk: int) -> HttpResponse:
    tournament = run_by(request, pk)
    entries = [(entry.pk, entry.bot.name) for entry in entries_of(tournament, request.user)]
    form = OrderForm(request.POST if request.method == "POST" else None, entries=entries)
    if request.method == "POST" and form.is_valid():
        order = form.order()
        return done(
            request,
            tournament,
            lambda: services.order_by_hand(tournament=tournament, order=order, by=request.user),
            _("The seeds are set."),
        )
    return ask(
        request,
        tournament,
        title=_("Seeds by hand"),
        sentences=[_("Seed 1 is the strongest. Bots that enter later follow behind.")],
        button=_("Set the seeds"),
        form=form,
    )


@methods("GET", "POST")
@login_required
def withdraw(request: MemberRequest, pk: int, entry: int) -> HttpResponse:
    tournament = get_tournament(pk)
    found = get_entry(request, tournament, entry)
    if found.bot.owner_id != request.user.pk and not tournament.is_run_by(request.user):
        raise PermissionDenied(_("This bot is not yours."))
    if request.method == "POST":
        return done(
            request,
            tournament,
            lambda: services.leave(entry=found, by=request.user),
            _("%(bot)s is withdrawn.") % {"bot": found.bot.name},
        )
    return ask(
        request,
        tournament,
        title=_("Withdraw %(bot)s") % {"bot": found.bot.name},
        sentences=[
            _("It forfeits what it is drawn for and is drawn for nothing more. It cannot come back.")
            if tournament.has_started
            else _("Until registration closes it can be entered again.")
        ],
        button=_("Withdraw"),
        is_final=tournament.has_started,
    )


@methods("GET", "POST")
@login_required
def disqualify(request: MemberRequest, pk: int, entry: int) -> HttpResponse:
    tournament = run_by(request, pk)
    found = get_entry(request, tournament, entry)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        return done(
            request,
            tournament,
            lambda: services.disqualify(entry=found, by=request.user, reason=reason),
            _("%(bot)s is disqualified.") % {"bot": found.bot.name},
        )
    return ask(
        request,
        tournament,
        title=_("Disqualify %(bot)s") % {"bot": found.bot.name},
        sentences=[
            _("It forfeits what it is drawn for and stands last; others move up. This cannot be undone.")
            if tournament.has_started
            else _("It is out, and cannot be entered again. This cannot be undone.")
        ],
        button=_("Disqualify"),
        form=form,
        is_final=True,
    )
