"""Who may ask for what, and how much of it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from arena.models import RequestedMatch, Trial
from arena.services.trials import TrialError, request_match, start_trial, stop_trial
from bots.models import Version
from matches.models import Match
from tests.arena.trials.staging import make_trial, make_versions
from tests.make import make_bot, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def house(db: None) -> Version:
    return make_version(make_bot(name="greedy", is_house=True))


def refusal(deed: Callable[[], object]) -> tuple[str, str | None]:
    with pytest.raises(TrialError) as caught:
        deed()
    assert caught.value.sentence.endswith(".")
    return caught.value.code, caught.value.field


def test_a_trial_is_started_between_own_versions_or_against_the_house(
    owner: User,
    house: Version,
    bells: list[tuple[str, ...]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    old, new = make_versions(owner)
    with django_capture_on_commit_callbacks(execute=True):
        trial = start_trial(owner=owner, version=new, opponent=old)
    assert bells == [("arena.tasks.advance_trial", trial.pk)]
    assert (trial.nelo0, trial.nelo1, trial.alpha, trial.beta) == (0, 10, 0.05, 0.05)
    assert trial.state == Trial.State.RUNNING
    assert start_trial(owner=owner, version=old, opponent=house).opponent == house


def test_a_trial_is_of_ones_own_version_and_never_against_somebody_elses(owner: User, rival: User) -> None:
    (mine,), (theirs,) = make_versions(owner, 1), make_versions(rival, 1)
    assert refusal(lambda: start_trial(owner=owner, version=theirs, opponent=mine)) == (
        "forbidden",
        "version",
    )
    assert refusal(lambda: start_trial(owner=owner, version=mine, opponent=theirs)) == (
        "not_yours",
        "opponent",
    )
    assert refusal(lambda: start_trial(owner=owner, version=mine, opponent=mine)) == (
        "same_version",
        "opponent",
    )


def test_a_version_that_may_not_play_is_not_tried(owner: User, house: Version) -> None:
    received = make_version(make_bot(owner), status=Version.Status.RECEIVED)
    assert refusal(lambda: start_trial(owner=owner, version=received, opponent=house)) == (
        "not_ready",
        "version",
    )


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"max_pairs": 0}, "max_pairs"),
        ({"max_pairs": 10**9}, "max_pairs"),
        ({"nelo0": 10.0, "nelo1": 0.0}, "nelo1"),
        ({"nelo0": 0.0, "nelo1": 0.5}, "nelo1"),
        ({"nelo1": float("nan")}, "nelo1"),
        ({"nelo1": 1e300}, "nelo1"),
        ({"alpha": 0.0}, "alpha"),
        ({"beta": 0.9}, "beta"),
        ({"beta": float("nan")}, "beta"),
    ],
)
def test_terms_that_cannot_be_are_named(owner: User, terms: dict[str, float], field: str) -> None:
    assert refusal(lambda: make_trial(owner, **terms)) == ("invalid", field)
    assert not Trial.objects.exists()


def test_trials_have_quotas_at_once_and_by_the_day(owner: User, settings: Settings) -> None:
    settings.QUOTA_TRIALS, settings.QUOTA_TRIALS_A_DAY = 1, 2
    first = make_trial(owner)
    assert refusal(lambda: make_trial(owner)) == ("too_many_trials", None)
    stop_trial(trial=first, by=owner)
    stop_trial(trial=make_trial(owner), by=owner)
    assert refusal(lambda: make_trial(owner)) == ("too_many_trials", None)
    Trial.objects.update(created_at=timezone.now() - timedelta(days=2))
    make_trial(owner)


def test_a_form_that_is_sent_twice_starts_one_trial(owner: User, settings: Settings) -> None:
    old, new = make_versions(owner)
    settings.QUOTA_TRIALS = 3
    trial = start_trial(owner=owner, version=new, opponent=old)
    with pytest.raises(TrialError) as caught:
        start_trial(owner=owner, version=new, opponent=old)
    assert caught.value.code == "already_running"
    assert f"Trial {trial.pk} asks the same" in caught.value.sentence
    start_trial(owner=owner, version=new, opponent=old, nelo1=20.0)
    stop_trial(trial=trial, by=owner)
    start_trial(owner=owner, version=new, opponent=old)
    assert Trial.objects.count() == 3


def test_only_the_owner_and_operators_stop_a_trial_and_only_once(
    owner: User, rival: User, operator: User
) -> None:
    trial = make_trial(owner)
    assert refusal(lambda: stop_trial(trial=trial, by=rival)) == ("forbidden", None)
    stop_trial(trial=trial, by=operator)
    assert refusal(lambda: stop_trial(trial=trial, by=owner)) == ("over", None)


def test_a_match_is_played_on_request_against_any_bot_that_plays(
    owner: User,
    rival: User,
    bells: list[tuple[str, ...]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    (mine,), (old, theirs) = make_versions(owner, 1), make_versions(rival)
    with django_capture_on_commit_callbacks(execute=True):
        match = request_match(by=owner, version=mine, opponent=theirs)
    assert bells == [("arena.tasks.play_match", match.pk)]
    assert match.requested_match.by == owner
    assert not hasattr(match, "ladder_match")
    assert refusal(lambda: request_match(by=owner, version=mine, opponent=old)) == ("not_ready", "opponent")
    assert refusal(lambda: request_match(by=owner, version=theirs, opponent=mine)) == ("forbidden", "version")
    assert refusal(lambda: request_match(by=owner, version=mine, opponent=mine)) == (
        "same_version",
        "opponent",
    )


def test_matches_on_request_have_quotas_at_once_and_by_the_day(
    owner: User, house: Version, settings: Settings
) -> None:
    settings.QUOTA_PENDING_REQUESTS, settings.QUOTA_REQUESTS_A_DAY = 1, 2
    (mine,) = make_versions(owner, 1)

    def ask() -> Match:
        return request_match(by=owner, version=mine, opponent=house)

    ask()
    assert refusal(ask) == ("too_many_requests", None)
    Match.objects.update(status=Match.Status.FINISHED)
    ask()
    Match.objects.update(status=Match.Status.FINISHED)
    assert refusal(ask) == ("too_many_requests", None)
    RequestedMatch.objects.update(created_at=timezone.now() - timedelta(days=2))
    ask()
