"""Several workers at one trial, and several requests of one person, each with a connection of its own."""

import pytest
from pytest_django import Settings

from arena.models import RequestedMatch, Trial
from arena.services.queueing import LEAST_A_WORKER
from arena.services.trials import TrialError, advance, request_match, start_trial
from matches.models import Match
from tests.arena.services.test_concurrency import at_once
from tests.arena.trials.staging import make_trial, make_versions, played
from tests.make import make_bot, make_user, make_version

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

THREADS = 4


def test_workers_that_bring_a_trial_on_at_once_make_no_match_twice() -> None:
    trial = make_trial(make_user())
    at_once(*[lambda: advance(trial_id=trial.pk)] * THREADS)
    assert Match.objects.count() == LEAST_A_WORKER


def test_results_that_come_at_once_are_all_counted() -> None:
    trial = make_trial(make_user(), max_pairs=10)
    made = advance(trial_id=trial.pk)

    def end_and_tell(match: Match) -> None:
        played(trial, match, (0, 1, 1, 1, 2))
        advance(trial_id=trial.pk)

    at_once(*[lambda match=match: end_and_tell(match) for match in made])
    trial.refresh_from_db()
    assert (trial.state, trial.counts) == (Trial.State.UNDECIDED, [2, 0, 6, 0, 2])


def test_quotas_hold_however_many_ask_at_once(settings: Settings) -> None:
    settings.QUOTA_TRIALS, settings.QUOTA_PENDING_REQUESTS = 1, 2
    owner = make_user()
    old, new = make_versions(owner)
    house = make_version(make_bot(is_house=True))

    def ask(what: str) -> str:
        try:
            if what == "trial":
                start_trial(owner=owner, version=new, opponent=old)
            else:
                request_match(by=owner, version=new, opponent=house)
        except TrialError as error:
            return error.code
        return what

    answers = at_once(*[lambda what=what: ask(what) for what in ("trial", "match") for _ in range(THREADS)])
    refused = ["too_many_requests"] * (THREADS - 2) + ["too_many_trials"] * (THREADS - 1)
    assert sorted(answers) == sorted(["trial", "match", "match", *refused])
    assert Trial.objects.count() == 1
    assert RequestedMatch.objects.count() == 2
