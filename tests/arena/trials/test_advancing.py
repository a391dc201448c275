"""A trial is what its matches' results say: whatever the order, however often asked, whatever was taken back."""

import itertools

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from arena.models import LadderMatch, Trial, TrialMatch
from arena.ratings.sequential import SequentialTest, Verdict
from arena.services import hide_bot, retire_bots, void_match, withdraw_bot
from arena.services.queueing import LEAST_A_WORKER
from arena.services.trials import advance, bring_on_all, stop_trial
from arena.services.trials.advancing import PATH_POINTS, course, thinned
from arena.trials.models import counts_of
from bots.models import Version
from matches.models import Match
from matches.services import return_expired_leases
from tests.arena.trials.staging import make_trial, played
from tests.make import expire, make_claim, make_ladder

# What a trial comes to is reckoned from results; how it is kept, the other tests of trials see on both databases.
pytestmark = pytest.mark.django_db

CLEAN_SWEEP = (2, 2, 2, 2, 2)
LOST = (0, 0, 0, 0, 0)
EVEN = (0, 1, 1, 1, 2)


def reread(trial: Trial) -> Trial:
    return Trial.objects.get(pk=trial.pk)


def play_all(trial: Trial, scores: tuple[float, ...], most: int = 100) -> Trial:
    """Play what the trial asks for until it asks for nothing more."""
    for _ in range(most):
        advance(trial_id=trial.pk)
        queued = Match.objects.filter(trial_match__trial=trial, status=Match.Status.QUEUED).order_by("pk")
        match = queued.first()
        if match is None:
            break
        played(trial, match, scores)
    advance(trial_id=trial.pk)
    return reread(trial)


def test_pairs_are_counted_by_what_the_version_scored_in_them(owner: User) -> None:
    trial = make_trial(owner)
    (match, *_) = advance(trial_id=trial.pk)
    found = played(trial, match, (0, 0.5, 1, 1.5, 2))
    assert counts_of(found.result.tally, trial.version_id) == [1, 1, 1, 1, 1]
    assert counts_of(found.result.tally, trial.opponent_id) == [1, 1, 1, 1, 1]
    (other, *_) = advance(trial_id=trial.pk)
    found = played(trial, other, (2, 2, 2, 1.5, 0))
    assert counts_of(found.result.tally, trial.version_id) == [1, 0, 0, 1, 3]
    assert counts_of(found.result.tally, trial.opponent_id) == [3, 1, 0, 0, 1]


def test_matches_are_duplicate_unrated_and_by_the_terms_of_the_duel(owner: User) -> None:
    ladder = make_ladder(bank_ms=1234)
    trial = make_trial(owner)
    for match in advance(trial_id=trial.pk):
        assert (match.seats, match.deals, match.limits) == (2, 5, ladder.limits)
        assert match.trial_match.trial == trial
    assert not LadderMatch.objects.exists()


def test_a_better_version_is_found_and_nothing_more_is_played(owner: User) -> None:
    trial = play_all(make_trial(owner), (2, 2, 2, 1, 1.5))
    assert trial.state == Trial.State.BETTER
    assert trial.test.llr(trial.counts) >= trial.test.upper
    assert trial.finished_at is not None
    assert not Match.objects.filter(status=Match.Status.QUEUED).exists()
    assert advance(trial_id=trial.pk) == []


def test_a_worse_version_is_found(owner: User) -> None:
    trial = play_all(make_trial(owner), LOST)
    assert trial.state == Trial.State.NOT_BETTER
    assert trial.counts[0] == trial.n_pairs


def test_it_ends_undecided_at_its_limit(owner: User) -> None:
    trial = play_all(make_trial(owner, max_pairs=12), EVEN)
    assert trial.state == Trial.State.UNDECIDED
    # Whole matches are played: the limit is reached with the third.
    assert trial.n_pairs == 15
    assert trial.trial_matches.count() == 3


def test_few_matches_wait_at_a_time(owner: User) -> None:
    trial = make_trial(owner)
    assert len(advance(trial_id=trial.pk)) == LEAST_A_WORKER
    assert advance(trial_id=trial.pk) == []
    other = make_trial(owner)
    # Two trials share what one has alone.
    assert len(advance(trial_id=other.pk)) == LEAST_A_WORKER / 2


def test_trials_and_ladders_share_the_queue(owner: User) -> None:
    make_ladder()
    assert len(advance(trial_id=make_trial(owner).pk)) == LEAST_A_WORKER / 2


def test_results_count_in_the_order_in_which_matches_were_made(owner: User) -> None:
    trial = make_trial(owner)
    first, second = advance(trial_id=trial.pk)
    played(trial, second, CLEAN_SWEEP)
    advance(trial_id=trial.pk)
    assert reread(trial).counts == [0] * 5
    played(trial, first, LOST)
    advance(trial_id=trial.pk)
    assert reread(trial).counts == [5, 0, 0, 0, 5]


def test_neither_order_nor_repetition_changes_what_it_comes_to(owner: User) -> None:
    results = []
    for order in itertools.permutations(range(2)):
        trial = make_trial(owner)
        made = advance(trial_id=trial.pk)
        stop_others(trial)
        for number in order:
            played(trial, made[number], (CLEAN_SWEEP, (1, 2, 0.5, 2, 2))[number])
            for _ in range(3):
                advance(trial_id=trial.pk)
        found = reread(trial)
        results.append((found.counts, found.path))
    assert results[0] == results[1]


def stop_others(trial: Trial) -> None:
    for other in Trial.objects.running().exclude(pk=trial.pk):
        stop_trial(trial=other, by=other.owner)


def test_a_killed_worker_costs_nothing(owner: User) -> None:
    trial = make_trial(owner)
    made = advance(trial_id=trial.pk)
    make_claim(made[0])
    expire(made[0])
    assert return_expired_leases() == 1
    assert advance(trial_id=trial.pk) == []
    for match in made:
        played(trial, match, EVEN)
    advance(trial_id=trial.pk)
    assert reread(trial).n_pairs == 10


def test_a_void_match_is_left_out_and_another_takes_its_place(owner: User) -> None:
    trial = make_trial(owner, max_pairs=10)
    first, second = advance(trial_id=trial.pk)
    played(trial, first, CLEAN_SWEEP)
    played(trial, second, EVEN)
    advance(trial_id=trial.pk)
    ended = reread(trial)
    assert ended.is_over
    void_match(match=first)
    (another,) = advance(trial_id=trial.pk)
    opened = reread(trial)
    assert (opened.state, opened.finished_at) == (Trial.State.RUNNING, None)
    assert opened.counts == [1, 0, 3, 0, 1]
    played(trial, another, EVEN)
    advance(trial_id=trial.pk)
    assert reread(trial).counts == [2, 0, 6, 0, 2]


def test_a_parked_match_does_not_hold_up_the_others(owner: User) -> None:
    trial = make_trial(owner)
    first, second = advance(trial_id=trial.pk)
    Match.objects.filter(pk=first.pk).update(status=Match.Status.PARKED)
    played(trial, second, EVEN)
    assert advance(trial_id=trial.pk) != []
    assert reread(trial).n_pairs == 5


def test_its_owner_stops_it_for_good(owner: User) -> None:
    trial = make_trial(owner)
    running, queued = advance(trial_id=trial.pk)
    claim = make_claim(running)
    stop_trial(trial=trial, by=owner)
    found = reread(trial)
    assert (found.state, found.stop) == (Trial.State.STOPPED, Trial.Stop.OWNER)
    assert Match.objects.get(pk=queued.pk).status == Match.Status.VOID
    assert Match.objects.get(pk=claim.match.pk).status == Match.Status.RUNNING
    assert bring_on_all().n == 0


@pytest.mark.parametrize("what", ["hidden", "suspended", "withdrawn", "banned"])
def test_it_stops_where_a_version_may_not_play_any_more(owner: User, what: str) -> None:
    trial = make_trial(owner)
    advance(trial_id=trial.pk)
    bot = trial.version.bot
    if what == "hidden":
        hide_bot(bot=bot, is_hidden=True)
    elif what == "suspended":
        Version.objects.filter(pk=trial.opponent_id).update(suspended_at=timezone.now())
    elif what == "withdrawn":
        withdraw_bot(bot=bot)
    else:
        retire_bots(user=owner)
    assert bring_on_all().n == 0
    found = reread(trial)
    assert (found.state, found.stop) == (Trial.State.STOPPED, Trial.Stop.VERSION)
    assert not Match.objects.filter(status=Match.Status.QUEUED).exists()


def test_a_trial_that_breaks_keeps_no_other_waiting(owner: User, rival: User) -> None:
    broken, well = make_trial(owner), make_trial(rival)
    (match, *_) = advance(trial_id=broken.pk)
    played(broken, match, EVEN)
    match.result.tally = {}
    match.result.save()
    done = bring_on_all()
    assert done.n >= 1
    assert done.broken == [f"trial {broken.pk}"]
    assert TrialMatch.objects.filter(trial=well).exists()


def test_the_course_ends_with_the_verdict_whatever_follows() -> None:
    test = SequentialTest()
    sweeps = [[0, 0, 0, 1, 4]] * 200
    now = course(test, sweeps)
    assert now.verdict is Verdict.BETTER
    assert len(now.path) < 200
    assert course(test, sweeps[: len(now.path) - 1]).verdict is None
    assert course(test, [*sweeps[: len(now.path)], *[[5, 0, 0, 0, 0]] * 500]) == now


def test_a_long_path_is_thinned_out_and_keeps_its_ends() -> None:
    path = [(5 * n, n / 10) for n in range(1, 5000)]
    thin = thinned(path)
    assert len(thin) <= PATH_POINTS + 1
    assert (thin[0], thin[-1]) == (path[0], path[-1])
    assert thinned(path[:7]) == path[:7]
    assert thinned([]) == []
