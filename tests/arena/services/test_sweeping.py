"""The sweep: silent workers and lost bells."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from arena import health
from arena.models import Pulse, Tournament
from arena.services import sweep
from arena.services.queueing import MOST_A_WORKER
from arena.services.sweeping import MAX_CHECK_BELLS
from bots.models import Version
from bots.sandbox.runtimes import NODE
from bots.services import claim_check
from matches.models import Match
from tests.arena.tournaments.events import make_event
from tests.make import expire, make_bot, make_claim, make_match, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]

Bells = list[tuple[str, ...]]


@pytest.fixture
def swept(
    bells: Bells, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> Callable[[], Bells]:
    """Sweep once; the bells that rang."""

    def run() -> Bells:
        bells.clear()
        with django_capture_on_commit_callbacks(execute=True):
            sweep()
        return list(bells)

    return run


def lie(monkeypatch: pytest.MonkeyPatch, n_bells: int | None) -> None:
    """So many bells lie in every queue."""
    monkeypatch.setattr("arena.bells.n_waiting", lambda queue: n_bells)


def test_what_silent_workers_held_is_queued_and_rung_for(swept: Callable[[], Bells]) -> None:
    version = make_version(status=Version.Status.RECEIVED)
    assert claim_check(version_id=version.pk, worker="checks@gone") is not None
    Version.objects.filter(pk=version.pk).update(check_lease_until=timezone.now() - timedelta(seconds=1))
    claim, alive = make_claim(), make_claim()
    expire(claim.match)
    assert swept() == [("arena.tasks.play_match", claim.match.pk)]
    assert Match.objects.get(pk=claim.match.pk).status == Match.Status.QUEUED
    assert Match.objects.get(pk=alive.match.pk).status == Match.Status.RUNNING
    assert Version.objects.get(pk=version.pk).status == Version.Status.RECEIVED


def test_a_check_is_rung_for_when_it_is_due(swept: Callable[[], Bells]) -> None:
    version = make_version(status=Version.Status.RECEIVED)
    assert swept() == [("arena.tasks.check_version", version.pk)]
    Version.objects.update(check_lease_until=timezone.now() + timedelta(seconds=60))
    assert swept() == []


def test_no_more_bells_ring_than_matches_wait_and_workers_want(
    swept: Callable[[], Bells], monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = [make_version(), make_version()]
    matches = [make_match(versions) for _ in range(MOST_A_WORKER + 3)]
    assert swept() == [("arena.tasks.play_match", match.pk) for match in matches[:MOST_A_WORKER]]
    lie(monkeypatch, MOST_A_WORKER - 1)
    assert swept() == [("arena.tasks.play_match", matches[0].pk)]
    lie(monkeypatch, MOST_A_WORKER)
    assert swept() == []


def report(queue: str, **detail: object) -> None:
    detail = {"host": "here", "queues": [queue], "concurrency": 1, "problems": [], **detail}
    Pulse.objects.create(name=f"{queue}@here", kind=Pulse.Kind.WORKER, detail=detail, seen_at=timezone.now())


@pytest.mark.parametrize("want", ["memory", "runtime"])
def test_what_no_worker_can_play_keeps_nothing_else_waiting(want: str, swept: Callable[[], Bells]) -> None:
    report("matches", match_mib=1024, lacks={NODE: "Node.js is missing."})
    versions = [make_version(), make_version()]
    stuck = [make_match(versions) for _ in range(MOST_A_WORKER)]
    if want == "memory":
        Match.objects.update(memory_mib=513)
    else:
        Version.objects.filter(pk=versions[0].pk).update(runtime=NODE)
    playable = make_match()
    assert swept() == [("arena.tasks.play_match", playable.pk)]
    Pulse.objects.filter(name="matches@here").update(
        detail={"queues": ["matches"], "concurrency": 1, "problems": [], "match_mib": 1026}
    )
    assert swept() == [("arena.tasks.play_match", match.pk) for match in stuck]


def test_checks_that_no_worker_can_make_keep_no_other_waiting(swept: Callable[[], Bells]) -> None:
    report("checks", lacks={NODE: "Node.js is missing."})
    bot = make_bot()
    for _ in range(MAX_CHECK_BELLS):
        make_version(bot, status=Version.Status.RECEIVED)
    Version.objects.update(runtime=NODE)
    version = make_version(bot, status=Version.Status.RECEIVED)
    assert swept() == [("arena.tasks.check_version", version.pk)]


def test_few_checks_are_rung_for_at_once(swept: Callable[[], Bells]) -> None:
    bot = make_bot()
    for _ in range(MAX_CHECK_BELLS + 5):
        make_version(bot, status=Version.Status.RECEIVED)
    assert len(swept()) == MAX_CHECK_BELLS


def test_a_broker_that_is_away_stops_no_sweep(
    swept: Callable[[], Bells], monkeypatch: pytest.MonkeyPatch
) -> None:
    lie(monkeypatch, None)
    claim = make_claim()
    expire(claim.match)
    assert swept() == []
    assert Match.objects.get(pk=claim.match.pk).status == Match.Status.QUEUED


def test_the_sweep_reports_and_forgets_workers_that_are_long_gone(swept: Callable[[], Bells]) -> None:
    for name, days in (("matches@gone", 2), ("matches@here", 0)):
        Pulse.objects.create(
            name=name, kind=Pulse.Kind.WORKER, seen_at=timezone.now() - timedelta(days=days), detail={}
        )
    swept()
    assert set(Pulse.objects.values_list("name", flat=True)) == {"matches@here", "sweep"}
    assert timezone.now() - Pulse.objects.get(name="sweep").seen_at < timedelta(seconds=10)


def test_an_event_that_cannot_be_brought_on_is_told(swept: Callable[[], Bells]) -> None:
    event = make_event(n=4)
    Tournament.objects.filter(pk=event.pk).update(settings={"deals": -1}, digest="")
    swept()
    assert f"The job “sweep” breaks at tournament {event.pk}; the log says why." in health.now().reasons
