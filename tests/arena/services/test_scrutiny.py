"""Versions around which faults cluster, and hosts that stand out."""

import logging
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from arena.models import Host, Notice, Pulse
from arena.services import end_suspension, quarantine_host, release_host, scrutinise
from arena.services.scrutiny import Place, Tries, tries_at_places
from bots.models import Version
from matches.models import Attempt, GameSeat
from matches.services import fail_attempt, finish_match, stop_attempt
from tests.make import (
    WORKER,
    make_bot,
    make_claim,
    make_finished_match,
    make_match,
    make_record,
    make_user,
    make_version,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def fail_matches(versions: list[Version], n: int, worker: str = "matches@here") -> None:
    for _ in range(n):
        assert fail_attempt(claim=make_claim(make_match(versions), worker), cause="sandbox", detail="")


def finish_matches(versions: list[Version], n: int, worker: str = "matches@here") -> list[int]:
    done = []
    for _ in range(n):
        claim = make_claim(make_match(versions), worker)
        assert finish_match(claim=claim, record=make_record(claim.match, claim.versions))
        done.append(claim.match.pk)
    return done


def last_for(seconds: float) -> None:
    """Let every attempt so far have taken this long."""
    for attempt in Attempt.objects.exclude(ended_at=None):
        assert attempt.ended_at is not None
        Attempt.objects.filter(pk=attempt.pk).update(started_at=attempt.ended_at - timedelta(seconds=seconds))


def suspended() -> set[int]:
    return set(Version.objects.exclude(suspended_at=None).values_list("pk", flat=True))


# --- Versions -----------------------------------------------------------------------------------------------


def test_a_version_around_which_attempts_fail_is_suspended_and_its_opponents_are_not() -> None:
    bad, *others = [make_version() for _ in range(5)]
    for other in others:
        fail_matches([bad, other], 3)
        for rival in others:
            if rival.pk < other.pk:
                finish_matches([rival, other], 3)
    last_for(1)
    assert scrutinise() == {"suspended": 1, "hosts": 0}
    assert suspended() == {bad.pk}
    assert not Version.objects.playing().filter(pk=bad.pk).exists()
    assert scrutinise() == {"suspended": 0, "hosts": 0}
    end_suspension(version=bad)
    assert scrutinise() == {"suspended": 0, "hosts": 0}
    assert suspended() == set()


def test_an_attempt_counts_once_for_each_of_its_versions_however_many_the_match_needed() -> None:
    versions = sorted([make_version(), make_version()], key=lambda version: version.pk)
    match = make_match(versions)
    for _ in range(3):
        assert fail_attempt(claim=make_claim(match), cause="sandbox", detail="")
    claim = make_claim(match)
    assert finish_match(claim=claim, record=make_record(claim.match, claim.versions))
    finish_matches([make_version(), make_version()], 2, WORKER)
    last_for(2)
    whole, by_version = tries_at_places(timezone.now() - timedelta(days=1))
    assert total(whole) == Tries(n=6, n_failed=3, spent_s=pytest.approx(12))
    for version in versions:
        assert total(by_version[version.pk]) == Tries(n=4, n_failed=3, spent_s=pytest.approx(8))


def total(places: dict[Place, Tries]) -> Tries:
    """Of all hours: the clock may strike while the test runs."""
    tries = list(places.values())
    return Tries(
        sum(one.n for one in tries), sum(one.n_failed for one in tries), sum(one.spent_s for one in tries)
    )


def test_what_was_before_an_operator_cleared_a_version_is_left_out() -> None:
    version, other = make_version(), make_version()
    fail_matches([version, other], 2)
    end_suspension(version=version)
    fail_matches([version, other], 1)
    _, by_version = tries_at_places(timezone.now() - timedelta(days=1))
    counts = {pk: total(places).n_failed for pk, places in by_version.items()}
    assert counts == {version.pk: 1, other.pk: 3}


def test_while_everything_fails_nobody_is_suspended() -> None:
    versions = [make_version() for _ in range(4)]
    for one in versions:
        for two in versions:
            if one.pk < two.pk:
                fail_matches([one, two], 3)
    last_for(1)
    scrutinise()
    assert suspended() == set()


def test_a_version_that_plays_only_while_its_host_fails_is_not_blamed() -> None:
    newcomer, *others = [make_version() for _ in range(4)]
    finish_matches(others[:2], 20)
    last_for(1)
    Attempt.objects.update(ended_at=timezone.now() - timedelta(hours=3))
    fail_matches([newcomer, others[0]], 6)
    fail_matches(others[1:], 6)
    last_for(1)
    scrutinise()
    assert suspended() == set()


def test_a_slow_version_is_hit_more_often_by_what_comes_from_outside() -> None:
    slow, *others = [make_version() for _ in range(4)]
    fail_matches([slow, others[0]], 6)
    last_for(600)
    quick = {attempt.pk for attempt in Attempt.objects.all()}
    finish_matches(others[1:], 30)
    for attempt in Attempt.objects.exclude(pk__in=quick):
        assert attempt.ended_at is not None
        Attempt.objects.filter(pk=attempt.pk).update(started_at=attempt.ended_at - timedelta(seconds=1))
    scrutinise()
    assert suspended() == set()


def test_few_failures_old_ones_and_stopped_workers_suspend_nobody() -> None:
    fails_seldom, failed_long_ago, unlucky, other = (make_version() for _ in range(4))
    for _ in range(6):
        make_finished_match([other, make_version()])
    fail_matches([failed_long_ago, other], 8)
    Attempt.objects.filter(match__participants__version=failed_long_ago).update(
        ended_at=timezone.now() - timedelta(days=2)
    )
    fail_matches([fails_seldom, other], 2)
    for _ in range(8):
        stop_attempt(claim=make_claim(make_match([unlucky, other])))
    last_for(1)
    scrutinise()
    assert suspended() == set()


def test_the_house_is_never_suspended() -> None:
    house = make_version(make_bot(is_house=True))
    for _ in range(10):
        make_finished_match()
        fail_matches([house, make_version()], 1)
    last_for(1)
    scrutinise()
    assert suspended() == set()
    assert not Notice.objects.exists()


def test_the_owner_is_told_on_the_page_by_the_api_and_by_mail_and_nobody_else(
    client: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    owner = make_user("olivia")
    owner.email = "olivia@example.org"
    owner.save()
    bad = make_version(make_bot(owner, "troublesome"))
    fail_matches([bad, make_version()], 8)
    finish_matches([make_version(), make_version()], 40)
    last_for(1)
    with django_capture_on_commit_callbacks(execute=True):
        scrutinise()
    text = "8 of 8 infrastructure faults of ours happened in its matches"
    (message,) = mail.outbox
    assert message.to == ["olivia@example.org"]
    assert text in message.body
    assert text not in client.get("/bots/troublesome/").content.decode()
    assert client.get("/api/v1/notices/").status_code == 401
    client.force_login(make_user("rob"))
    assert text not in client.get("/bots/troublesome/").content.decode()
    assert client.get("/api/v1/notices/").json()["results"] == []
    client.force_login(owner)
    assert text in client.get("/bots/troublesome/").content.decode()
    (notice,) = client.get("/api/v1/notices/").json()["results"]
    assert (notice["bot"], notice["version"], notice["kind"]) == ("troublesome", 1, "suspended")
    assert text in notice["text"]
    assert client.get(f"/api/v1/versions/{bad.pk}/").json()["is_suspended"]


def test_a_notice_that_cannot_be_mailed_stands_on_the_page(
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("arena.services.notices.send_mail", refuse)
    owner = make_user()
    owner.email = "olivia@example.org"
    owner.save()
    fail_matches([make_version(make_bot(owner)), make_version()], 8)
    finish_matches([make_version(), make_version()], 40)
    last_for(1)
    with django_capture_on_commit_callbacks(execute=True):
        scrutinise()
    assert Notice.objects.filter(bot__owner=owner).count() == 1


# --- Hosts --------------------------------------------------------------------------------------------------


def reported() -> dict[str, str]:
    return dict(Host.objects.exclude(reported_at=None).values_list("name", "evidence__kind"))


def test_a_host_on_which_more_fails_than_elsewhere_is_reported_once(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    versions = [make_version(), make_version()]
    for worker in ("matches@sound", "matches@fine"):
        finish_matches(versions, 12, worker)
    finish_matches(versions, 3, "matches@broken")
    fail_matches(versions, 8, "matches@broken")
    last_for(1)
    with caplog.at_level(logging.WARNING):
        assert scrutinise()["hosts"] == 1
        assert scrutinise()["hosts"] == 0
    assert reported() == {"broken": "faults"}
    assert len([line for line in caplog.messages if line.startswith("Host broken stands out: 8 of 8")]) == 1
    sentence = "Host broken stands out: 8 of 8 infrastructure faults happened there"
    assert sentence in client.get("/status/").content.decode()
    assert not Host.objects.get().quarantined_at
    assert release_host(name="broken")
    assert scrutinise()["hosts"] == 0
    assert sentence not in client.get("/status/").content.decode()


def test_one_host_alone_is_never_reported() -> None:
    versions = [make_version(), make_version()]
    finish_matches(versions, 3)
    fail_matches(versions, 20)
    last_for(1)
    assert scrutinise()["hosts"] == 0


def test_a_host_where_bots_time_out_that_do_not_elsewhere_is_reported(client: Client) -> None:
    version, rival, slow = make_version(), make_version(), make_version()
    for worker in ("matches@sound", "matches@fine", "matches@busy"):
        played = finish_matches([version, rival], 14, worker)
        if worker == "matches@busy":
            time_out(version, played)
        # Who is slow everywhere says nothing of a host.
        time_out(slow, finish_matches([slow, rival], 1, worker))
    assert scrutinise()["hosts"] == 1
    assert reported() == {"busy": "timeouts"}
    assert "Bots time out on host busy more than elsewhere" in client.get("/status/").content.decode()


def time_out(version: Version, matches: list[int]) -> None:
    GameSeat.objects.filter(version=version, game__match__in=matches).update(fault="timeout")


def test_a_quarantined_host_is_no_worker_for_matches_until_it_is_released(client: Client) -> None:
    Pulse.objects.create(
        name="matches@h",
        kind=Pulse.Kind.WORKER,
        seen_at=timezone.now(),
        detail={"host": "h", "queues": ["matches"], "concurrency": 2, "problems": [], "canary": {}},
    )
    assert "No worker is there for matches." not in client.get("/healthz").json()["reasons"]
    assert quarantine_host(name="h")
    assert not quarantine_host(name="h")
    assert "No worker is there for matches." in client.get("/healthz").json()["reasons"]
    assert "in quarantine" in client.get("/status/").content.decode()
    assert release_host(name="h")
    assert not release_host(name="h")
    assert "No worker is there for matches." not in client.get("/healthz").json()["reasons"]
