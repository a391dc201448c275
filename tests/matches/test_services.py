"""Making, claiming, finishing, failing and voiding matches: one result each, whatever workers do."""

import dataclasses
from array import array
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from bots.leases import LeaseLost
from bots.models import Bot
from bots.sandbox.limits import Limits
from matches.engine.deal import commitment
from matches.models import Attempt, Game, GameSeat, Match, Result
from matches.referee import Fault
from matches.replay import PrivateSeat, decode, decode_private, verify
from matches.services import (
    claim_match,
    create_match,
    fail_attempt,
    finish_match,
    free_leases_of,
    renew_lease,
    requeue_match,
    return_expired_leases,
    stop_attempt,
    void_match,
)
from tests.make import (
    WORKER,
    expire,
    make_bot,
    make_claim,
    make_finished_match,
    make_match,
    make_record,
    make_user,
    make_version,
)
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]

Status = Match.Status


def status_of(match: Match) -> str:
    return Match.objects.get(pk=match.pk).status


# --- Making -------------------------------------------------------------------------------------------------


def test_a_match_commits_to_a_secret_seed_of_its_own() -> None:
    one, two = make_match(), make_match()
    assert bytes(one.seed) != bytes(two.seed)
    assert len(bytes(one.seed)) == 32
    assert one.commitment == commitment(bytes(one.seed))
    assert one.published_seed is None


def test_participants_are_numbered_in_ascending_version_id() -> None:
    first, second, third = make_version(), make_version(), make_version()
    match = make_match([third, first, second])
    assert list(match.participants.values_list("version_id", "number")) == [
        (first.pk, 0),
        (second.pk, 1),
        (third.pk, 2),
    ]


@pytest.mark.parametrize(
    ("n_versions", "preset", "deals"),
    [(1, "official", 1), (9, "official", 1), (2, "unknown", 1), (2, "official", 0)],
)
def test_a_table_that_cannot_be_is_refused(n_versions: int, preset: str, deals: int) -> None:
    versions = [make_version() for _ in range(n_versions)]
    with pytest.raises(ValueError, match=r"\d|unknown"):
        create_match(versions=versions, preset=preset, deals=deals, limits=Limits())
    assert not Match.objects.exists()


def test_players_and_seats_stand_beside_the_bot_of_their_version() -> None:
    mine = make_bot()
    match = make_finished_match([make_version(mine), make_version(), make_version(mine)])
    for rows in (match.participants, GameSeat.objects.filter(game__match=match)):
        assert rows.filter(bot=mine).count() == 2 * rows.exclude(bot=mine).count() > 0
        assert not rows.exclude(bot=F("version__bot")).exists()


def test_a_version_does_not_play_itself() -> None:
    version = make_version()
    with pytest.raises(ValueError, match="once"):
        make_match([version, version])


def test_the_wall_limit_is_starts_plus_games_times_seats_times_twice_the_bank_and_ten_seconds() -> None:
    match = make_match(deals=5)
    # A bot may leave after each game, and is started afresh for the next.
    starts_s = 10 * 2 * Limits().start_wall_ms / 1000
    assert match.wall_limit_s == starts_s + 10 * 2 * (2 * 10 + 10)


# --- Claiming -----------------------------------------------------------------------------------------------


def test_a_match_is_claimed_once() -> None:
    match = make_match()
    claim = claim_match(match_id=match.pk, worker="one")
    assert claim is not None
    assert claim_match(match_id=match.pk, worker="two") is None
    match.refresh_from_db()
    assert (match.status, match.token, match.n_attempts) == (Status.RUNNING, claim.token, 1)
    attempt = match.attempts.get()
    assert (attempt.worker, attempt.outcome, attempt.number) == ("one", Attempt.Outcome.RUNNING, 1)


def test_a_bell_for_nothing_claims_nothing() -> None:
    assert claim_match(match_id=12345, worker=WORKER) is None
    finished = make_finished_match()
    assert claim_match(match_id=finished.pk, worker=WORKER) is None


def test_a_match_that_needs_too_much_memory_stays_in_the_queue() -> None:
    match = make_match()
    assert claim_match(match_id=match.pk, worker=WORKER, match_mib=2 * 512 - 1) is None
    assert status_of(match) == Status.QUEUED
    assert claim_match(match_id=match.pk, worker=WORKER, match_mib=2 * 512) is not None


def test_a_lease_is_renewed_while_it_is_held(settings: Settings) -> None:
    claim = make_claim()
    expire(claim.match)
    renew_lease(claim=claim)
    until = Match.objects.get(pk=claim.match.pk).lease_until
    assert until is not None
    assert until > timezone.now() + timedelta(seconds=settings.LEASE_S - 10)
    assert return_expired_leases() == 0


def test_a_lost_lease_is_not_renewed() -> None:
    claim = make_claim()
    expire(claim.match)
    assert return_expired_leases() == 1
    with pytest.raises(LeaseLost):
        renew_lease(claim=claim)


# --- Finishing ----------------------------------------------------------------------------------------------


def test_a_finished_match_has_one_result_and_every_game(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    claim = make_claim(make_match(deals=2))
    record = make_record(claim.match, claim.versions)
    with django_assert_max_num_queries(8):
        assert finish_match(claim=claim, record=record)
    match = Match.objects.get(pk=claim.match.pk)
    assert match.status == Status.FINISHED
    assert match.token is None
    assert match.published_seed == bytes(match.seed).hex()
    assert match.result.attempt_id == claim.attempt.pk
    assert match.attempts.get().outcome == Attempt.Outcome.FINISHED
    assert set(match.games.values_list("deal", "seating")) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    for stored, game in zip(match.games.order_by("pk"), record.games, strict=True):
        assert [seat.version_id for seat in stored.seats.all()] == [
            claim.versions[participant].pk for participant in game.participants
        ]
        assert tuple(seat.total for seat in stored.seats.all()) == game.totals
        assert tuple(seat.placing for seat in stored.seats.all()) == game.placing
        replay = decode(bytes(stored.replay))
        verify(replay)
        assert replay.core == game.core


def test_the_tally_is_of_the_games() -> None:
    versions = [make_version(), make_version(), make_version()]
    match = make_finished_match(versions, deals=2)
    tally = match.result.tally
    seats = GameSeat.objects.filter(game__match=match)
    assert tally["versions"] == [version.pk for version in versions]
    assert tally["games"] == 6
    assert tally["clean"] == [6, 6, 6]
    assert tally["rounds"] == [sum(game.n_rounds for game in match.games.all())] * 3
    assert tally["faults"] == [0, 0, 0]
    for number, version in enumerate(versions):
        totals = seats.filter(version=version).values_list("total", flat=True)
        assert tally["totals"][number] == sum(total for total in totals if total is not None)
    scores = []
    for one, two in ((0, 1), (0, 2), (1, 2)):
        score = 0.0
        for game in match.games.all():
            placing = {seat.version_id: seat.placing for seat in game.seats.all()}
            first, second = placing[versions[one].pk], placing[versions[two].pk]
            score += 1.0 if first < second else 0.5 if first == second else 0.0
        scores.append(score)
    assert tally["pairs"] == scores


def test_the_time_that_decisions_took_is_counted_by_participant_in_doublings_of_a_millisecond() -> None:
    claim = make_claim(make_match(deals=1))
    record = make_record(claim.match, claim.versions)
    ms = [array("q", [int(time * 1_000_000) for time in times]) for times in ((0.4, 0.9, 3.0), (70.0,))]
    games = tuple(
        dataclasses.replace(game, times_ns=tuple(ms[participant] for participant in game.participants))
        for game in record.games
    )
    assert finish_match(claim=claim, record=dataclasses.replace(record, games=games))
    assert Result.objects.get(match=claim.match).times == [[4, 0, 2], [0] * 7 + [2]]


def test_a_stored_game_has_the_points_of_each_round() -> None:
    game = make_finished_match(deals=1).games.first()
    assert game is not None
    assert len(game.round_points) == game.n_rounds
    totals = [sum(points) for points in zip(*game.round_points, strict=True)]
    assert totals == [seat.total for seat in game.seats.order_by("seat")]


def test_points_of_a_faulted_seat_enter_no_statistic_and_a_forfeit_has_no_replay() -> None:
    claim = make_claim(make_match(deals=1))
    played, other = make_record(claim.match, claim.versions).games
    seat = played.participants.index(0)
    fault = Fault(
        seat=seat, kind="crash", sentence="It fell.", decision=3, phase="draw", round=1, turn=2, expected="x"
    )
    private = [PrivateSeat(), PrivateSeat()]
    private[seat] = PrivateSeat(stderr="Traceback", offending="nonsense")
    placing = [1, 1]
    placing[seat] = 2
    faulted = dataclasses.replace(played, faults=(fault,), private=tuple(private), placing=tuple(placing))
    forfeit = dataclasses.replace(
        other, core=None, timing=None, totals=None, rounds=(), cpu_ms=(), placing=tuple(placing)
    )
    record = dataclasses.replace(make_record(claim.match, claim.versions), games=(faulted, forfeit))
    assert finish_match(claim=claim, record=record)
    result = Result.objects.get(match=claim.match)
    assert result.tally["faults"] == [1, 0]
    assert result.tally["clean"] == [0, 1]
    assert result.tally["rounds"][0] == 0
    assert result.tally["totals"][0] == 0
    stored_seat = GameSeat.objects.get(game__match=claim.match, game__seating=played.seating, seat=seat)
    assert stored_seat.fault == "crash"
    assert stored_seat.fault_detail["sentence"] == "It fell."
    assert "Traceback" not in str(stored_seat.fault_detail)
    assert decode_private(bytes(stored_seat.private)) == (private[seat],)
    stored_forfeit = Game.objects.get(match=claim.match, seating=other.seating)
    assert stored_forfeit.is_forfeit
    assert bytes(stored_forfeit.replay) == b""
    assert [row.total for row in stored_forfeit.seats.all()] == [None, None]


def test_a_repeated_finish_stores_nothing_more() -> None:
    claim = make_claim()
    record = make_record(claim.match, claim.versions)
    assert finish_match(claim=claim, record=record)
    assert not finish_match(claim=claim, record=record)
    assert Result.objects.count() == 1
    assert Game.objects.count() == len(record.games)


def test_a_late_finish_is_dropped_and_the_next_attempt_plays_the_same_seed() -> None:
    late = make_claim()
    expire(late.match)
    return_expired_leases()
    second = make_claim(late.match)
    assert bytes(second.match.seed) == bytes(late.match.seed)
    assert not finish_match(claim=late, record=make_record(late.match, late.versions))
    assert not Result.objects.exists()
    assert finish_match(claim=second, record=make_record(second.match, second.versions))
    assert Result.objects.get().attempt_id == second.attempt.pk
    assert list(late.match.attempts.order_by("number").values_list("outcome", flat=True)) == [
        Attempt.Outcome.LOST,
        Attempt.Outcome.FINISHED,
    ]


def test_the_database_itself_refuses_a_second_result() -> None:
    match = make_finished_match()
    attempt = Attempt.objects.create(
        match=match, number=2, token="12345678-1234-5678-1234-567812345678", worker="x"
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        Result.objects.create(match=match, attempt=attempt, duration_ms=1, tally={})


# --- Failing ------------------------------------------------------------------------------------------------


def test_an_infrastructure_fault_queues_the_match_again_until_it_is_parked(settings: Settings) -> None:
    match = make_match()
    for number in range(1, settings.MAX_ATTEMPTS + 1):
        assert status_of(match) == Status.QUEUED
        assert fail_attempt(claim=make_claim(match), cause="sandbox", detail=f"number {number}")
    assert status_of(match) == Status.PARKED
    assert claim_match(match_id=match.pk, worker=WORKER) is None
    assert list(match.attempts.order_by("number").values_list("cause", "detail"))[-1] == (
        "sandbox",
        f"number {settings.MAX_ATTEMPTS}",
    )
    assert not Result.objects.exists()


def test_a_parked_match_is_queued_again_by_an_operator_with_the_same_seed(settings: Settings) -> None:
    match = make_match()
    for _ in range(settings.MAX_ATTEMPTS):
        fail_attempt(claim=make_claim(match), cause="sandbox", detail="")
    assert requeue_match(match=match)
    assert not requeue_match(match=match)
    claim = make_claim(match)
    assert bytes(claim.match.seed) == bytes(match.seed)
    assert fail_attempt(claim=claim, cause="sandbox", detail="")
    assert status_of(match) == Status.QUEUED


def test_a_lost_worker_counts_as_a_failure_and_a_stopped_one_does_not(settings: Settings) -> None:
    match = make_match()
    for _ in range(2 * settings.MAX_ATTEMPTS):
        assert stop_attempt(claim=make_claim(match))
    assert status_of(match) == Status.QUEUED
    for _ in range(settings.MAX_ATTEMPTS):
        make_claim(match)
        expire(match)
        assert return_expired_leases() == 1
    assert status_of(match) == Status.PARKED


def test_a_failure_after_the_lease_was_lost_changes_nothing() -> None:
    late = make_claim()
    expire(late.match)
    return_expired_leases()
    second = make_claim(late.match)
    assert not fail_attempt(claim=late, cause="sandbox", detail="")
    assert not stop_attempt(claim=late)
    renew_lease(claim=second)


def test_a_worker_that_starts_frees_what_its_dead_predecessor_held_and_nothing_else() -> None:
    held, of_another = make_claim(worker="matches@here"), make_claim(worker="matches@there")
    began_at = timezone.now()
    held_since = make_claim(worker="matches@here")
    assert free_leases_of("matches@here", before=began_at) == 1
    assert status_of(held.match) == Status.QUEUED
    assert status_of(of_another.match) == Status.RUNNING
    assert status_of(held_since.match) == Status.RUNNING


# --- Operators ----------------------------------------------------------------------------------------------


def test_a_void_match_stays_readable_and_is_not_played_again() -> None:
    match = make_finished_match()
    assert void_match(match=match)
    assert not void_match(match=match)
    assert status_of(match) == Status.VOID
    assert match.games.exists()
    assert claim_match(match_id=match.pk, worker=WORKER) is None


def test_voiding_a_match_in_play_drops_its_result_and_keeps_its_seed_secret() -> None:
    claim = make_claim()
    assert void_match(match=claim.match)
    assert not finish_match(claim=claim, record=make_record(claim.match, claim.versions))
    assert Match.objects.get(pk=claim.match.pk).published_seed is None
    assert claim.match.attempts.get().outcome == Attempt.Outcome.STOPPED


# --- Seeing -------------------------------------------------------------------------------------------------


def test_matches_of_a_hidden_bot_are_seen_by_its_owner_and_operators_alone(
    owner: User, rival: User, operator: User
) -> None:
    hidden = make_version(bot=Bot.objects.create(owner=owner, name="hidden", is_hidden=True))
    match, other = make_finished_match([hidden, make_version()]), make_finished_match()
    for user, seen in (
        (ANYBODY, {other}),
        (rival, {other}),
        (owner, {match, other}),
        (operator, {match, other}),
    ):
        assert set(Match.objects.visible_to(user)) == seen
        games = Game.objects.visible_to(user)
        assert set(games.values_list("match_id", flat=True)) == {one.pk for one in seen}


def test_a_seats_private_part_is_its_owners_alone(owner: User, rival: User, operator: User) -> None:
    ours, theirs = make_version(bot=Bot.objects.create(owner=owner, name="ours")), make_version()
    make_finished_match([ours, theirs])
    assert {seat.version_id for seat in GameSeat.objects.with_private_visible_to(owner)} == {ours.pk}
    assert not GameSeat.objects.with_private_visible_to(rival).exists()
    assert not GameSeat.objects.with_private_visible_to(ANYBODY).exists()
    assert GameSeat.objects.with_private_visible_to(operator).count() == GameSeat.objects.count()
    assert not GameSeat.objects.with_private_visible_to(make_user()).exists()
