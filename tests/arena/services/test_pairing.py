"""Keeping the queue short and full."""

import random

import pytest
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from arena.models import Ladder, LadderMatch, Pulse
from arena.pairing.field import Record
from arena.pairing.first import Reason
from arena.pulse import MATCHES
from arena.services import pair_ladder, rate_ladder, void_match, withdraw_bot
from arena.services.pairing import contenders, history, playing
from arena.services.queueing import LEAST_A_WORKER, MOST_A_WORKER, WORK_S, duration_s, queue_length
from matches.models import Match, Result
from tests.make import (
    make_bot,
    make_claim,
    make_entry,
    make_finished_match,
    make_ladder,
    make_match,
    make_user,
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
    assert len(made) == LEAST_A_WORKER
    for match in made:
        assert (match.seats, match.deals, match.preset, match.limits) == (2, 2, "official", ladder.limits)
        link = LadderMatch.objects.get(match=match)
        assert link.ladder == ladder
        assert Reason(link.reason)
        assert link.made_for_id in match.participants.values_list("version", flat=True)
        assert match.participants.count() == 2
    assert bells == [("arena.tasks.play_match", match.pk) for match in made]


def test_a_full_queue_is_left_alone_and_refilled_as_it_empties(ladder: Ladder) -> None:
    for _ in range(3):
        make_entry(ladder)
    made = pair_ladder(ladder=ladder)
    assert pair_ladder(ladder=ladder) == []
    make_claim(made[0])
    assert len(pair_ladder(ladder=ladder)) == 1


def lasted(match: Match, seconds: float) -> None:
    """Let the match have taken so long."""
    Result.objects.filter(match=match).update(duration_ms=round(seconds * 1000))


def test_without_a_result_a_few_matches_wait_for_each_worker(ladder: Ladder) -> None:
    assert queue_length(Result.objects.all(), 4) == LEAST_A_WORKER
    make_worker(3)
    make_worker(2)
    make_worker(8, queue="checks")
    assert queue_length(Result.objects.all(), 4) == 5 * LEAST_A_WORKER
    make_ladder("table", seats=4)
    make_ladder("closed", is_open=False)
    assert queue_length(Result.objects.all(), 4) == 5 * LEAST_A_WORKER / 2


@pytest.mark.parametrize(
    ("seconds", "length"),
    [(0.0, MOST_A_WORKER), (0.5, MOST_A_WORKER), (2.0, WORK_S / 2), (60.0, LEAST_A_WORKER)],
)
def test_the_queue_holds_so_much_work_as_the_latest_matches_took(
    ladder: Ladder, seconds: float, length: int
) -> None:
    versions = [make_version(), make_version()]
    lasted(make_finished_match(versions, ladder, deals=2), seconds)
    results = Result.objects.filter(match__ladder_match__ladder=ladder)
    assert queue_length(results, 4) == length
    assert duration_s(results, 8) == pytest.approx(max(2 * seconds, 0.001))


def test_one_slow_match_does_not_shorten_the_queue(ladder: Ladder) -> None:
    versions = [make_version(), make_version()]
    for seconds in (2.0, 2.0, 300.0):
        lasted(make_finished_match(versions, ladder, deals=2), seconds)
    assert queue_length(Result.objects.all(), 4) == WORK_S / 2


def test_a_ladder_without_a_result_goes_by_what_other_games_take(ladder: Ladder) -> None:
    versions = [make_version(), make_version()]
    lasted(make_finished_match(versions, deals=2), 1.0)
    assert queue_length(Result.objects.none(), 8) == WORK_S / 2


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


def test_what_is_known_of_a_version_is_its_rating_and_what_is_not_yet_in_it(ladder: Ladder) -> None:
    versions = [make_version(), make_version()]
    for version in versions:
        make_entry(ladder, version)
    make_finished_match(versions, ladder)
    rate_ladder(ladder=ladder)
    make_finished_match(versions, ladder)
    make_match(versions, ladder)
    make_claim(make_match(versions, ladder))
    make_match(versions)
    void_match(match=make_match(versions, ladder))
    ladder.refresh_from_db()
    for contender in contenders(ladder, playing(ladder)):
        assert (contender.n_rated, contender.n_pending, contender.n_opponents) == (1, 3, 1)
        assert contender.elo is not None
        assert contender.standard_error is not None
    one, two = versions
    assert history(ladder)(one.pk) == Record(4, {two.pk: 4}, {two.bot.owner_id: 4})


def test_history_counts_an_owner_once_a_match_and_the_house_never() -> None:
    table = make_ladder("table", seats=4)
    mine, rob = make_version(), make_user("rob")
    house = make_version(make_bot(is_house=True))
    first, second, third = (make_version(make_bot(rob)), make_version(make_bot(rob)), make_version())
    make_match([mine, first, third, house], table)
    make_match([mine, second, third, house], table)
    found = history(table)(mine.pk)
    assert found.n_matches == 2
    assert found.met == {first.pk: 1, second.pk: 1, third.pk: 2, house.pk: 2}
    assert found.owners == {rob.pk: 2, third.bot.owner_id: 2}


def test_a_new_version_starts_from_what_the_bots_last_was_worth(ladder: Ladder) -> None:
    old, other = make_version(), make_version()
    for version in (old, other):
        make_entry(ladder, version)
    make_finished_match([old, other], ladder, winner=old)
    rate_ladder(ladder=ladder)
    new = make_version(old.bot)
    ladder.refresh_from_db()
    (found,) = [one for one in contenders(ladder, playing(ladder)) if one.version == new.pk]
    assert found.elo is not None
    assert found.elo > 1500
    assert found.standard_error is None


def test_who_won_everything_is_one_sided(ladder: Ladder) -> None:
    strong, weak = make_version(), make_version()
    for version in (strong, weak):
        make_entry(ladder, version)
    make_finished_match([strong, weak], ladder, winner=strong)
    rate_ladder(ladder=ladder)
    ladder.refresh_from_db()
    assert all(one.is_one_sided for one in contenders(ladder, playing(ladder)))


def test_the_random_house_bot_is_the_smoke_test(ladder: Ladder) -> None:
    make_entry(ladder, make_version(make_bot(name="random", is_house=True)))
    make_entry(ladder, make_version(make_bot(name="random-guest")))
    found = {one.is_house: one.is_smoke_test for one in contenders(ladder, playing(ladder))}
    assert found == {True: True, False: False}
    (match,) = pair_ladder(ladder=ladder)
    assert LadderMatch.objects.get(match=match).reason == Reason.SMOKE_TEST


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
