"""Celery's doors, knocked at in this process."""

from typing import NoReturn

import pytest
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from arena import fitness, tasks
from arena.fitness import Fitness
from arena.models import Ladder, Pulse, Rating
from arena.services import every_ladder, seed_arena
from bots.house import HOUSE
from bots.models import Version
from matches.models import Attempt, Match, Result
from tests.make import STEADY, make_match, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The canary is tried elsewhere."""
    monkeypatch.setattr(fitness, "_fitness", Fitness(match_mib=4096, n_processes=1))


def test_a_match_is_played_by_its_id_and_repeated_bells_change_nothing() -> None:
    match = make_match()
    for _ in range(3):
        tasks.play_match.apply(args=[match.pk], throw=True)
    assert Match.objects.get().status == Match.Status.FINISHED
    assert Result.objects.count() == 1
    assert Attempt.objects.get().worker
    tasks.play_match.apply(args=[98765], throw=True)


def test_a_low_queue_rings_for_pairing_after_a_match(
    bells: list[tuple[str, ...]], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    match = make_match()
    with django_capture_on_commit_callbacks(execute=True):
        tasks.play_match.apply(args=[match.pk], throw=True)
    assert bells == [("arena.tasks.pair_ladders",)]
    full = [make_match() for _ in range(3)]
    bells.clear()
    with django_capture_on_commit_callbacks(execute=True):
        tasks.play_match.apply(args=[full[0].pk], throw=True)
    assert bells == []


def test_a_version_is_checked_by_its_id() -> None:
    version = make_version(content=STEADY, status=Version.Status.RECEIVED)
    tasks.check_version.apply(args=[version.pk], throw=True)
    assert Version.objects.get().status == Version.Status.READY


def test_from_the_first_seeding_to_the_first_leaderboard() -> None:
    seed_arena()
    tasks.pair_ladders.apply(throw=True)
    assert Match.objects.filter(ladder_match__ladder__slug="duel").exists()
    assert Match.objects.filter(ladder_match__ladder__slug="table").exists()
    for match in Match.objects.filter(ladder_match__ladder__slug="duel"):
        tasks.play_match.apply(args=[match.pk], throw=True)
    tasks.rate_ladders.apply(throw=True)
    rated = Rating.objects.filter(run__ladder__slug="duel")
    assert {rating.version.bot.name for rating in rated} <= {bot.name for bot in HOUSE}
    assert rated.count() >= 2
    tasks.sweep.apply(throw=True)
    assert set(Pulse.objects.values_list("name", flat=True)) == {"pair", "rate", "sweep"}


def test_a_ladder_that_breaks_keeps_no_other_waiting_and_is_told(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    seed_arena()

    def broken(*, ladder: Ladder) -> NoReturn:
        raise ZeroDivisionError

    for name, task in (("pair_ladder", tasks.pair_ladders), ("rate_ladder", tasks.rate_ladders)):
        real = getattr(every_ladder, name)
        monkeypatch.setattr(
            every_ladder,
            name,
            lambda *, ladder, real=real: (broken if ladder.slug == "duel" else real)(ladder=ladder),
        )
        task.apply(throw=True)
        assert "Broke at duel" in caplog.text
        caplog.clear()
    slugs = set(Match.objects.values_list("ladder_match__ladder__slug", flat=True))
    assert slugs == {"table"}
    reasons = client.get("/healthz").json()["reasons"]
    assert [f"The job “{job}” breaks at duel; the log says why." for job in ("pair", "rate")] == reasons[-2:]
    assert client.get("/status/").content.decode().count(">failing<") == 2
    jobs = {job["name"]: job["is_well"] for job in client.get("/api/v1/status/").json()["jobs"]}
    assert jobs == {"pair": False, "rate": False}


def test_every_scheduled_task_and_every_bell_has_a_door(settings: object) -> None:
    from arena.celery import app

    names = {entry["task"] for entry in app.conf.beat_schedule.values()} | set(app.conf.task_routes)
    assert names <= set(app.tasks)
