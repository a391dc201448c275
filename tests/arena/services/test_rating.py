"""Publishing ratings: complete matches alone, one snapshot at a time, void means without it."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from arena.accounts import delete_account
from arena.models import Ladder, LadderEntry, Rating, RatingRun
from arena.ratings.compare import rank_ranges
from arena.ratings.table import ALGORITHM
from arena.services import ban_user, hide_bot, leave_ladder, rate_ladder, void_match, withdraw_bot
from arena.services.rating import outcomes, prune_runs
from bots.models import Version
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
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def ladder(db: None) -> Ladder:
    return make_ladder()


@pytest.fixture
def greedy(db: None) -> Version:
    return make_version(make_bot(name="greedy", is_house=True))


def published(ladder: Ladder) -> dict[int, Rating]:
    ladder.refresh_from_db()
    return {rating.version_id: rating for rating in Rating.objects.published(ladder)}


def age_runs() -> None:
    """As if every fit so far had been long ago."""
    RatingRun.objects.update(created_at=timezone.now() - timedelta(minutes=5))


def test_a_ladder_without_a_result_has_no_snapshot(ladder: Ladder) -> None:
    make_match(ladder=ladder)
    assert rate_ladder(ladder=ladder) is None
    assert published(ladder) == {}


def test_a_finished_match_is_rated_with_the_anchor_at_1500(ladder: Ladder, greedy: Version) -> None:
    other = make_version()
    make_finished_match([greedy, other], ladder, deals=2)
    run = rate_ladder(ladder=ladder)
    assert run is not None
    assert (run.n_matches, run.n_games, run.n_left_out, run.algorithm) == (1, 4, 0, ALGORITHM)
    rows = published(ladder)
    assert rows[greedy.pk].elo == 1500.0
    assert rows[other.pk].standard_error > 0
    assert rows[other.pk].is_provisional
    assert "error" in rows[other.pk].doubts
    assert (rows[other.pk].n_matches, rows[other.pk].n_games, rows[other.pk].n_opponents) == (1, 4, 1)
    assert {row.rank for row in rows.values()} == {1, 2}


def test_a_snapshot_says_which_ranks_are_possible(ladder: Ladder) -> None:
    winner = make_version()
    for _ in range(6):
        make_finished_match([winner, make_version()], ladder, deals=2, winner=winner)
    assert rate_ladder(ladder=ladder) is not None
    rows = list(Rating.objects.order_by("rank"))
    found = rank_ranges([(row.elo, row.standard_error) for row in rows])
    assert [(row.rank_low, row.rank_high) for row in rows] == found
    assert (rows[0].version, rows[0].rank_low) == (winner, 1)


def test_a_later_version_of_greedy_is_no_anchor(ladder: Ladder, greedy: Version) -> None:
    second = make_version(greedy.bot)
    make_finished_match([greedy, second], ladder, winner=second)
    rate_ladder(ladder=ladder)
    assert published(ladder)[greedy.pk].elo == 1500
    assert published(ladder)[second.pk].elo != 1500


def test_only_complete_matches_of_the_ladder_are_rated(ladder: Ladder) -> None:
    make_finished_match(ladder=make_ladder("other"))
    make_finished_match()
    make_match(ladder=ladder)
    make_claim(make_match(ladder=ladder))
    rated = make_finished_match(ladder=ladder)
    assert [outcome.match for outcome in outcomes(ladder)] == [rated.pk]


def test_nothing_is_published_again_while_no_result_came_or_went(ladder: Ladder) -> None:
    make_finished_match(ladder=ladder)
    assert rate_ladder(ladder=ladder) is not None
    age_runs()
    make_match(ladder=ladder)
    assert rate_ladder(ladder=ladder) is None
    make_finished_match(ladder=ladder)
    run = rate_ladder(ladder=ladder)
    assert run is not None
    assert run.n_matches == 2


def test_places_are_published_among_those_that_play_and_again_when_others_do(ladder: Ladder) -> None:
    versions = [make_version() for _ in range(3)]
    entries = [make_entry(ladder, version) for version in versions]
    for loser in versions[1:]:
        make_finished_match([versions[0], loser], ladder, deals=3, winner=versions[0])
    run = rate_ladder(ladder=ladder)
    assert (run.n_rated, run.n_playing) == (3, 3)
    rows = sorted(published(ladder).values(), key=lambda row: row.rank)
    assert [row.place for row in rows] == [1, 2, 3]
    assert (rows[0].rank_low, rows[0].place_low) == (1, 1)
    assert [row.better_than_next is None for row in rows] == [False, False, True]
    # However long that took.
    RatingRun.objects.update(duration_ms=0)
    LadderEntry.objects.filter(pk=entries[0].pk).update(is_active=False)
    run = rate_ladder(ladder=ladder)
    assert (run.n_rated, run.n_playing) == (3, 2)
    rows = sorted(published(ladder).values(), key=lambda row: row.rank)
    assert [(row.rank, row.place) for row in rows] == [(1, None), (2, 1), (3, 2)]
    assert rate_ladder(ladder=ladder) is None


def test_a_void_match_is_left_out_of_the_next_snapshot(ladder: Ladder) -> None:
    versions = [make_version(), make_version()]
    matches = [make_finished_match(versions, ladder, winner=winner) for winner in versions]
    rate_ladder(ladder=ladder)
    with_both = {version: rating.elo for version, rating in published(ladder).items()}
    void_match(match=matches[1])
    age_runs()
    run = rate_ladder(ladder=ladder)
    assert run is not None
    assert (run.n_matches, run.n_left_out) == (1, 1)
    only_first = {version: rating.elo for version, rating in published(ladder).items()}
    assert only_first != with_both
    void_match(match=matches[0])
    age_runs()
    rate_ladder(ladder=ladder)
    assert published(ladder) == {}


def test_a_new_result_and_a_void_one_at_once_are_noticed(ladder: Ladder) -> None:
    """The number of rated matches is then the same as before."""
    first = make_finished_match(ladder=ladder)
    rate_ladder(ladder=ladder)
    age_runs()
    void_match(match=first)
    second = make_finished_match(ladder=ladder)
    run = rate_ladder(ladder=ladder)
    assert run is not None
    assert set(published(ladder)) == {participant.version_id for participant in second.participants.all()}


def test_the_same_results_are_rated_the_same_bit_for_bit(ladder: Ladder) -> None:
    versions = [make_version() for _ in range(4)]
    for one, two in ((0, 1), (1, 2), (2, 3), (0, 3)):
        make_finished_match([versions[one], versions[two]], ladder)
    first = rate_ladder(ladder=ladder)
    before = list(Rating.objects.filter(run=first).values_list("version", "elo", "standard_error", "rank"))
    Ladder.objects.update(current_run=None)
    second = rate_ladder(ladder=ladder)
    assert first is not None
    assert second is not None
    assert first.input_sha256 == second.input_sha256
    assert (
        list(Rating.objects.filter(run=second).values_list("version", "elo", "standard_error", "rank"))
        == before
    )


def test_a_slow_fit_is_not_repeated_at_once(ladder: Ladder) -> None:
    make_finished_match(ladder=ladder)
    rate_ladder(ladder=ladder)
    RatingRun.objects.update(duration_ms=60_000, created_at=timezone.now() - timedelta(minutes=9))
    make_finished_match(ladder=ladder)
    assert rate_ladder(ladder=ladder) is None
    RatingRun.objects.update(created_at=timezone.now() - timedelta(minutes=11))
    assert rate_ladder(ladder=ladder) is not None


def test_a_clock_set_back_keeps_nobody_waiting(ladder: Ladder) -> None:
    make_finished_match(ladder=ladder)
    rate_ladder(ladder=ladder)
    RatingRun.objects.update(duration_ms=60_000, created_at=timezone.now() + timedelta(days=400))
    make_finished_match(ladder=ladder)
    run = rate_ladder(ladder=ladder)
    assert run is not None
    assert run.n_matches == 2
    ladder.refresh_from_db()
    assert ladder.current_run == run


def test_withdrawn_and_replaced_versions_stay_in_the_fit_and_leave_the_current_rows(ladder: Ladder) -> None:
    replaced, withdrawn, left, stays = (make_version() for _ in range(4))
    for version in (replaced, withdrawn, left, stays):
        make_entry(ladder, version)
    for version in (replaced, withdrawn, left):
        make_finished_match([version, stays], ladder)
    rate_ladder(ladder=ladder)
    make_version(replaced.bot)
    withdraw_bot(bot=withdrawn.bot)
    leave_ladder(bot=left.bot, ladder=ladder)
    assert len(published(ladder)) == 4
    current = Rating.objects.published(ladder).current().visible_to(ANYBODY)
    assert [rating.version for rating in current.with_names()] == [stays]


def test_what_a_banned_person_or_a_hidden_bot_played_counts_no_longer(ladder: Ladder) -> None:
    banned, hidden, one, two = (make_version() for _ in range(4))
    for pair in ([banned, one], [hidden, two], [one, two]):
        make_finished_match(pair, ladder)
    rate_ladder(ladder=ladder)
    assert len(published(ladder)) == 4
    ban_user(user=banned.bot.owner)
    hide_bot(bot=hidden.bot, is_hidden=True)
    age_runs()
    run = rate_ladder(ladder=ladder)
    assert run is not None
    assert (run.n_matches, run.n_left_out) == (1, 2)
    assert set(published(ladder)) == {one.pk, two.pk}
    hide_bot(bot=hidden.bot, is_hidden=False)
    age_runs()
    rate_ladder(ladder=ladder)
    assert set(published(ladder)) == {one.pk, two.pk, hidden.pk}


def test_one_who_is_hidden_for_another_who_is_shown_is_noticed(ladder: Ladder) -> None:
    """The number of matches left out is then the same as before."""
    first, second, other = (make_version() for _ in range(3))
    hide_bot(bot=first.bot, is_hidden=True)
    for version in (first, second):
        make_finished_match([version, other], ladder)
    rate_ladder(ladder=ladder)
    hide_bot(bot=first.bot, is_hidden=False)
    hide_bot(bot=second.bot, is_hidden=True)
    age_runs()
    rate_ladder(ladder=ladder)
    assert set(published(ladder)) == {first.pk, other.pk}


def test_what_somebody_played_who_left_the_arena_still_counts(ladder: Ladder) -> None:
    leaver, other = make_version(), make_version()
    make_finished_match([leaver, other], ladder)
    delete_account(user=leaver.bot.owner)
    rate_ladder(ladder=ladder)
    assert set(published(ladder)) == {leaver.pk, other.pk}


def test_recomputing_publishes_even_if_nothing_has_changed(ladder: Ladder) -> None:
    make_finished_match(ladder=ladder)
    first = rate_ladder(ladder=ladder)
    assert first is not None
    call_command("ratings", "recompute", "--ladder", "duel", stdout=StringIO())
    ladder.refresh_from_db()
    assert ladder.current_run != first
    assert ladder.current_run is not None
    assert ladder.current_run.input_sha256 == first.input_sha256


def test_the_difference_of_a_new_fit_is_shown_and_nothing_written(ladder: Ladder) -> None:
    one, two, three = (make_version() for _ in range(3))
    kept = make_finished_match([one, two], ladder, winner=one)
    voided = make_finished_match([one, three], ladder, winner=three)
    run = rate_ladder(ladder=ladder)
    assert shown_difference() == "Nothing would change.\n"
    void_match(match=voided)
    shown = shown_difference()
    assert f"{three}" in shown
    assert "absent" in shown
    assert "1 matches" in shown
    ladder.refresh_from_db()
    assert ladder.current_run == run
    assert RatingRun.objects.count() == 1
    void_match(match=kept)
    assert shown_difference().count("absent") == 3


def shown_difference() -> str:
    out = StringIO()
    call_command("ratings", "recompute", "--ladder", "duel", "--diff", stdout=out)
    return out.getvalue()


def test_a_ladder_that_is_not_there_is_named(ladder: Ladder) -> None:
    with pytest.raises(CommandError, match="no ladder 'duell'; there are: duel"):
        call_command("ratings", "recompute", "--ladder", "duell")


def test_old_snapshots_are_thinned_out_and_the_published_one_never_goes(ladder: Ladder) -> None:
    now = timezone.now()
    runs = []
    for minutes in range(0, 60 * 24 * 4, 20):
        run = RatingRun.objects.create(
            ladder=ladder, algorithm="x", input_sha256="", n_matches=1, n_games=1, n_left_out=0, duration_ms=1
        )
        RatingRun.objects.filter(pk=run.pk).update(created_at=now - timedelta(minutes=minutes))
        runs.append(run)
    Ladder.objects.update(current_run=runs[-2])
    prune_runs(ladder=ladder)
    kept = list(RatingRun.objects.order_by("-created_at"))
    assert runs[0] in kept
    assert runs[-2] in kept
    assert 48 <= len(kept) <= 48 + 1 + 3 + 2
    prune_runs(ladder=ladder)
    assert list(RatingRun.objects.order_by("-created_at")) == kept


def test_rating_asks_few_questions_however_many_matches_there_are(
    ladder: Ladder, django_assert_max_num_queries: object
) -> None:
    versions = [make_version() for _ in range(3)]
    for _ in range(6):
        make_finished_match(versions[:2], ladder)
        make_finished_match(versions[1:], ladder)
    assert Match.objects.count() == 12
    with django_assert_max_num_queries(21):  # type: ignore[operator]
        rate_ladder(ladder=ladder)
