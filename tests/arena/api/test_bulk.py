"""Finished matches in bulk: nothing missed, nothing twice, nothing that the reader may not see."""

from __future__ import annotations

import gzip
import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from arena.api.bulk import packed
from bots.models import Bot
from matches.models import Match
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.database]

URL = "/api/v1/matches/bulk/"


@pytest.fixture(autouse=True)
def unlimited(db: None) -> None:
    cache.clear()


def lines_of(answer: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]


def finished(minutes_ago: float, **options: Any) -> Match:
    match = make.make_finished_match(**options)
    moment = timezone.now() - timedelta(minutes=minutes_ago)
    Match.objects.filter(pk=match.pk).update(finished_at=moment)
    return match


def walked(api: APIClient, url: str) -> tuple[list[int], str]:
    """The ids of all chunks, and the cursor at the end."""
    ids: list[int] = []
    while True:
        answer = api.get(url)
        ids += [row["id"] for row in lines_of(answer)]
        link = answer.headers.get("Link")
        if link is None:
            return ids, answer.headers["X-Cursor"]
        assert link.endswith('>; rel="next"')
        url = link[1:].partition(">")[0]


def test_a_line_has_all_that_ratings_are_reckoned_from(api: APIClient) -> None:
    ladder = make.make_ladder()
    match = finished(5, ladder=ladder, deals=2)
    (row,) = lines_of(api.get(URL))
    match.refresh_from_db()
    assert (row["id"], row["ladder"], row["seed"]) == (match.pk, "duel", bytes(match.seed).hex())
    assert row["tally"] == match.result.tally
    assert datetime.fromisoformat(row["finished_at"]).replace(microsecond=0) == match.finished_at.replace(
        microsecond=0
    )
    seated = list(match.participants.select_related("version"))
    assert [one["sha256"] for one in row["participants"]] == [one.version.sha256 for one in seated]
    assert len(row["games"]) == 4
    for told, game in zip(row["games"], match.games.order_by("pk"), strict=True):
        seats = list(game.seats.order_by("seat"))
        assert told["versions"] == [seat.version_id for seat in seats]
        assert told["placings"] == [seat.placing for seat in seats]
        assert told["totals"] == [seat.total for seat in seats]


def test_chunks_follow_each_other_in_the_order_of_finishing_and_go_on_another_day(api: APIClient) -> None:
    # Neither by id, nor all at different moments.
    matches = [finished(minutes) for minutes in (5, 9, 7, 7, 8)]
    same = matches[2]
    same.refresh_from_db()
    Match.objects.filter(pk=matches[3].pk).update(finished_at=same.finished_at)
    ids, cursor = walked(api, f"{URL}?size=2")
    assert ids == [matches[number].pk for number in (1, 4, 2, 3, 0)]
    answer = api.get(f"{URL}?cursor={cursor}")
    assert (lines_of(answer), answer.headers["X-Cursor"]) == ([], cursor)
    later = finished(4)
    assert walked(api, f"{URL}?cursor={cursor}")[0] == [later.pk]


def test_what_has_only_just_finished_waits_lest_a_slower_one_be_missed(api: APIClient) -> None:
    finished(0.5)
    make.make_match()
    answer = api.get(URL)
    assert lines_of(answer) == []
    assert "X-Cursor" not in answer.headers


def test_hidden_and_sealed_matches_are_not_in_it(api: APIClient, operator: User) -> None:
    hidden, sealed, shown = (finished(minutes) for minutes in (9, 8, 7))
    Bot.objects.filter(versions__participations__match=hidden).update(is_hidden=True)
    Match.objects.filter(pk=sealed.pk).update(embargo_until=timezone.now() + timedelta(days=1))
    assert walked(api, URL)[0] == [shown.pk]
    api.force_login(operator)
    assert walked(api, URL)[0] == [hidden.pk, sealed.pk, shown.pk]


def test_it_is_narrowed_to_a_ladder(api: APIClient) -> None:
    finished(9)
    wanted = [finished(minutes, ladder=ladder).pk for ladder in [make.make_ladder()] for minutes in (8, 7)]
    assert walked(api, f"{URL}?ladder=duel&size=1")[0] == wanted


def test_it_is_sent_as_gzip_to_those_who_take_it(api: APIClient) -> None:
    match = finished(5)
    answer = api.get(URL, HTTP_ACCEPT_ENCODING="gzip")
    assert answer.headers["Content-Encoding"] == "gzip"
    (line,) = gzip.decompress(b"".join(answer.streaming_content)).splitlines()
    assert json.loads(line)["id"] == match.pk
    assert gzip.decompress(b"".join(packed([]))) == b""


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("cursor=x", "cursor"),
        ("cursor=", "cursor"),
        ("cursor=999999999999999999-1", "cursor"),
        ("cursor=-5-1", "cursor"),
        ("size=0", "size"),
        ("size=2001", "size"),
        ("ladder=nowhere", "ladder"),
    ],
)
def test_a_parameter_that_cannot_be_is_named(api: APIClient, query: str, field: str) -> None:
    answer = api.get(f"{URL}?{query}")
    assert answer.status_code == 400
    assert list(answer.json()["error"]["fields"]) == [field]


def test_a_longer_chunk_needs_no_more_queries(api: APIClient) -> None:
    for minutes in range(5, 11):
        finished(minutes)

    def n_queries(size: int) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert len(lines_of(api.get(f"{URL}?size={size}"))) == size
        # What counts the tries is not of the matches.
        return sum("matches_" in query["sql"] for query in queries)

    assert n_queries(1) == n_queries(6) == 4


def test_who_asks_too_often_is_told_to_wait(api: APIClient, settings: Settings) -> None:
    # However slow the host is.
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "bulk": "2/h/ip"}
    answers = [api.get(URL) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[-1].headers["Retry-After"] == "60"
    assert answers[-1].json()["error"]["code"] == "throttled"
