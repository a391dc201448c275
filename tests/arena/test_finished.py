"""How many matches have finished today and how attempts have ended, with and without what the sweep has counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from arena import finished, pulse
from arena.models import Pulse
from matches.models import Attempt, Match
from tests.make import make_match

pytestmark = [pytest.mark.django_db, pytest.mark.database]
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """What time it is: the last moment in it."""
    now = [NOON]
    monkeypatch.setattr(timezone, "now", lambda: now[-1])
    return now


def finish(*moments: datetime) -> None:
    for moment in moments:
        Match.objects.filter(pk=make_match().pk).update(finished_at=moment)


def sweep() -> None:
    pulse.record_job(pulse.SWEEP, **finished.swept())


def test_todays_matches_are_counted_whether_a_sweep_has_counted_them_or_not(clock: list[datetime]) -> None:
    midnight = NOON.replace(hour=0)
    finish(midnight - timedelta(microseconds=1), midnight, NOON - timedelta(hours=1), NOON)
    assert finished.n_today() == 3
    sweep()
    assert finished.n_today() == 3
    finish(NOON - timedelta(seconds=30), NOON + timedelta(seconds=30))
    clock.append(NOON + timedelta(minutes=1))
    assert finished.n_today() == finished.n_today(Pulse.objects.all()) == 5


def test_the_next_sweep_counts_a_match_that_was_stored_long_after_it_had_finished(
    clock: list[datetime],
) -> None:
    sweep()
    finish(NOON - timedelta(minutes=10))
    sweep()
    assert finished.n_today() == 1


def test_what_the_sweep_counted_yesterday_is_not_todays(clock: list[datetime]) -> None:
    finish(NOON, NOON - timedelta(hours=3))
    sweep()
    clock.append(NOON + timedelta(hours=12))
    finish(clock[-1])
    assert finished.n_today() == 1
    sweep()
    assert finished.n_today() == 1


def test_a_sign_of_the_sweep_that_tells_no_count_is_no_count(clock: list[datetime]) -> None:
    finish(NOON)
    pulse.record_job(pulse.SWEEP)
    assert finished.n_today() == 1


def test_no_more_is_counted_than_anybody_wants_to_know(
    clock: list[datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finished, "COUNTED_TO", 2)
    finish(*[NOON - timedelta(minutes=minutes) for minutes in (0, 3, 4, 5)])
    assert finished.n_today() == 2
    sweep()
    assert finished.n_today() == 2


def end(at: datetime, outcome: Attempt.Outcome = Attempt.Outcome.FINISHED, cause: str = "") -> None:
    Attempt.objects.create(
        match=make_match(), number=1, token=uuid4(), worker="w", outcome=outcome, cause=cause, ended_at=at
    )


def lately() -> list[tuple[str, str, int]]:
    return [(ended.outcome.value, ended.cause, ended.n) for ended in finished.lately()]


def test_attempts_of_the_last_hour_are_counted_whether_a_sweep_has_counted_them_or_not(
    clock: list[datetime],
) -> None:
    for minutes in (61, 59, 30, 1):
        end(NOON - timedelta(minutes=minutes))
    end(NOON - timedelta(minutes=20), Attempt.Outcome.INFRASTRUCTURE, "lag")
    counted = [("finished", "", 3), ("infrastructure", "lag", 1)]
    assert lately() == counted
    sweep()
    assert lately() == counted
    end(NOON + timedelta(seconds=30))
    clock.append(NOON + timedelta(minutes=1))
    assert lately() == [("finished", "", 4), ("infrastructure", "lag", 1)]


def test_what_no_sweep_has_counted_for_long_is_counted_anew(clock: list[datetime]) -> None:
    end(NOON - timedelta(minutes=59))
    sweep()
    clock.append(NOON + timedelta(minutes=10))
    assert lately() == []


def test_a_failure_of_ours_is_told_from_what_ended_well(clock: list[datetime]) -> None:
    for outcome in (Attempt.Outcome.FINISHED, Attempt.Outcome.LOST, Attempt.Outcome.INFRASTRUCTURE):
        end(NOON, outcome)
    assert {ended.outcome.value: ended.is_failure for ended in finished.lately()} == {
        "finished": False,
        "infrastructure": True,
        "lost": True,
    }
