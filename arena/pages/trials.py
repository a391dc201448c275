"""Trials: their list, the page of one, starting and stopping them; and single matches on request."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from arena import services
from arena.models import Trial
from arena.pages import llr_chart, parameters
from arena.pages.bots import get_bot
from arena.pages.doors import MemberRequest, methods, refuse
from arena.pages.errors import NotThere
from arena.pages.trial_offers import PAIRS, QUESTIONS
from arena.pulse import nobody_plays
from arena.selectors import trials as selectors
from arena.selectors.match_lists import match_page
from arena.services.trials import TrialError
from bots.models import Bot, Version, is_name

MATCHES_SHOWN = 10


@methods("GET")
def trial_list(request: HttpRequest) -> HttpResponse:
    name = parameters.bot_name(request, "bot")
    state = parameters.choice(request, "state", Trial.State.values)
    before = parameters.number(request, "before")
    bot = Bot.objects.visible_to(request.user).filter(name__iexact=name).first() if name else None
    page = selectors.Page([], None)
    if bot is not None or name is None:
        page = selectors.trial_page(user=request.user, bot=bot, state=state, before=before)
    return render(
        request,
        "arena/trials.html",
        {
            "page": page,
            "states": Trial.State.choices,
            "chosen": {"bot": name or "", "state": state or ""},
            "is_filtered": bool(name or state),
        },
    )


def get_trial(request: HttpRequest, pk: int) -> Trial:
    trial = selectors.described_trials(request.user).filter(pk=pk).first()
    if trial is None:
        raise NotThere(_("There is no trial %(number)s.") % {"number": pk})
    return trial


@methods("GET")
def trial_page(request: HttpRequest, pk: int) -> HttpResponse:
    return render(request, "arena/trial.html", _described(request, get_trial(request, pk)))


@methods("GET")
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """The live part of the trial's page; it asks for itself again until the trial is over."""
    response = render(request, "arena/_trial.html", _described(request, get_trial(request, pk)))
    patch_cache_control(response, no_store=True)
    return response


def _described(request: HttpRequest, trial: Trial) -> dict[str, Any]:
    standing = selectors.Standing(trial)
    scores = ("0", "½", "1", "1½", "2")
    return {
        "trial": trial,
        "standing": standing,
        "counts": list(zip(scores, standing.counts, strict=True)),
        "chart": llr_chart.drawn(trial.path, standing.test),
        "may_stop": trial.may_be_stopped_by(request.user),
        "nobody_plays": trial.state == Trial.State.RUNNING
        and nobody_plays(mib=1, runtimes={trial.version.runtime, trial.opponent.runtime}),
        "latest": match_page(user=request.user, trial=trial, size=MATCHES_SHOWN).matches,
    }


@methods("POST")
@login_required
def stop(request: MemberRequest, pk: int) -> HttpResponse:
    trial = get_trial(request, pk)
    try:
        services.trials.stop_trial(trial=trial, by=request.user)
    except TrialError as error:
        refuse(request, error)
    else:
        messages.success(request, _("The trial is stopped."))
    return redirect("trial", pk=pk)


@methods("POST")
@login_required
def start(request: MemberRequest, name: str) -> HttpResponse:
    """From the bot's page: its version `version` against the one whose id is `opponent`."""
    bot = get_bot(request, name)
    try:
        nelo0, nelo1, _title = QUESTIONS[_chosen(request, "question", list(QUESTIONS))]
        trial = services.trials.start_trial(
            owner=request.user,
            version=_version(request, "version"),
            opponent=_version(request, "opponent"),
            nelo0=nelo0,
            nelo1=nelo1,
            max_pairs=int(_chosen(request, "max_pairs", [str(n) for n in PAIRS])),
        )
    except TrialError as error:
        refuse(request, error)
        return redirect("bot", name=bot.name)
    messages.success(request, _("The trial has begun. This page follows it."))
    return redirect("trial", pk=trial.pk)


@methods("POST")
@login_required
def play(request: MemberRequest, name: str) -> HttpResponse:
    """From the page of either bot: an unrated match of `mine`, a bot of this person's, against the bot `against`."""
    bot = get_bot(request, name)
    try:
        match = services.trials.request_match(
            by=request.user,
            version=_current(request, "mine"),
            opponent=_current(request, "against"),
        )
    except TrialError as error:
        refuse(request, error)
        return redirect("bot", name=bot.name)
    messages.success(request, _("The match is queued. It is unrated, and this page follows it."))
    return redirect("match", pk=match.pk)


def _chosen(request: HttpRequest, name: str, choices: list[str]) -> str:
    text = request.POST.get(name, "")
    if text not in choices:
        raise TrialError("invalid", _("Choose one of what the form offers."), name)
    return text


def _version(request: HttpRequest, name: str) -> Version:
    text = request.POST.get(name, "")
    found = None
    if text.isascii() and text.isdigit() and len(text) <= 18:
        visible = Version.objects.visible_to(request.user).select_related("bot")
        found = visible.filter(pk=int(text)).first()
    if found is None:
        raise TrialError("unknown_version", _("There is no such version."), name)
    return found


def _current(request: HttpRequest, name: str) -> Version:
    """The version that the bot of this name plays with."""
    text = request.POST.get(name, "").strip()
    playing = Version.objects.visible_to(request.user).filter(bot__current_version=F("pk"))
    found = playing.filter(bot__name__iexact=text).select_related("bot").first() if is_name(text) else None
    if found is None:
        raise TrialError(
            "unknown_bot", _("There is no bot “%(name)s” that plays now.") % {"name": text[:32]}, name
        )
    return found
