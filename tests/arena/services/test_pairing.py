"""Keeping the queue short and full."""

import random

import pytest
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from arena.models import Ladder, LadderMatch, Pulse
from arena.pulse import MATCHES
from arena.services import pair_ladder, rate_ladder, withdraw_bot
from arena.services.pairing import MATCHES_A_WORKER, contenders, playing, queue_length, recent_meetings
from matches.models import Match
from tests.make import (
    make_bot,
    make_claim,
    make_entry,
    make_finished_match,
    make_ladder,
    make_match,
    make_version,
)

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def ladder(db: None) -> Ladder:
    return make_ladder(bank_ms=2000)


def make_worker(concurrency: int, queue: str = MATCHES) -> None:
    Pulse.objects.create(
        name=f"{queue}@{concurrency}",
        kind=Pulse.Kind.WORKER,
        detail={"queues": [queue], "concurrency": concurrency, "problems": [], "host": "here"},
        seen_at=timezone.now(),
    )


def test_matches_are_made_by_the_ladders_terms_and_rung_for(
    ladder: Ladder,
    bells: list[tuple[str, ...]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    for _ in range(3):
        make_entry(ladder)
    with django_capture_on_commit_callbacks(execute=True):
        made = pair_ladder(ladder=ladder)
    assert len(made) == MATCHES_A_WORKER
    for match in made:
        assert (match.seats, match.deals, match.preset, match.limits) == (2, 2, "official", ladder.limits)
        assert match.ladder_match.ladder == ladder
        assert match.participants.count() == 2
    assert bells == [("arena.tasks.play_match", match.pk) for match in made]


def test_a_full_queue_is_left_alone_and_refilled_as_it_empties(ladder: Ladder) -> None:
    for _ in range(3):
        make_entry(ladder)
    made = pair_ladder(ladder=ladder)
    assert pair_ladder(ladder=ladder) == []
    make_claim(made[0])
    assert len(pair_ladder(ladder=ladder)) == 1


def test_the_queue_is_as_long_as_the_workers_want_and_shared_by_the_ladders(ladder: Ladder) -> None:
    assert queue_length() == MATCHES_A_WORKER
    make_worker(3)
    make_worker(2)
    make_worker(8, queue="checks")
    assert queue_length() == 5 * MATCHES_A_WORKER
    make_ladder("table", seats=4)
    make_ladder("closed", is_open=False)
    assert queue_length() == 5 * MATCHES_A_WORKER / 2


def test_a_ladder_that_is_empty_closed_or_too_small_for_a_table_gets_no_match(ladder: Ladder) -> None:
    assert pair_ladder(ladder=ladder) == []
    make_entry(ladder)
    assert pair_ladder(ladder=ladder) == []
    make_entry(ladder)
    Ladder.objects.update(is_open=False)
    assert pair_ladder(ladder=ladder) == []
    assert not Match.objects.exists()


def test_only_active_entries_of_bots_in_play_are_paired(ladder: Ladder) -> None:
    one, two = make_entry(ladder), make_entry(ladder)
    make_entry(ladder, is_active=False)
    withdraw_bot(bot=make_entry(ladder).bot)
    expected = {one.bot.current_version_id, two.bot.current_version_id}
    assert {version.pk for version in playing(ladder)} == expected
    for match in pair_ladder(ladder=ladder):
        assert {participant.version_id for participant in match.participants.all()} == expected


def test_what_is_known_of_a_version_is_its_rating_and_its_pending_matches(ladder: Ladder) -> None:
    versions = [make_version(), make_version()]
    for version in versions:
        make_entry(ladder, version)
    make_finished_match(versions, ladder)
    rate_ladder(ladder=ladder)
    make_match(versions, ladder)
    make_claim(make_match(versions, ladder))
    make_match(versions)
    ladder.refresh_from_db()
    for contender in contenders(ladder, playing(ladder)):
        assert contender.n_matches == 3
        assert contender.elo is not None
        assert contender.standard_error is not None
    assert list(recent_meetings(ladder)) == [tuple(version.pk for version in versions)] * 3


def test_the_random_house_bot_is_soon_given_no_match_of_its_own(ladder: Ladder) -> None:
    make_entry(ladder, make_version(make_bot(name="random", is_house=True)))
    make_entry(ladder, make_version(make_bot(name="random-guest")))
    limits = {one.is_house: one.max_matches for one in contenders(ladder, playing(ladder))}
    assert limits[True] < limits[False] / 10


def test_the_draw_can_be_repeated(ladder: Ladder) -> None:
    for _ in range(5):
        make_entry(ladder)
    tables = []
    for _ in range(2):
        made = pair_ladder(ladder=ladder, rng=random.Random(4))
        tables.append([list(match.participants.values_list("version", flat=True)) for match in made])
        LadderMatch.objects.all().delete()
        Match.objects.all().delete()
    assert tables[0] == tables[1]
