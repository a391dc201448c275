from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from arena.health import Health
from arena.models import Host, LadderMatch, Pulse
from bots.models import Bot, Version
from matches.models import Attempt, GameSeat, Match
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site, finish_match, make_match, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def set_health(monkeypatch: pytest.MonkeyPatch, *reasons: str) -> None:
    monkeypatch.setattr("arena.health.now", lambda *_args: Health(ok=not reasons, reasons=list(reasons)))


def make_worker(name: str, *problems: str, canary: bool = True) -> None:
    Pulse.objects.create(
        name=name,
        kind="worker",
        is_well=not problems,
        seen_at=timezone.now() - timedelta(seconds=5),
        detail={
            "host": "h",
            "queues": ["matches"],
            "concurrency": 2,
            "problems": list(problems),
            "canary": {"network": "refused"} if canary else {},
        },
    )


def test_health_is_200_without_reasons(client: Client, monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    set_health(monkeypatch)
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"ok": True, "reasons": []}
    assert "no-store" in response.headers["Cache-Control"]
    assert "Content-Security-Policy" in response.headers


def test_health_is_503_with_its_reasons(client: Client, monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    set_health(monkeypatch, "The sweep last ran 90 s ago.")
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json() == {"ok": False, "reasons": ["The sweep last ran 90 s ago."]}


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_health_is_for_reading(method: str, client: Client, db: None) -> None:
    response = getattr(client, method)("/healthz")
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")


def test_an_arena_without_workers_is_not_healthy(client: Client, db: None) -> None:
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json()["reasons"]


def test_an_unreachable_database_is_a_reason_and_no_crash(
    client: Client, monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise DatabaseError("no such server")

    monkeypatch.setattr(Pulse.objects, "order_by", broken)
    response = client.get("/healthz")
    assert response.status_code == 503
    assert "no such server" not in response.content.decode()


def test_the_status_page_says_what_is_wrong(
    site: Site, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_health(monkeypatch, "The sweep last ran 90 s ago.")
    assert "The sweep last ran 90 s ago." in words(client.get("/status/").content.decode())
    set_health(monkeypatch)
    assert "All is well" in words(client.get("/status/").content.decode())


def test_the_status_page_counts_the_queues(site: Site, client: Client) -> None:
    make_match(site.duel, [site.house[0], site.house[1]])
    make_match(site.duel, [site.house[0], site.house[1]])
    make_match(site.duel, [site.house[0], site.house[1]], status="running")
    make_match(site.duel, [site.house[0], site.house[1]], status="parked")
    make_version(site.mine, status="received", plays=False)
    make_version(site.mine, status="parked", plays=False)
    text = words(client.get("/status/").content.decode())
    assert "Matches waiting 2" in text
    assert "Matches playing 1" in text
    assert "Matches parked 1" in text
    assert "Checks waiting 1" in text
    assert "Checks parked 1" in text


def test_the_status_page_tells_each_workers_sandbox_in_words(site: Site, client: Client) -> None:
    make_worker("matches@one")
    make_worker("matches@two", "bwrap is not installed.")
    make_worker("housekeeping@one", canary=False)
    text = words(client.get("/status/").content.decode())
    assert "housekeeping@one matches 2 runs no bots" in text
    assert "matches@one matches 2 every denial proved" in text
    assert "matches@two matches 2 refuses work bwrap is not installed." in text


def test_no_worker_at_all_is_said(site: Site, client: Client) -> None:
    assert "No worker has shown itself" in words(client.get("/status/").content.decode())


def test_it_tells_queues_by_ladder_and_what_failed_within_the_hour(site: Site, client: Client) -> None:
    make_match(site.duel, [site.house[0], site.house[1]])
    failed = make_match(site.duel, [site.house[0], site.house[1]], status="running")
    Attempt.objects.filter(match=failed).delete()
    Attempt.objects.create(
        match=failed,
        number=1,
        token=uuid.uuid4(),
        worker="w",
        outcome="infrastructure",
        cause="lag",
        ended_at=timezone.now(),
    )
    Version.objects.filter(pk=site.house[0].pk).update(suspended_at=timezone.now())
    text = words(client.get("/status/").content.decode())
    assert f"{site.duel.title} 1 1 0" in text
    assert "infrastructure fault (lag) 1" in text
    assert "Versions suspended 1" in text


def test_the_status_page_tells_our_last_error_and_the_last_games(site: Site, client: Client) -> None:
    failed = make_match(site.duel, site.house[:2])
    for minutes, outcome in ((9, "lost"), (5, "infrastructure"), (1, "stopped")):
        Attempt.objects.create(
            match=failed,
            number=minutes,
            token=uuid.uuid4(),
            worker="w",
            outcome=outcome,
            cause="lag" if outcome == "infrastructure" else "",
            ended_at=timezone.now() - timedelta(minutes=minutes),
        )
    response = client.get("/status/")
    text = words(response.content.decode())
    assert "Last infrastructure fault 5 minutes ago (lag)" in text
    assert [played.pk for played in response.context["games"]] == [game.pk for game in site.games[::-1]]
    assert "bot fault: time-out" in text
    found = client.get("/api/v1/status/").json()
    assert (found["last_failure"]["match"], found["last_failure"]["cause"]) == (failed.pk, "lag")
    assert found["last_finished"]["id"] == site.match.pk
    assert found["matches"]["n_waiting"] == 1
    assert found["n_finished_today"] == 1


def test_the_api_tells_queues_hosts_and_workers_as_the_status_page_does(site: Site, client: Client) -> None:
    make_match(site.duel, site.house[:2])
    parked = make_match(site.duel, site.house[:2], status="parked")
    LadderMatch.objects.filter(match=parked).delete()
    hosts = [Host(name="birch", quarantined_at=timezone.now()), Host(name="alder")]
    Host.objects.bulk_create(hosts)
    make_worker("matches@birch", "Too little memory.")
    found = client.get("/api/v1/status/").json()
    assert found["matches"]["n_waiting"] == found["matches"]["n_parked"] == 1
    by_ladder = {queue["ladder"]: (queue["n_waiting"], queue["n_parked"]) for queue in found["queues"]}
    assert by_ladder == {"duel": (1, 0), None: (0, 1)}
    (host,) = found["hosts"]
    assert (host["name"], host["report"]) == ("birch", "")
    assert "No worker is there for matches." in found["reasons"]
    (worker,) = found["workers"]
    assert (worker["n_processes"], worker["problems"]) == (2, ["Too little memory."])


def test_the_last_match_is_the_one_that_ended_last(site: Site, client: Client) -> None:
    late = make_match(site.duel, site.house[:2], status="finished")
    Match.objects.filter(pk=late.pk).update(finished_at=timezone.now() - timedelta(days=1))
    assert client.get("/api/v1/status/").json()["last_finished"]["id"] == site.match.pk
    Match.objects.filter(pk=late.pk).update(finished_at=timezone.now() + timedelta(seconds=1))
    assert client.get("/api/v1/status/").json()["last_finished"]["id"] == late.pk


def test_finished_matches_are_counted_from_midnight_and_only_so_far(
    site: Site, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    for moment in (midnight, midnight - timedelta(seconds=1)):
        match = make_match(site.duel, site.house[:2], status="finished")
        Match.objects.filter(pk=match.pk).update(finished_at=moment)
    assert "Finished today (UTC) 2" in words(client.get("/live/").content.decode())
    monkeypatch.setattr("arena.finished.COUNTED_TO", 2)
    assert "Finished today (UTC) 2 or more" in words(client.get("/live/").content.decode())


def test_the_closest_game_of_the_latest_is_shown_to_be_watched(site: Site, client: Client) -> None:
    # The first game of the site has a fault.
    assert client.get("/").context["featured"].pk == site.games[1].pk
    first, second = finish_match(make_match(site.duel, site.house[:2]))
    GameSeat.objects.filter(game=first).update(total=70)
    GameSeat.objects.filter(game=second, seat=0).update(total=130)
    response = client.get("/")
    assert response.context["featured"].pk == first.pk
    assert f'href="/games/{first.pk}/"' in response.content.decode()
    Bot.objects.filter(is_house=True).update(is_hidden=True)
    assert client.get("/").context["featured"] is None
