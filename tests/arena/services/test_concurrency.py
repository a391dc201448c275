"""Several processes' worth of threads at once, each with a connection of its own, on either database."""

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connections
from django.test import Client
from pytest_django import Settings

from arena.accounts import delete_account
from arena.models import Ladder, LadderEntry, Rating, RatingRun, Tournament
from arena.ratings.table import rate
from arena.services import (
    RatingBusyError,
    create_api_token,
    enter_ladder,
    pair_ladder,
    rate_ladder,
    recompute_ratings,
    submit_version,
)
from arena.services.queueing import LEAST_A_WORKER
from arena.services.rating import figures, fitting, outcomes
from bots.models import Bot, Package, Version
from bots.services import SubmissionError, claim_check
from matches.models import Attempt, Game, Match, Result
from matches.services import Claim, claim_match, fail_attempt, finish_match, return_expired_leases, void_match
from tests.make import (
    STEADY,
    expire,
    make_bot,
    make_claim,
    make_entry,
    make_finished_match,
    make_ladder,
    make_match,
    make_record,
    make_user,
    make_version,
)
from tests.people import PASSWORD

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

T = TypeVar("T")
THREADS = 6


def at_once(*actions: Callable[[], T]) -> list[T]:
    """What each action returned, all begun at the same moment."""
    start = threading.Barrier(len(actions))

    def run(action: Callable[[], T]) -> T:
        try:
            start.wait(30)
            return action()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))


@pytest.fixture
def ladder_of_three() -> Ladder:
    ladder = make_ladder()
    versions = [make_version() for _ in range(3)]
    for one, two in ((0, 1), (1, 2), (0, 2)):
        make_finished_match([versions[one], versions[two]], ladder)
    return ladder


def test_of_many_claims_one_succeeds() -> None:
    match = make_match()
    claims = at_once(*[lambda: claim_match(match_id=match.pk, worker="x")] * THREADS)
    assert sum(claim is not None for claim in claims) == 1
    match.refresh_from_db()
    assert match.n_attempts == 1
    assert Attempt.objects.count() == 1


def test_of_many_claims_of_a_check_one_succeeds() -> None:
    version = make_version(status=Version.Status.RECEIVED)
    claims = at_once(*[lambda: claim_check(version_id=version.pk, worker="x")] * THREADS)
    assert sum(claim is not None for claim in claims) == 1
    version.refresh_from_db()
    assert version.check_attempts == 1


def test_of_many_finishes_one_is_stored() -> None:
    claim = make_claim()
    record = make_record(claim.match, claim.versions)
    stored = at_once(*[lambda: finish_match(claim=claim, record=record)] * THREADS)
    assert sum(stored) == 1
    assert Result.objects.count() == 1
    assert Game.objects.count() == len(record.games)


@pytest.mark.parametrize("_time", range(5))
def test_a_finish_a_sweep_a_failure_and_a_void_at_once_leave_one_outcome(_time: int) -> None:
    claim = make_claim()
    record = make_record(claim.match, claim.versions)
    expire(claim.match)
    finished, returned, failed, voided = at_once(
        lambda: finish_match(claim=claim, record=record),
        lambda: bool(return_expired_leases()),
        lambda: fail_attempt(claim=claim, cause="sandbox", detail=""),
        lambda: void_match(match=claim.match),
    )
    match = Match.objects.get(pk=claim.match.pk)
    assert voided
    assert match.status == Match.Status.VOID
    assert finished + returned + failed <= 1
    assert Result.objects.filter(match=match).exists() == finished
    assert not match.attempts.filter(outcome=Attempt.Outcome.RUNNING).exists()
    assert match.token is None


def submit(owner: User, name: str, content: bytes) -> str:
    try:
        submit_version(owner=owner, name=name, filename="bot.py", content=content)
    except SubmissionError as refusal:
        return refusal.code
    return "created"


def test_the_quota_of_bots_holds_under_submissions_at_once(settings: Settings) -> None:
    settings.QUOTA_BOTS = 2
    owner = make_user()
    codes = at_once(*[lambda n=n: submit(owner, f"bot-{n}", STEADY) for n in range(THREADS)])
    assert sorted(codes) == ["created"] * 2 + ["too_many_bots"] * (THREADS - 2)
    assert Bot.objects.count() == 2


def test_the_quota_of_versions_holds_and_numbers_have_no_gap(settings: Settings) -> None:
    settings.QUOTA_VERSIONS_A_DAY = 3
    owner = make_user()
    codes = at_once(*[lambda n=n: submit(owner, "steady", STEADY + b"#" * n) for n in range(THREADS)])
    assert sorted(codes) == ["created"] * 3 + ["too_many_versions"] * (THREADS - 3)
    assert sorted(Version.objects.values_list("number", flat=True)) == [1, 2, 3]


def test_the_same_bytes_at_once_are_one_version_and_one_package() -> None:
    owner = make_user()
    at_once(*[lambda: submit(owner, "steady", STEADY)] * THREADS)
    assert (Bot.objects.count(), Version.objects.count(), Package.objects.count()) == (1, 1, 1)


def test_a_name_that_many_want_at_once_goes_to_one() -> None:
    owners = [make_user() for _ in range(THREADS)]
    codes = at_once(*[lambda owner=owner: submit(owner, "Wanted", STEADY) for owner in owners])
    assert sorted(codes) == ["created"] + ["name_taken"] * (THREADS - 1)


def enter(bot: Bot, ladder: Ladder) -> str:
    try:
        enter_ladder(bot=bot, ladder=ladder)
    except SubmissionError as refusal:
        return refusal.code
    return "entered"


def test_the_quota_of_entries_holds_at_once(settings: Settings) -> None:
    settings.QUOTA_ENTRIES = 2
    ladder, owner = make_ladder(), make_user()
    bots = [make_version(make_bot(owner)).bot for _ in range(THREADS)]
    codes = at_once(*[lambda bot=bot: enter(bot, ladder) for bot in bots])
    assert sorted(codes) == ["entered"] * 2 + ["too_many_entries"] * (THREADS - 2)
    assert LadderEntry.objects.filter(is_active=True).count() == 2


def test_a_queue_is_filled_once_by_pairings_at_once() -> None:
    ladder = make_ladder()
    for _ in range(3):
        make_entry(ladder)
    at_once(*[lambda: pair_ladder(ladder=ladder)] * 3)
    assert Match.objects.count() == LEAST_A_WORKER


def test_ratings_at_once_are_fitted_by_one(ladder_of_three: Ladder) -> None:
    runs = at_once(*[lambda: rate_ladder(ladder=ladder_of_three)] * 3)
    ladder_of_three.refresh_from_db()
    published = [run for run in runs if run is not None]
    assert published == [ladder_of_three.current_run] == list(RatingRun.objects.all())


def test_while_one_process_fits_a_ladder_others_leave_it_and_fit_their_own(ladder_of_three: Ladder) -> None:
    other = make_ladder("other")
    make_finished_match(ladder=other)

    def try_all() -> tuple[RatingRun | None, RatingRun | None]:
        with pytest.raises(RatingBusyError):
            recompute_ratings(ladder=ladder_of_three)
        return rate_ladder(ladder=ladder_of_three), rate_ladder(ladder=other)

    with fitting(ladder_of_three) as is_mine:
        assert is_mine
        ((same, different),) = at_once(try_all)
    assert same is None
    assert different is not None
    assert rate_ladder(ladder=ladder_of_three) is not None


def test_a_fit_that_fails_leaves_no_lock_behind(
    ladder_of_three: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("arena.services.rating.rate", lambda *_args, **_kwargs: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            rate_ladder(ladder=ladder_of_three)
    (run,) = at_once(lambda: rate_ladder(ladder=ladder_of_three))
    assert run is not None


def test_results_of_many_writers_are_rated_as_if_one_had_written_them_in_order() -> None:
    """Writers finish matches, send results again and void some, while ratings are fitted over and over."""
    ladder = make_ladder(deals=1)
    versions = [make_version() for _ in range(4)]
    pairs = [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3)]
    claims = [
        make_claim(make_match([versions[one], versions[two]], ladder), worker=f"matches@{number}")
        for number, (one, two) in enumerate(pairs * 4)
    ]

    def write(mine: Sequence[Claim]) -> None:
        for number, claim in enumerate(mine):
            record = make_record(claim.match, claim.versions)
            assert finish_match(claim=claim, record=record)
            assert not finish_match(claim=claim, record=record)
            if number % 3 == 2:
                void_match(match=claim.match)

    def fit_again_and_again() -> None:
        for _ in range(6):
            rate_ladder(ladder=ladder)

    writers = [lambda share=share: write(claims[share::4]) for share in range(4)]
    at_once(*writers, fit_again_and_again, fit_again_and_again)
    run = recompute_ratings(ladder=ladder)
    assert (run.n_matches, run.n_left_out) == (16, 8)
    kept = list(outcomes(ladder))
    random.Random(3).shuffle(kept)
    serial = rate(kept + kept[:5], anchor=None)
    assert run.input_sha256 == serial.input_sha256
    published = Rating.objects.filter(run=run).order_by("rank")
    assert [figures(rating) for rating in published] == [figures(row) for row in serial.rows]


@pytest.mark.parametrize("_time", range(5))
def test_whoever_submits_a_source_while_another_who_has_it_leaves_finds_it_whole(_time: int) -> None:
    leaver, stayer = make_user(), make_user()
    make_version(make_bot(leaver), content=STEADY)
    at_once(lambda: delete_account(user=leaver), lambda: submit(stayer, "stayer", STEADY))
    assert bytes(Package.objects.get().content) == STEADY


# --- By every door at once ----------------------------------------------------------------------------------


def by_page(owner: User, address: str, **sent: object) -> Callable[[], int]:
    """Sends a form as this person; the status of the answer."""
    client = Client()
    client.force_login(owner)
    return lambda: client.post(address, sent).status_code


def by_api(owner: User, address: str, **sent: object) -> Callable[[], int]:
    header = {"authorization": f"Token {create_api_token(user=owner, name='x')[1]}"}
    return lambda: Client().post(address, sent, content_type="application/json", headers=header).status_code


def test_the_quota_of_bots_holds_where_pages_and_api_take_them_at_once(settings: Settings) -> None:
    settings.QUOTA_BOTS = 2
    owner, source = make_user(), STEADY.decode()
    doors = [
        door
        for n in range(3)
        for door in (
            by_page(owner, "/submit/", name=f"page-{n}", source=source),
            by_api(owner, "/api/v1/bots/", name=f"api-{n}", source=source),
        )
    ]
    statuses = at_once(*doors)
    assert sum(status in {201, 302} for status in statuses) == 2
    assert all(status in {201, 302, 400, 422} for status in statuses)
    assert Bot.objects.count() == 2


def test_the_quota_of_versions_holds_where_pages_and_api_take_them_at_once(settings: Settings) -> None:
    settings.QUOTA_VERSIONS_A_DAY = 3
    owner, source = make_user(), STEADY.decode()
    doors = [
        door
        for n in range(3)
        for door in (
            by_page(owner, "/submit/", name="steady", source=f"{source}# page {n}\n"),
            by_api(owner, "/api/v1/bots/", name="steady", source=f"{source}# api {n}\n"),
        )
    ]
    statuses = at_once(*doors)
    assert sum(status in {201, 302} for status in statuses) == 3
    assert sorted(Version.objects.values_list("number", flat=True)) == [1, 2, 3]


def test_the_quota_of_tournaments_holds_where_pages_and_api_make_them_at_once(settings: Settings) -> None:
    settings.QUOTA_TOURNAMENTS = 2
    organiser = make_user()
    terms = {"name": "Cup", "format": "round-robin", "seeding": "lot"}
    doors = [by_api(organiser, "/api/v1/tournaments/", **terms) for _ in range(THREADS)]
    statuses = at_once(*doors)
    assert sorted(statuses) == [201] * 2 + [400] * (THREADS - 2)
    assert Tournament.objects.count() == 2


@pytest.fixture
def no_tries() -> Iterator[None]:
    """Nothing is counted in the cache, whose table is none that the test's end empties."""
    cache.clear()
    yield
    cache.clear()


@pytest.mark.usefixtures("no_tries")
def test_accounts_from_one_address_are_limited_where_they_are_made_at_once() -> None:
    def sign_up(name: str) -> int:
        sent = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
        return Client(REMOTE_ADDR="203.0.113.7").post("/accounts/signup/", sent).status_code

    statuses = at_once(*[lambda n=n: sign_up(f"person-{n}") for n in range(9)])
    assert set(statuses) == {302, 429}
    # Who cannot count in time on a busy host is refused, never let through.
    assert 1 <= statuses.count(302) <= 5
    assert User.objects.count() == statuses.count(302)


@pytest.mark.usefixtures("no_tries")
def test_the_limit_of_submissions_holds_at_once(settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "submit": "2/m/user"}
    owner = make_user()
    doors = [by_api(owner, "/api/v1/bots/", name="steady", source="print(1)") for _ in range(THREADS)]
    statuses = at_once(*doors)
    assert 1 <= sum(status in {200, 201} for status in statuses) <= 2
    assert all(status in {200, 201, 429} for status in statuses)
