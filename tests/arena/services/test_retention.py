"""What is forgotten when it is old enough, and what never is."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db.models import QuerySet
from django.utils import timezone
from pytest_django import Settings

from arena.models import ApiToken, Ladder
from arena.services import create_api_token, rate_ladder, retention
from arena.services.rating import fitted
from bots.models import Package, Version
from matches.models import Attempt, Game, GameSeat, Match
from matches.replay import verify
from matches.services import fail_attempt
from tests.make import make_bot, make_claim, make_finished_match, make_ladder, make_user, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def terms(settings: Settings) -> None:
    settings.KEEP_LOGS_DAYS = 30
    settings.KEEP_DETAILS_DAYS = 20
    settings.KEEP_REJECTED_DAYS = 10


def age(rows: QuerySet, days: int, field: str = "created_at") -> None:
    rows.update(**{field: timezone.now() - timedelta(days=days)})


def retain(*options: str) -> str:
    output = io.StringIO()
    call_command("retention", *options, stdout=output)
    return output.getvalue()


def make_logged_match(days_ago: int, ladder: Ladder | None = None) -> Match:
    match = make_finished_match(ladder=ladder)
    GameSeat.objects.filter(game__match=match).update(private=b"notes")
    age(Game.objects.filter(match=match), days_ago)
    return match


def kept_logs() -> set[int]:
    return set(GameSeat.objects.exclude(private=b"").values_list("game__match", flat=True))


def test_logs_of_old_games_go_and_those_of_young_ones_stay() -> None:
    old, young = make_logged_match(31), make_logged_match(29)
    assert kept_logs() == {old.pk, young.pk}
    assert "logs: 4 forgotten, older than 30 days (KEEP_LOGS_DAYS)" in retain("--apply")
    assert kept_logs() == {young.pk}


def test_without_apply_it_says_what_is_due_and_forgets_nothing() -> None:
    make_logged_match(31)
    said = retain()
    assert "logs: 4 due" in said
    assert "Nothing was forgotten" in said
    assert kept_logs()


def test_one_kind_alone_can_be_chosen() -> None:
    make_logged_match(31)
    assert "details" not in retain("--apply", "--kind", "logs")
    make_logged_match(31)
    retain("--apply", "--kind", "details")
    assert kept_logs()


def test_zero_days_keep_for_ever(settings: Settings) -> None:
    settings.KEEP_LOGS_DAYS = 0
    make_logged_match(10_000)
    assert "logs: kept for ever (KEEP_LOGS_DAYS=0)" in retain("--apply")
    assert kept_logs()


def test_details_of_old_attempts_go_and_their_causes_stay() -> None:
    old, young = make_claim(), make_claim()
    for claim in (old, young):
        fail_attempt(claim=claim, cause="lag", detail="the host was slow")
    age(Attempt.objects.filter(pk=old.attempt.pk), 21, "ended_at")
    retain("--apply")
    assert Attempt.objects.get(pk=old.attempt.pk).detail == ""
    assert Attempt.objects.get(pk=old.attempt.pk).cause == "lag"
    assert Attempt.objects.get(pk=young.attempt.pk).detail == "the host was slow"


def test_log_ins_and_tokens_that_have_expired_go() -> None:
    session = SessionStore()
    session.create()
    SessionStore().create()
    age(Session.objects.filter(pk=session.session_key), 1, "expire_date")
    user = make_user()
    gone, _ = create_api_token(user=user, name="old")
    kept, _ = create_api_token(user=user, name="new")
    age(ApiToken.objects.filter(pk=gone.pk), 1, "expiry")
    retain("--apply")
    assert not Session.objects.filter(pk=session.session_key).exists()
    assert Session.objects.count() == 1
    assert list(ApiToken.objects.all()) == [kept]


def test_only_sources_of_which_all_versions_were_rejected_long_ago_go() -> None:
    def rejected(content: bytes, days: int, status: str = Version.Status.REJECTED) -> Version:
        version = make_version(make_bot(), content, status, is_current=False)
        age(Version.objects.filter(pk=version.pk), days)
        Version.objects.filter(pk=version.pk).update(
            report={"stderr": "words"}, rejection="It does not start."
        )
        return version

    old = rejected(b"old", 11)
    rejected(b"young", 9)
    rejected(b"shared", 11)
    rejected(b"shared", 9)
    rejected(b"played", 11)
    rejected(b"played", 11, Version.Status.READY)
    assert "rejected: 1 forgotten" in retain("--apply")
    assert list(Package.objects.exclude(wiped_at=None)) == [old.package]
    old.refresh_from_db()
    assert (old.report, old.rejection) == ({}, "It does not start.")
    assert Version.objects.filter(report={}).count() == 1


def test_every_row_that_is_due_goes_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 3)
    for _ in range(2):
        make_logged_match(31)
    logs = next(kind for kind in retention.KINDS if kind.name == "logs")
    assert list(retention.forget_due(logs)) == [3, 3, 2]
    assert not kept_logs()


def test_ratings_replays_and_everything_they_need_survive_the_shortest_terms(settings: Settings) -> None:
    settings.KEEP_LOGS_DAYS = settings.KEEP_DETAILS_DAYS = settings.KEEP_REJECTED_DAYS = 1
    ladder = make_ladder()
    for _ in range(3):
        make_logged_match(400, ladder)
    run = rate_ladder(ladder=ladder)
    assert run is not None
    age(Version.objects.all(), 400)
    age(Attempt.objects.all(), 400, "ended_at")
    retain("--apply")
    again = fitted(ladder)
    assert again.input_sha256 == run.input_sha256
    assert [(row.version, row.elo) for row in again.rows] == list(run.ratings.values_list("version", "elo"))
    assert not Package.objects.exclude(wiped_at=None).exists()
    for game in Game.objects.all():
        assert verify(bytes(game.replay)).core_sha256 == game.core_sha256
