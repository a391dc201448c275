"""Signs of life and what /healthz makes of them."""

import threading
from datetime import datetime, timedelta
from unittest.mock import Mock

import pytest
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections
from django.utils import timezone
from pytest_django import Settings

from arena import fitness, health, pulse, workers
from arena.checks import check_version
from arena.fitness import Fitness
from arena.heart import Heart
from arena.memory import fitting_processes
from arena.models import Pulse
from arena.pulse import CHECKS, MATCHES, SWEEP, is_alive, n_match_workers
from arena.services import play_queued_match
from bots.models import Version
from bots.sandbox.canary import CanaryReport
from bots.services import claim_check
from matches.models import Match
from tests.make import make_claim, make_ladder, make_match, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def make_pulse(name: str, queues: list[str], seconds_ago: int = 0, problems: tuple[str, ...] = ()) -> None:
    Pulse.objects.create(
        name=name,
        kind=Pulse.Kind.WORKER,
        is_well=not problems,
        detail={"host": "here", "queues": queues, "concurrency": 2, "problems": list(problems), "canary": {}},
        seen_at=timezone.now() - timedelta(seconds=seconds_ago),
    )


def make_sweep(seconds_ago: int = 0) -> None:
    Pulse.objects.create(
        name=SWEEP, kind=Pulse.Kind.JOB, seen_at=timezone.now() - timedelta(seconds=seconds_ago)
    )


def test_all_is_well_with_workers_for_matches_and_checks_and_a_fresh_sweep() -> None:
    make_pulse("all@here", [MATCHES, CHECKS])
    make_sweep()
    assert health.now().reasons == []
    assert health.now().ok


def test_each_thing_that_is_missing_is_a_reason() -> None:
    assert len(health.now().reasons) == 3
    make_pulse("matches@here", [MATCHES])
    make_sweep()
    assert health.now().reasons == ["No worker is there for checks."]
    make_pulse("checks@here", [CHECKS], seconds_ago=300)
    assert health.now().reasons == ["No worker is there for checks."]
    assert not health.now().ok


def test_the_manual_explains_each_reason_in_the_words_that_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    manual = (settings.BASE_DIR / "docs" / "operate.md").read_text()
    nothing_there = health.now().reasons
    make_sweep(seconds_ago=120)
    (late,) = set(health.now().reasons) - set(nothing_there)

    pulse.record_job(pulse.PAIR, ["duel"])
    Pulse.objects.filter(name=pulse.PAIR).update(seen_at=timezone.now() - timedelta(seconds=400))
    jobs = [reason for reason in health.now().reasons if "pair" in reason]

    def away() -> list[Pulse]:
        raise DatabaseError("gone")

    monkeypatch.setattr(health, "signs", away)
    for reason in [*nothing_there, late.replace("120", "…"), *jobs, *health.now().reasons]:
        assert reason.replace("checks", "matches").replace("400", "…").replace("duel", "…") in manual


def test_an_old_sweep_is_a_reason() -> None:
    make_pulse("all@here", [MATCHES, CHECKS])
    make_sweep(seconds_ago=120)
    assert health.now().reasons == ["The sweep last ran 120 s ago."]


@pytest.mark.parametrize("job", [pulse.PAIR, pulse.RATE])
def test_a_job_that_no_longer_runs_or_breaks_at_a_ladder_is_a_reason(job: str) -> None:
    make_pulse("all@here", [MATCHES, CHECKS])
    make_sweep()
    pulse.record_job(job, done=0)
    assert health.now().ok
    Pulse.objects.filter(name=job).update(seen_at=timezone.now() - timedelta(seconds=400))
    assert health.now().reasons == [f"The job “{job}” last ran 400 s ago."]
    pulse.record_job(job, ["duel", "table"], done=0)
    assert health.now().reasons == [f"The job “{job}” breaks at duel, table; the log says why."]


def test_a_worker_that_refuses_matches_says_why() -> None:
    make_pulse("all@here", [MATCHES, CHECKS], problems=("bubblewrap is missing.",))
    make_sweep()
    assert set(health.now().reasons) == {"Worker all@here: bubblewrap is missing."}


@pytest.mark.parametrize("error", [DatabaseError, InterfaceError])
def test_a_database_that_does_not_answer_is_a_reason(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> list[Pulse]:
        raise error("gone")

    monkeypatch.setattr(health, "signs", away)
    assert health.now().reasons == ["The database does not answer."]


def test_the_matches_that_can_be_played_at_once_are_counted() -> None:
    make_pulse("matches@here", [MATCHES])
    make_pulse("matches@there", [MATCHES])
    make_pulse("matches@gone", [MATCHES], seconds_ago=300)
    make_pulse("checks@here", [CHECKS])
    assert n_match_workers() == 4


def test_a_container_asks_whether_its_own_worker_is_well() -> None:
    make_pulse("matches@here", [MATCHES])
    make_pulse("checks@here", [CHECKS], problems=("leaks",))
    assert is_alive(queue=MATCHES, host="here")
    assert not is_alive(queue=MATCHES, host="there")
    assert not is_alive(queue=CHECKS, host="here")


def test_a_worker_whose_canary_failed_leaves_matches_in_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.services.playing.REST_S", 0)
    monkeypatch.setattr(fitness, "_fitness", None)
    monkeypatch.setattr(
        fitness, "run_canaries", lambda launcher: CanaryReport(problems=["The sandbox leaks."])
    )
    match = make_match()
    assert not play_queued_match(match_id=match.pk, worker="matches@here")
    match.refresh_from_db()
    assert (match.status, match.n_attempts) == (Match.Status.QUEUED, 0)
    assert fitness.own().problems == ("The sandbox leaks.",)


def test_a_worker_with_too_little_memory_refuses_and_says_for_which_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fitness, "_fitness", None)
    monkeypatch.setattr(fitness, "run_canaries", lambda launcher: CanaryReport())
    monkeypatch.setattr("arena.memory.total_memory_mib", lambda: 2000)
    make_ladder("duel")
    make_ladder("table", seats=4)
    found = fitness.examine(n_processes=1)
    assert found.is_fit
    (problem,) = fitness.memory_problems(found, {MATCHES})
    assert "4 seats × 512 MiB needs 2048 MiB, and a process has 2000 MiB" in problem
    assert fitness.memory_problems(found, {CHECKS}) == []
    big = make_match([make_version() for _ in range(4)])
    assert not play_queued_match(match_id=big.pk, worker="matches@here")
    big.refresh_from_db()
    assert big.status == Match.Status.QUEUED


def test_a_worker_with_too_little_memory_for_a_check_refuses_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fitness, "_fitness", None)
    monkeypatch.setattr(fitness, "run_canaries", lambda launcher: CanaryReport())
    monkeypatch.setattr("arena.memory.total_memory_mib", lambda: 1000)
    found = fitness.examine(n_processes=1)
    assert found.is_fit
    version = make_version(status=Version.Status.RECEIVED)
    assert not check_version(version_id=version.pk, worker="checks@here")
    version.refresh_from_db()
    assert (version.status, version.check_attempts) == (Version.Status.RECEIVED, 0)
    Heart(name="checks@here", queues={CHECKS}, concurrency=1, found=found).beat()
    row = Pulse.objects.get()
    assert not row.is_well
    assert "A check needs 1024 MiB, and a process has 1000 MiB" in row.detail["problems"][0]


def test_an_embedded_arena_leaves_the_check_its_memory_beside_the_matches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fitness, "run_canaries", lambda launcher: CanaryReport())
    make_ladder("table", seats=4)
    # One table of four and a check: 3 GiB; each table more: 2 GiB.
    for there, fitting in ((1000, 1), (3072, 1), (5119, 1), (5120, 2), (9215, 3), (9216, 4), (99_999, 4)):
        monkeypatch.setattr("arena.memory.total_memory_mib", lambda there=there: there)
        assert fitting_processes(4) == fitting
        found = fitness.examine(n_processes=fitting, beside_checks=True)
        assert bool(fitness.memory_problems(found, {MATCHES})) is (there < 3072)
    assert found.match_mib == (99_999 - 1024) // 4


def test_a_heart_reports_its_worker() -> None:
    found = Fitness(match_mib=9000, n_processes=2, denials={"fork": "EPERM"})
    Heart(name="matches@here", queues={MATCHES}, concurrency=2, found=found).beat()
    row = Pulse.objects.get()
    assert (row.name, row.kind, row.is_well) == ("matches@here", Pulse.Kind.WORKER, True)
    assert row.detail["queues"] == [MATCHES]
    assert row.detail["canary"] == {"fork": "EPERM"}
    ill = Fitness(match_mib=9000, n_processes=2, problems=("leaks",))
    Heart(name="matches@here", queues={MATCHES}, concurrency=2, found=ill).beat()
    row.refresh_from_db()
    assert not row.is_well
    assert row.detail["problems"] == ["leaks"]


def test_an_embedded_worker_frees_its_predecessors_leases_and_others_leave_them(settings: Settings) -> None:
    claim = make_claim(worker="matches@here")
    version = make_version(status=Version.Status.RECEIVED)
    assert claim_check(version_id=version.pk, worker="matches@here") is not None
    heart = Heart(name="matches@here", queues={MATCHES}, concurrency=1, found=None)
    settings.EMBEDDED = False
    heart.first_beat(began_at=timezone.now())
    assert Match.objects.get(pk=claim.match.pk).status == Match.Status.RUNNING
    settings.EMBEDDED = True
    heart.first_beat(began_at=timezone.now())
    assert Match.objects.get(pk=claim.match.pk).status == Match.Status.QUEUED
    assert Version.objects.get(pk=version.pk).status == Version.Status.RECEIVED


@pytest.mark.parametrize("error", [DatabaseError, InterfaceError])
def test_a_heart_beats_on_after_a_database_that_was_away(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    heart = Heart(name="matches@here", queues={MATCHES}, concurrency=1, found=None)
    connection = Mock()
    beats: list[datetime] = []

    def first_beat(*, began_at: datetime) -> None:
        beats.append(began_at)
        if len(beats) == 1:
            raise error("gone")
        heart.is_stopped = True

    monkeypatch.setattr(heart, "take_connection", lambda: connection)
    monkeypatch.setattr(heart, "first_beat", first_beat)
    monkeypatch.setattr("arena.heart.BEAT_S", 0.0)
    began_at = timezone.now()
    heart.run(began_at)
    assert beats == [began_at, began_at]
    connection.close.assert_called_once()


@pytest.mark.django_db(transaction=True)
def test_no_connection_of_the_heart_is_open_while_the_worker_forks() -> None:
    heart = Heart(name="matches@here", queues={MATCHES}, concurrency=1, found=None)
    beaten, leave = threading.Event(), threading.Event()

    def live() -> None:
        heart.take_connection()
        heart.beat()
        beaten.set()
        leave.wait(30)
        connections.close_all()

    thread = threading.Thread(target=live)
    thread.start()
    assert beaten.wait(30)
    assert heart.connection is not None
    assert heart.connection.connection is not None
    heart.before_fork()
    try:
        assert heart.connection.connection is None
        assert not heart.lock.acquire(blocking=False)
    finally:
        heart.lock.release()
        leave.set()
        thread.join()
    assert Pulse.objects.filter(name="matches@here").exists()


def test_a_worker_that_was_stopped_is_forgotten_and_reports_no_more() -> None:
    heart = Heart(name="matches@here", queues=[MATCHES], concurrency=2, found=None)
    heart.beat()
    heart.stop()
    assert not Pulse.objects.filter(name="matches@here").exists()
    heart.run(timezone.now())
    assert not Pulse.objects.filter(name="matches@here").exists()


@pytest.mark.parametrize("how", ["stop", "terminate"])
def test_a_worker_takes_its_leave_however_it_is_told_to_end(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heart = Heart(name="matches@here", queues=[MATCHES], concurrency=2, found=None)
    heart.beat()
    monkeypatch.setattr(workers, "_heart", heart)
    assert workers.TakeLeave in workers.app.steps["worker"]
    getattr(workers.TakeLeave(None), how)(None)
    assert not Pulse.objects.exists()
