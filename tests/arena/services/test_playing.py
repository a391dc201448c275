"""A worker's way with queued matches: what it does after attempts that fail."""

from __future__ import annotations

import pytest

from arena import fitness
from arena.fitness import Fitness
from arena.services import play_queued_match, playing
from arena.services.playing import rest_s
from matches.models import Attempt, Match
from matches.services import Claim, fail_attempt, finish_match
from tests.make import make_match, make_record

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_the_rest_grows_with_failures_in_a_row_to_a_limit_and_what_took_long_needs_none() -> None:
    assert [rest_s(n, took_s=0.0) for n in range(7)] == [0, 0, 5, 10, 20, 40, 40]
    assert rest_s(10**6, took_s=15.0) == 25
    assert rest_s(5, took_s=50.0) == 0


def test_a_process_whose_attempts_fail_one_after_the_other_rests_with_nothing_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fitness, "_fitness", Fitness(match_mib=4096, n_processes=1))
    monkeypatch.setattr(playing, "rest_s", lambda n_failed, took_s: 100.0 * n_failed)
    naps = []

    def nap(seconds: float) -> None:
        assert not Match.objects.filter(status=Match.Status.RUNNING).exists()
        naps.append(seconds)

    monkeypatch.setattr(playing.time, "sleep", nap)
    breaks = True

    def play(*, claim: Claim, launcher: object) -> bool:
        if breaks:
            fail_attempt(claim=claim, cause="sandbox", detail="No sandbox can be made.")
            return False
        return finish_match(claim=claim, record=make_record(claim.match))

    monkeypatch.setattr(playing, "play", play)
    match = make_match()
    for _ in range(2):
        assert not play_queued_match(match_id=match.pk, worker="matches@here")
    assert naps == [100, 200]
    breaks = False
    assert play_queued_match(match_id=match.pk, worker="matches@here")
    breaks = True
    assert not play_queued_match(match_id=make_match().pk, worker="matches@here")
    assert naps == [100, 200, 100]
    assert Attempt.objects.filter(cause="sandbox").count() == 3
