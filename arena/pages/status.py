"""What the arena is doing, for people: queues, workers and their sandbox, periodic jobs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control

from arena import finished, health, pulse
from arena.models import Pulse
from arena.pages.doors import methods
from arena.selectors import status as selectors
from arena.selectors.leaderboard import every_ladder
from matches.models import Match


@methods("GET")
def status_page(request: HttpRequest) -> HttpResponse:
    games = selectors.latest_games(request.user)
    last = Match(pk=games[0].match, finished_at=games[0].finished_at) if games else None
    return render(request, "arena/status.html", {"games": games, **_state(request, last)})


@methods("GET")
def live(request: HttpRequest) -> HttpResponse:
    """The part of the status page that renews itself."""
    last = selectors.last_finished(request.user)
    response = render(request, "arena/_status.html", _state(request, last))
    patch_cache_control(response, no_store=True)
    return response


def _state(request: HttpRequest, last_finished: Match | None) -> dict[str, object]:
    signs = pulse.signs()
    queues = selectors.match_queues()
    known = every_ladder()
    attempts = finished.lately(signs)
    hosts = selectors.notable_hosts()
    versions = selectors.waiting_versions()
    return {
        "health": health.now(signs, {host.name for host in hosts if host.quarantined_at}),
        "matches": sum(queues.values(), selectors.Queue()),
        "queues": [(ladder, queues[ladder.pk]) for ladder in known if ladder.pk in queues],
        "other_queue": queues.get(None),
        "n_attempts": sum(ended.n for ended in attempts),
        "failures": [ended for ended in attempts if ended.is_failure],
        "parked": selectors.parked_matches(request.user),
        "hosts": hosts,
        "n_suspended": versions.n_suspended,
        "disk": selectors.disk(),
        "checks": versions.checks,
        "workers": [sign for sign in signs if sign.kind == Pulse.Kind.WORKER],
        "jobs": [sign for sign in signs if sign.kind == Pulse.Kind.JOB],
        "ladders": known,
        "last_finished": last_finished,
        "last_failure": selectors.last_failure(request.user),
    }
