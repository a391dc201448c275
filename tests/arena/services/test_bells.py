"""Bells ring after the commit, with a match's own time limits, and a broker that is away is no error."""

import uuid

import pytest
from django.db import transaction
from pytest_django import DjangoCaptureOnCommitCallbacks

from arena import bells as module
from arena.bells import HARD_MARGIN_S, SOFT_MARGIN_S, n_waiting, ring_match, ring_pairing, ring_rating, send
from arena.celery import app
from tests.make import make_match

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_bell_rings_after_the_commit_and_not_after_a_rollback(
    bells: list[tuple[str, ...]], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        with transaction.atomic():
            ring_rating()
            transaction.set_rollback(True)
        with transaction.atomic():
            ring_pairing()
        assert bells == []
    assert bells == [("arena.tasks.pair_ladders",)]


def test_a_match_carries_its_id_and_its_own_time_limits(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    sent: list[tuple[object, ...]] = []
    monkeypatch.setattr(module, "send", lambda *args, **options: sent.append((args, options)))
    match = make_match(deals=5)
    with django_capture_on_commit_callbacks(execute=True):
        ring_match(match)
    assert sent == [
        (
            ("arena.tasks.play_match", match.pk),
            {
                "soft_time_limit": match.wall_limit_s + SOFT_MARGIN_S,
                "time_limit": match.wall_limit_s + HARD_MARGIN_S,
            },
        )
    ]


def test_the_bells_that_lie_in_a_queue_are_counted_empty_queues_included() -> None:
    """On the broker of the settings, whichever it is."""
    queue = f"test-{uuid.uuid4()}"
    try:
        assert n_waiting(queue) == 0
        for n in range(1, 4):
            send("arena.tasks.nothing", n, queue=queue)
            assert n_waiting(queue) == n
    finally:
        with app.connection_for_write() as connection:
            connection.default_channel.queue_purge(queue)
    assert n_waiting(queue) == 0


def test_a_broker_that_is_away_is_logged_and_no_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*args: object, **options: object) -> None:
        raise ConnectionError("refused")

    monkeypatch.setattr(app, "send_task", away)
    monkeypatch.setattr(app, "connection_for_write", away)
    send("arena.tasks.play_match", 7)
    assert n_waiting("matches") is None
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
