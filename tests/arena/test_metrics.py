"""What /metrics tells, whom, and at what price."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from arena import metrics
from arena.models import Ladder, Pulse
from arena.services import rate_ladder
from bots.models import Version
from matches.models import Attempt, Match
from matches.services import fail_attempt, return_expired_leases
from tests.make import (
    expire,
    make_claim,
    make_finished_match,
    make_ladder,
    make_match,
    make_version,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TOKEN = "t" * 40


def scraped() -> dict[tuple[str, ...], float]:
    """Every sample by its name and its labels' values, in the order of the labels' names."""
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(metrics.exposition().decode())
        for sample in family.samples
    }


def age(match: Match, **by: int) -> None:
    Match.objects.filter(pk=match.pk).update(created_at=timezone.now() - timedelta(**by))


def make_worker(name: str, queue: str, *problems: str, seconds_ago: int = 1) -> None:
    Pulse.objects.create(
        name=name,
        kind="worker",
        is_well=not problems,
        seen_at=timezone.now() - timedelta(seconds=seconds_ago),
        detail={"host": "h", "queues": [queue], "concurrency": 3, "problems": list(problems), "canary": {}},
    )


def test_queues_are_told_by_ladder_with_their_oldest_wait() -> None:
    duel, table = make_ladder("duel"), make_ladder("table", seats=2)
    age(make_match(ladder=duel), minutes=30)
    make_match(ladder=duel)
    make_claim(make_match(ladder=duel))
    parked = make_match()
    Match.objects.filter(pk=parked.pk).update(status=Match.Status.PARKED)
    make_finished_match(ladder=table)
    found = scraped()
    assert found["skyjo_matches", "duel", "queued"] == 2
    assert found["skyjo_matches", "duel", "running"] == 1
    assert found["skyjo_matches", "duel", "parked"] == 0
    assert found["skyjo_matches", metrics.NO_LADDER, "parked"] == 1
    assert found["skyjo_matches", "table", "queued"] == 0
    assert found["skyjo_match_oldest_wait_seconds", "duel"] == pytest.approx(1800, abs=120)
    assert found["skyjo_match_oldest_wait_seconds", "table"] == 0


def test_checks_and_suspended_versions_are_counted() -> None:
    received = make_version(status=Version.Status.RECEIVED)
    Version.objects.filter(pk=received.pk).update(created_at=timezone.now() - timedelta(minutes=10))
    make_version(status=Version.Status.PARKED)
    suspended = make_version()
    Version.objects.filter(pk=suspended.pk).update(suspended_at=timezone.now())
    found = scraped()
    assert (found["skyjo_checks", "received"], found["skyjo_checks", "parked"]) == (1, 1)
    assert found["skyjo_check_oldest_wait_seconds",] == pytest.approx(600, abs=120)
    assert found["skyjo_suspended_versions",] == 1


def test_attempts_of_the_last_hour_are_told_by_outcome_and_cause() -> None:
    make_finished_match()
    fail_attempt(claim=make_claim(), cause="lag", detail="the host was slow")
    lost = make_match()
    make_claim(lost)
    expire(lost)
    return_expired_leases()
    make_claim()
    long_ago = make_finished_match()
    Attempt.objects.filter(match=long_ago).update(ended_at=timezone.now() - timedelta(hours=2))
    told = {key[1:]: value for key, value in scraped().items() if key[0] == "skyjo_attempts_last_hour"}
    # In the order of the labels' names: cause, outcome.
    assert told == {("", "finished"): 1, ("lag", "infrastructure"): 1, ("lease", "lost"): 1}


def test_workers_are_told_with_their_sandbox_and_the_silent_ones_have_no_processes() -> None:
    make_worker("matches@one", "matches")
    make_worker("matches@two", "matches", "bubblewrap is missing.")
    make_worker("matches@gone", "matches", seconds_ago=600)
    make_worker("housekeeping@one", "housekeeping")
    found = scraped()
    assert found["skyjo_processes", "matches"] == 6
    assert found["skyjo_processes", "checks"] == 0
    assert found["skyjo_processes", "housekeeping"] == 3
    sandboxes = {key[2]: value for key, value in found.items() if key[0] == "skyjo_sandbox_ok"}
    assert sandboxes == {"matches@one": 1, "matches@two": 0}
    assert found["skyjo_worker_seen_seconds", "h", "matches@gone"] == pytest.approx(600, abs=120)


def test_jobs_and_ratings_are_told_with_their_age_and_what_the_ratings_do_not_know_yet() -> None:
    Pulse.objects.create(name="sweep", kind="job", seen_at=timezone.now() - timedelta(seconds=300))
    ladder = make_ladder("duel")
    unrated = make_ladder("table")
    make_finished_match(ladder=ladder)
    late = make_finished_match(ladder=unrated)
    Attempt.objects.filter(match=late).update(ended_at=timezone.now() - timedelta(minutes=20))
    assert rate_ladder(ladder=ladder)
    found = scraped()
    assert found["skyjo_job_age_seconds", "sweep"] == pytest.approx(300, abs=120)
    assert found["skyjo_rating_age_seconds", "duel"] < 120
    assert found["skyjo_rating_lag_seconds", "duel"] == 0
    assert ("skyjo_rating_age_seconds", "table") not in found
    assert found["skyjo_rating_lag_seconds", "table"] == pytest.approx(1200, abs=120)

    Attempt.objects.filter(match=make_finished_match(ladder=ladder)).update(ended_at=timezone.now())
    assert scraped()["skyjo_rating_lag_seconds", "duel"] > 0


def test_the_disk_and_the_database_have_a_size() -> None:
    found = scraped()
    assert 0 < found["skyjo_disk_free_bytes",] <= found["skyjo_disk_bytes",]
    assert found["skyjo_database_bytes",] > 100_000


def test_a_scrape_costs_few_queries_however_much_there_is(
    django_assert_max_num_queries: Callable[..., object],
) -> None:
    for number in range(4):
        ladder = make_ladder(f"ladder-{number}")
        make_finished_match(ladder=ladder)
        make_match(ladder=ladder)
        make_worker(f"matches@{number}", "matches")
    with django_assert_max_num_queries(10):
        metrics.exposition()


def test_a_scrape_reads_no_table_that_grows_from_end_to_end() -> None:
    make_finished_match(ladder=make_ladder())
    statements: list[tuple[str, Any]] = []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if " FROM " in sql:
            statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        metrics.exposition()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # With so few rows it would read them all, index or no index.
            cursor.execute("SET LOCAL enable_seqscan = off")
            command, scan = "EXPLAIN", r"Seq Scan on (\w+)"
        else:
            command, scan = "EXPLAIN QUERY PLAN", r"SCAN (\w+)(?! USING)"
        plans = []
        for sql, params in statements:
            cursor.execute(f"{command} {sql}", params)
            plans += [str(row[-1]) for row in cursor.fetchall()]
    read_whole = set(re.findall(scan, "\n".join(plans)))
    assert plans
    assert not read_whole & {"matches_match", "matches_attempt", "arena_laddermatch", "bots_version"}, plans


def test_nobody_reads_the_metrics_without_the_token(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    settings.METRICS_TOKEN = TOKEN
    for header in ("", f"Bearer {TOKEN}x", f"Token {TOKEN}", "Bearer é", TOKEN):
        assert client.get("/metrics", headers={"Authorization": header}).status_code == 404, header


def test_whoever_sends_the_token_reads_them(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    Ladder.objects.create(slug="duel", name="Duel", seats=2, deals=1)
    response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert "no-store" in response.headers["Cache-Control"]
    assert 'skyjo_matches{ladder="duel",status="queued"} 0.0' in response.content.decode()


def test_metrics_name_no_bot_no_person_and_no_seed(client: Client) -> None:
    version = make_version()
    match = make_match([version, make_version()], ladder=make_ladder())
    fail_attempt(claim=make_claim(match), cause="lag", detail="a traceback")
    text = metrics.exposition().decode()
    for private in (version.bot.name, version.bot.owner.username, bytes(match.seed).hex(), "traceback"):
        assert private not in text
