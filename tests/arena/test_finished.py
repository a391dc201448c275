"""How many matches have finished today, with and without what the sweep has counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from arena import finished, pulse
from arena.models import Pulse
from matches.models import Match
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
