"""Every page and every list of the API as people visit them: filtered, sorted, searched, and deep in.

`{names}` are of a populated arena (`places`). A new page, list, filter or order gets a line here; `test_plans` says so.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from urllib.parse import quote

from django.contrib.auth.models import User
from django.db.models import Count

from arena.models import Ladder, Notice, RequestedMatch, Tournament, Trial
from bots.models import Bot, Version
from matches.models import Game, GameSeat, Match, Participant

PAGES = """
/
/ladders/duel/
/ladders/duel/?after=100
/ladders/duel/?after={deep_rank}
/ladders/duel/?versions=all
/ladders/duel/?versions=all&after={deep_rank}
/ladders/duel/?q=am&author={author}
/ladders/table/
/bots/
/bots/?after={bot}
/bots/?q=am
/bots/?author={author}
/bots/?q=am&author={author}
/bots/{bot}/
/bots/{bot}/faults/
/bots/{faulty}/faults/
/bots/{faulty}/faults/?since=1&kind=timeout
/bots/{anchor}/
/bots/{hard}/?before=3
/bots/{bot}/statistics/
/bots/{anchor}/statistics/
/bots/{anchor}/statistics/?ladder=table
/bots/{bot}/versions/1/
/bots/{anchor}/versions/1/
/bots/{bot}/versions/1/stages/
/bots/{rejected}/versions/{rejected_number}/
/bots/greedy/versions/1/source/
/submit/
/matches/
/matches/?before={deep_match}
/matches/?after={deep_match}
/matches/?status=finished
/matches/?status=finished&before={deep_match}
/matches/?status=queued
/matches/?status=running
/matches/?status=parked
/matches/?status=void
/matches/?ladder=duel
/matches/?ladder=duel&before={deep_match}
/matches/?ladder=table
/matches/?ladder=table&status=void
/matches/?bot={bot}
/matches/?bot={anchor}
/matches/?bot={anchor}&before={deep_match}
/matches/?bot={anchor}&ladder=duel&status=finished
/matches/?bot={bot}&ladder=table&status=parked
/matches/?bot=nobody-knows
/matches/?bot={anchor}&against={bot}
/matches/?outcome=faults
/matches/?outcome=clean&before={deep_match}
/matches/?outcome=ours
/matches/?seats=4
/matches/?rated=yes
/matches/{match}/
/matches/{failed_match}/
/matches/{table_match}/
/matches/{queued}/
/matches/{match}/live/
/matches/live/
/live/
/games/{game}/
/games/{table_game}/
/games/{fault_game}/
/tournaments/
/tournaments/?state=finished
/tournaments/?format=swiss
/tournaments/?before={last_tournament}
/tournaments/new/
/tournaments/{tournament}/
/tournaments/{running}/
/tournaments/{open}/
/tournaments/{tournament}/live/
/tournaments/{tournament}/entries/
/tournaments/{tournament}/entries/{entry}/
/trials/
/trials/?before={deep_trial}
/trials/?state=running
/trials/?state=better
/trials/?bot={trier}
/trials/?bot={bot}&state=running
/trials/{trial}/
/trials/{trial}/live/
/rules/
/protocol/
/docs/replay/
/docs/sandbox/
/docs/ratings/
/docs/api/
/docs/pairing/
/docs/trials/
/status/
/status/live/
/accounts/login/
/accounts/signup/
/accounts/password/reset/
"""

MEMBERS_PAGES = """
/account/
/account/delete/
/accounts/logout/
/accounts/email/
/accounts/password/change/
/tournaments/{own_tournament}/edit/
/tournaments/{own_tournament}/seeds/
/tournaments/{running}/
/tournaments/{running}/cancel/
/tournaments/{running}/rewind/?round={round}
/tournaments/{running}/rerun/?key={key}
/tournaments/{running}/forfeit/?key={key}
/tournaments/{running}/entries/{running_entry}/withdraw/
/tournaments/{running}/entries/{running_entry}/disqualify/
"""

ALSO_MEMBERS = """
/
/ladders/duel/
/bots/{bot}/
/bots/{anchor}/
/matches/
/matches/?bot={anchor}
/matches/{match}/
/games/{game}/
/tournaments/
/tournaments/{tournament}/
/trials/
/trials/{trial}/
/submit/
/status/
/api/v1/matches/
/api/v1/games/
"""
"""Pages for everybody that tell a member more, or hide less."""

LISTS = """
/api/v1/ladders/
/api/v1/ladders/duel/ratings/
/api/v1/ladders/duel/ratings/?versions=all
/api/v1/ladders/duel/ratings/?house=none&provisional=yes&games=1
/api/v1/ladders/duel/ratings/?author={author}
/api/v1/bots/?q=am
/api/v1/bots/?author={author}
/api/v1/bots/{faulty}/faults/
/api/v1/bots/{faulty}/faults/?kind=timeout
/api/v1/bots/
/api/v1/versions/
/api/v1/versions/?status=ready
/api/v1/versions/?status=rejected
/api/v1/versions/?status=parked
/api/v1/versions/?bot={hard}
/api/v1/versions/?bot={bot}&status=rejected
/api/v1/matches/
/api/v1/matches/?status=finished
/api/v1/matches/?status=queued
/api/v1/matches/?status=parked
/api/v1/matches/?status=void
/api/v1/matches/?ladder=duel
/api/v1/matches/?ladder=table
/api/v1/matches/?ladder=table&status=void
/api/v1/matches/?bot={bot}
/api/v1/matches/?bot={anchor}
/api/v1/matches/?bot={anchor}&ladder=duel&status=finished
/api/v1/matches/?trial={trial}
/api/v1/matches/?bot={anchor}&against={bot}
/api/v1/matches/?outcome=faults
/api/v1/matches/?outcome=clean
/api/v1/matches/?outcome=ours
/api/v1/matches/?seats=4
/api/v1/games/
/api/v1/games/?bot={bot}
/api/v1/games/?bot={anchor}
/api/v1/games/?match={match}
/api/v1/games/?match={match}&bot={anchor}
/api/v1/tournament-formats/
/api/v1/tournaments/
/api/v1/tournaments/?state=finished
/api/v1/tournaments/?format=swiss
/api/v1/tournaments/{tournament}/entries/
/api/v1/tournaments/{tournament}/records/
/api/v1/trials/
/api/v1/trials/?state=running
/api/v1/trials/?bot={trier}
/api/v1/status/
/api/v1/presets/
"""

LONG_LISTS = """
/api/v1/ladders/duel/ratings/?page_size=200
/api/v1/bots/?page_size=200
/api/v1/matches/?page_size=200
/api/v1/games/?page_size=200
"""
"""As many rows as may be asked for at once: how long they take is measured, without a goal."""

MEMBERS_LISTS = """
/api/v1/notices/
/api/v1/matches/{queued}/logs/
"""

DETAILS = """
/api/v1/ladders/duel/
/api/v1/bots/{bot}/
/api/v1/bots/{anchor}/statistics/
/api/v1/versions/{version}/
/api/v1/matches/{match}/
/api/v1/games/{game}/
/api/v1/games/{game}/replay/
/api/v1/tournaments/{tournament}/
/api/v1/tournaments/{tournament}/entries/{entry}/
/api/v1/tournaments/{tournament}/standings/
/api/v1/tournaments/{tournament}/bracket/
/api/v1/tournaments/{tournament}/export/
/api/v1/trials/{trial}/
/games/{game}/replay/
/bots/greedy/versions/1/download/
/tournaments/{tournament}/json/
/tournaments/{tournament}/csv/
"""

OF_A_SNAPSHOT = """
/ladders/duel/?sort=bot
/ladders/duel/?sort=-games&after={deep_rank}
/ladders/duel/?sort=points&house=none&provisional=yes&games=1
/ladders/duel/?q=am
/api/v1/ladders/duel/ratings/?q=am
"""
"""Sorted by a figure of one published snapshot of a ladder, or sought in it by how a name begins. It may be read whole:
a row for each version, and no more with time. An index for each order would be written with every snapshot, all day
long."""

UNVISITED = """
readyz                                         for machines
games/<int:pk>/embed/                          one game, as its page
games/<int:pk>/verify/                         the same
api/v1/matches/<int:pk>/logs/                  one match
api/v1/matches/bulk/                           all matches, piece by piece, under limits of its own
api/v1/account/                                one account
ladders/<slug:slug>/compare/                   two rows of a snapshot
api/v1/ladders/<slug:slug>/compare/            the same
docs/                                          without the database, as the next ones
docs/<str:name>
watch/
rules/score-pad/
rules/score-pad/worker.js
rules/cheat-sheet/
skyjo.pyz
api/v1/kit/
api/v1/schema/                                 made without the database
api/v1/docs/                                   the same
accounts/confirm-email/                        allauth's own, a row each
accounts/confirm-email/(?P<key>[-:\\w]+)/$
accounts/inactive/
accounts/reauthenticate/
accounts/password/reset/done/
accounts/password/reset/key/done/
accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$
"""
"""Routes of pages that are left out."""


def places() -> dict[str, Any]:
    """What the names in the addresses stand for: the busiest of their kind, where some are busier."""
    games = Game.objects.filter(match__embargo_until=None).order_by("-pk")
    finished = Match.objects.filter(status=Match.Status.FINISHED).order_by("-pk")
    events = Tournament.objects.order_by("pk")
    duel = Ladder.objects.get(slug="duel")
    anchor = Participant.objects.values("bot__name").annotate(n=Count("pk")).order_by("-n")[0]
    faulty = GameSeat.objects.exclude(fault="").values("bot__name").annotate(n=Count("pk")).order_by("-n")[0]
    bot = Bot.objects.filter(is_house=False, is_hidden=False, current_version__isnull=False)
    busy = bot.annotate(n=Count("versions")).order_by("-n", "pk")[0]
    rejected = Version.objects.filter(status=Version.Status.REJECTED, bot__is_hidden=False).order_by("pk")[0]
    running = events.filter(state=Tournament.State.RUNNING)[0]
    tournament = events.filter(state=Tournament.State.FINISHED)[0]
    trial = Trial.objects.filter(trial_matches__isnull=False).order_by("pk")[0]
    n_rated = duel.current_run.ratings.count()
    key = running.tournament_matches.filter(match__status=Match.Status.FINISHED).last().key
    return {
        "bot": bot.order_by("pk")[bot.count() // 2].name,
        "anchor": anchor["bot__name"],
        "faulty": faulty["bot__name"],
        "author": busy.owner.username,
        "hard": busy.name,
        "version": busy.current_version_id,
        "rejected": rejected.bot.name,
        "rejected_version": rejected.pk,
        "rejected_number": rejected.number,
        "deep_rank": n_rated // 2 // 100 * 100,
        "match": finished.filter(ladder_match__ladder=duel)[0].pk,
        "deep_match": finished[finished.count() // 2].pk,
        "failed_match": finished.filter(n_attempts=2)[0].pk,
        "table_match": finished.filter(seats=4)[0].pk,
        "queued": Match.objects.filter(status=Match.Status.QUEUED)[0].pk,
        "game": games.filter(match__seats=2)[0].pk,
        "table_game": games.filter(match__seats=4)[0].pk,
        "fault_game": GameSeat.objects.filter(game__in=games).exclude(fault="").order_by("-pk")[0].game_id,
        "tournament": tournament.pk,
        "entry": tournament.entries.order_by("pk")[0].pk,
        "running": running.pk,
        "running_entry": running.entries.order_by("pk")[0].pk,
        # In an address, where a "+" would be a space.
        "key": quote(key),
        "round": key.partition("-")[0],
        "open": events.filter(state=Tournament.State.REGISTRATION)[0].pk,
        "own_tournament": events.filter(state=Tournament.State.REGISTRATION)[0].pk,
        "last_tournament": events.last().pk,
        "trial": trial.pk,
        "trier": trial.version.bot.name,
        "deep_trial": Trial.objects.order_by("pk")[Trial.objects.count() // 2].pk,
    }


def member(known: dict[str, Any]) -> User:
    """Who visits as a member: the organiser of the events that are open and running, with bots, notices and requests
    of their own."""
    found = Tournament.objects.get(pk=known["own_tournament"]).organiser
    found.set_password("a long one for tests")
    found.save()
    bot = found.bots.exclude(current_version=None)[0]
    Notice.objects.create(
        bot=bot, version=bot.current_version, kind=Notice.Kind.DEACTIVATED, facts={"matches": [1]}
    )
    Tournament.objects.filter(pk=known["running"]).update(organiser=found)
    Match.objects.filter(tournament_match__tournament=known["running"]).update(embargo_viewer=found)
    RequestedMatch.objects.get_or_create(match_id=known["queued"], defaults={"by": found})
    return found


def filled(line: str) -> str:
    """The address with something in each place, to resolve it."""
    return line.format_map(defaultdict(lambda: "1"))


def addresses(table: str, known: dict[str, Any]) -> list[str]:
    return [line.format(**known) for line in table.split()]
