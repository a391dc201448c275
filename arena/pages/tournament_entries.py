"""Who takes part in a tournament: the list, an entry's own page with its course, and entering a bot."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from arena.models import Tournament
from arena.pages import brackets
from arena.pages.doors import MemberRequest, methods
from arena.pages.tournaments import done, drawn, get_entry, get_tournament, known
from arena.services import tournaments as services
from bots.models import Bot


@methods("GET")
def entry_list(request: HttpRequest, pk: int) -> HttpResponse:
    tournament = get_tournament(pk)
    return render(request, "arena/tournament_entries.html", known(request, tournament))


@methods("GET")
def entry_page(request: HttpRequest, pk: int, entry: int) -> HttpResponse:
    """An entry: its version, its place with every tie-break, and all its pairings."""
    tournament = get_tournament(pk)
    found = get_entry(request, tournament, entry)
    context = drawn(request, tournament, known(request, tournament))
    if "drawings" in context:
        context["course"] = brackets.course(context["drawings"], found.pk)
        context["own_tables"] = [
            (title, table.only(found.pk))
            for title, table in [
                (_("Standings"), context["standings"]),
                *((drawing.title, drawing.table) for drawing in context["drawings"] if drawing.table),
            ]
            if table.only(found.pk).rows
        ]
    is_own = found.bot.owner_id == request.user.pk
    context |= {
        "entry": found,
        "may_withdraw": not found.has_left
        and not tournament.is_over
        and (is_own or tournament.is_run_by(request.user)),
        "may_disqualify": not found.has_left
        and tournament.state != Tournament.State.CANCELLED
        and tournament.is_run_by(request.user),
    }
    return render(request, "arena/tournament_entry.html", context)


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
