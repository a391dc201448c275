"""Submitting a bot: code pasted or a file chosen, with the limits, the quotas and templates beside the form."""

from __future__ import annotations

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from arena.models import Ladder
from arena.pages import parameters
from arena.pages.doors import methods
from arena.pages.forms import SubmitForm
from arena.pages.versions import get_version, only_text, readable_package
from arena.runtimes import missing, offered
from arena.selectors.account import quota_rows
from arena.selectors.starters import starter, starters
from arena.services import submit_version
from arena.tries import may_try
from bots.models import Bot, Version
from bots.services import SubmissionError


@methods("GET", "POST")
def submit(request: HttpRequest) -> HttpResponse:
    """Everybody may read the page; sending the form needs an account. Whose session has ended keeps what was typed."""
    if request.method != "POST":
        return _show(request, _blank(request))
    if request.user.is_authenticated:
        if not may_try(request, action="submit", user=request.user):
            return ratelimit.respond_429(request)
        return _take(request, request.user)
    form = SubmitForm(request.POST, request.FILES, offered=offered())
    form.add_error(
        None, _("You are not logged in, so nothing was submitted. Copy your code, log in, and send it again.")
    )
    return _show(request, form, status=403)


def _blank(request: HttpRequest) -> SubmitForm:
    """The empty form, with the bot's name and a template, or the source of a version, filled in where the address says
    so."""
    chosen = parameters.choice(request, "template", [each.name for each in starters()])
    name = parameters.bot_name(request, "bot") or ""
    number = parameters.number(request, "from")
    initial = {"name": name, "source": starter(chosen).source if chosen else ""}
    if number is not None:
        version = get_version(request, name, number)
        initial["source"] = _source_of(request, version) or initial["source"]
        initial["runtime"] = version.runtime
        if version.bot.owner_id != request.user.pk:
            # Somebody else's name would be refused.
            initial["name"] = ""
    return SubmitForm(initial=initial, offered=offered())


def _source_of(request: HttpRequest, version: Version) -> str | None:
    """The code of a version that this person may read; None where it is no single text, which is said."""
    text = only_text(version, bytes(readable_package(request, version).content))
    if text is None:
        messages.info(
            request,
            _(
                "Version %(number)s is no single text. Download it on its page, change it, and choose the file."
            )
            % {"number": version.number},
        )
    return text


def _take(request: HttpRequest, owner: User) -> HttpResponse:
    form = SubmitForm(request.POST, request.FILES, offered=offered())
    if form.is_valid():
        filename, content = form.upload()
        try:
            submission = submit_version(
                owner=owner,
                name=form.cleaned_data["name"],
                filename=filename,
                content=content,
                runtime=form.chosen_runtime(),
            )
        except SubmissionError as error:
            field = error.field if error.field in form.fields else None
            if field == "file" and not form.cleaned_data.get("file"):
                field = "source"
            form.add_error(field, error.sentence)
        else:
            version = submission.version
            if not submission.created:
                sentence = (
                    _(
                        "These are the very bytes of version %(number)s, so it plays again; no new version was made."
                    )
                    if submission.reactivated
                    else _("These are the very bytes of version %(number)s; no new version was made.")
                )
                messages.info(request, sentence % {"number": version.number})
            return redirect("version", name=version.bot.name, number=version.number)
    return _show(request, form, status=422)


def _show(request: HttpRequest, form: SubmitForm, *, status: int = 200) -> HttpResponse:
    response = render(
        request,
        "arena/submit.html",
        {
            "form": form,
            "starters": starters(),
            "max_bytes": settings.MAX_UPLOAD_BYTES,
            "ladders": list(Ladder.objects.filter(is_open=True)),
            "quotas": quota_rows(request.user),
            "my_bots": _newest(request.user),
            "lost_file": form.is_bound and bool(form.files) and bool(form.errors),
            "missing_runtimes": missing(),
        },
        status=status,
    )
    # The way back to a half-filled form finds it as it was left.
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _newest(user: User | AnonymousUser) -> list[tuple[str, int | None]]:
    """This person's bots by name, each with the number of its newest version."""
    mine = Bot.objects.owned_by(user).annotate(newest=Max("versions__number"))
    return list(mine.order_by("name").values_list("name", "newest"))
