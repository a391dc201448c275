"""A claimed match played by real bots in the real sandbox, with its lease."""

import time
from typing import Any

import pytest
from django.db import OperationalError
from pytest_django import Settings

from bots.house import house_source
from bots.leases import LeaseLost
from bots.models import Package, Version
from bots.sandbox.faults import LaggedError, SandboxError
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.process import Answer, BotProcess
from bots.sandbox.runtimes import Program
from matches import playing
from matches.models import Attempt, Game, GameSeat, Match, Result
from matches.playing import Keeper, play, program_of
from matches.replay import decode, decode_private, verify
from matches.services import stop_attempt
from tests.make import STEADY, expire, make_claim, make_match, make_record, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]

CRASHES = STEADY.replace(b"return view.draw()", b"raise SystemExit('enough')")


def steady_match(deals: int = 2) -> Match:
    return make_match(
        [make_version(content=STEADY), make_version(content=house_source("greedy"))], deals=deals
    )


def cores(match: Match) -> list[str]:
    return list(match.games.order_by("seating", "deal").values_list("core_sha256", flat=True))


def test_a_match_is_played_stored_and_can_be_verified() -> None:
    claim = make_claim(steady_match())
    assert play(claim=claim, launcher=SandboxLauncher())
    match = Match.objects.get(pk=claim.match.pk)
    assert match.status == Match.Status.FINISHED
    assert match.result.duration_ms > 0
    assert match.games.count() == 4
    for game in match.games.all():
        replay = decode(bytes(game.replay))
        verify(replay)
        assert replay.core.seed == bytes(match.seed)
        assert list(replay.core.seats) == [
            seat.version.sha256 for seat in game.seats.select_related("version")
        ]
    assert not GameSeat.objects.exclude(fault="").exists()


def test_another_attempt_plays_the_same_games_byte_for_byte() -> None:
    match = steady_match()
    assert play(claim=make_claim(match), launcher=SandboxLauncher())
    first = cores(match)
    GameSeat.objects.all().delete()
    Game.objects.all().delete()
    Result.objects.all().delete()
    Match.objects.update(status=Match.Status.QUEUED)
    assert play(claim=make_claim(match), launcher=SandboxLauncher())
    assert cores(match) == first


def test_a_bots_crash_is_a_result_with_its_log_for_the_owner_and_forfeits_after_three_games() -> None:
    match = make_match([make_version(content=CRASHES), make_version(content=STEADY)], deals=3)
    assert play(claim=make_claim(match), launcher=SandboxLauncher())
    seats = GameSeat.objects.filter(version__package=make_version_sha(CRASHES))
    assert sorted(seats.values_list("fault", flat=True)) == ["", "", "", "crash", "crash", "crash"]
    assert set(seats.values_list("placing", flat=True)) == {2}
    assert match.games.filter(is_forfeit=True).count() == 3
    faulted = seats.filter(fault="crash")[0]
    assert faulted.fault_detail["sentence"]
    assert "enough" not in str(faulted.fault_detail)
    assert "enough" in decode_private(bytes(faulted.private))[0].stderr
    assert Result.objects.get().tally["faults"] == [3, 0]


def make_version_sha(content: bytes) -> str:
    return Package.objects.get(content=content).sha256


class NoSandbox:
    """A launcher whose host has no room for a process."""

    python = "3.11"

    def start(self, program: object, limits: object) -> object:
        raise SandboxError("There is no process left.")


def test_a_sandbox_that_does_not_start_is_an_attempt_and_no_result() -> None:
    claim = make_claim(steady_match())
    assert not play(claim=claim, launcher=NoSandbox())  # type: ignore[arg-type]
    match = Match.objects.get(pk=claim.match.pk)
    assert match.status == Match.Status.QUEUED
    attempt = match.attempts.get()
    assert (attempt.outcome, attempt.cause) == (Attempt.Outcome.INFRASTRUCTURE, "sandbox")
    assert "no process left" in attempt.detail
    assert not Result.objects.exists()


class Lagging:
    """A launcher on whose host a bot's fifth question meets a lag."""

    def __init__(self) -> None:
        self._launcher = SandboxLauncher()
        self.python = self._launcher.python

    def start(self, program: Program, limits: Limits) -> BotProcess:
        process = self._launcher.start(program, limits)
        ask = process.ask

        def asked(line: bytes, **options: Any) -> Answer:
            if b'"id":5,' in line:
                raise LaggedError("The host slept.")
            return ask(line, **options)

        process.ask = asked  # type: ignore[method-assign]
        return process


def test_a_match_on_a_host_that_lagged_is_played_again_with_the_same_seed() -> None:
    match = steady_match()
    seed = bytes(match.seed)
    assert not play(claim=make_claim(match), launcher=Lagging())
    match.refresh_from_db()
    assert match.status == Match.Status.QUEUED
    assert not Game.objects.exists()
    assert play(claim=make_claim(match), launcher=SandboxLauncher())
    match.refresh_from_db()
    assert (match.status, bytes(match.seed)) == (Match.Status.FINISHED, seed)
    assert [(attempt.outcome, attempt.cause) for attempt in match.attempts.order_by("pk")] == [
        (Attempt.Outcome.INFRASTRUCTURE, "lag"),
        (Attempt.Outcome.FINISHED, ""),
    ]
    assert not GameSeat.objects.exclude(fault="").exists()
    assert all(decode(bytes(game.replay)).core.seed == seed for game in match.games.all())


def test_a_package_that_is_gone_is_an_attempt_and_no_result() -> None:
    version = make_version(content=STEADY + b"# wiped")
    claim = make_claim(make_match([version, make_version()]))
    Package.objects.filter(pk=version.sha256).update(content=b"")
    assert not play(claim=claim, launcher=SandboxLauncher())
    assert Attempt.objects.get().cause == "PackageError"


def test_a_worker_that_is_stopped_gives_its_match_back() -> None:
    class Stopped(NoSandbox):
        def start(self, program: object, limits: object) -> object:
            raise SystemExit

    claim = make_claim(steady_match())
    with pytest.raises(SystemExit):
        play(claim=claim, launcher=Stopped())  # type: ignore[arg-type]
    match = Match.objects.get(pk=claim.match.pk)
    assert (match.status, match.n_failures) == (Match.Status.QUEUED, 0)
    assert match.attempts.get().outcome == Attempt.Outcome.STOPPED


def test_a_match_whose_lease_is_lost_is_given_up_at_the_next_renewal(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = make_claim(steady_match(deals=5))
    monkeypatch.setattr(Keeper, "FRESH", 0.0)
    renew = Keeper.renew
    n_renewals = 0

    def lose_at_the_third(keeper: Keeper) -> None:
        nonlocal n_renewals
        n_renewals += 1
        if n_renewals == 3:
            stop_attempt(claim=claim)
        renew(keeper)

    monkeypatch.setattr(Keeper, "renew", lose_at_the_third)
    assert not play(claim=claim, launcher=SandboxLauncher())
    assert n_renewals == 3
    assert not Result.objects.exists()
    assert Match.objects.get(pk=claim.match.pk).status == Match.Status.QUEUED


def test_a_lease_is_renewed_when_it_is_no_longer_fresh(settings: Settings) -> None:
    claim = make_claim()
    keeper = Keeper(claim)
    expire(claim.match)
    keeper.renew()
    before = Match.objects.get(pk=claim.match.pk).lease_until
    keeper.renewed_at -= settings.LEASE_S / 6
    keeper.renew()
    after = Match.objects.get(pk=claim.match.pk).lease_until
    assert before is not None
    assert after is not None
    assert after > before


def test_a_database_that_is_away_for_less_than_the_lease_does_no_harm(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*, claim: object) -> None:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(playing, "renew_lease", away)
    monkeypatch.setattr(playing.connection, "close", lambda: None)
    keeper = Keeper(make_claim())
    keeper.renewed_at = time.monotonic() - settings.LEASE_S / 2
    keeper.renew()
    keeper.again_at = 0.0
    keeper.renewed_at = time.monotonic() - settings.LEASE_S
    with pytest.raises(LeaseLost):
        keeper.renew()


def test_a_result_waits_for_a_database_that_is_away_while_the_lease_lasts(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish, n_tries = playing.finish_match, 0

    def away_at_first(**result: Any) -> bool:
        nonlocal n_tries
        n_tries += 1
        if n_tries < 3:
            raise OperationalError("the server closed the connection")
        return finish(**result)

    monkeypatch.setattr(playing, "finish_match", away_at_first)
    monkeypatch.setattr(playing.connection, "close", lambda: None)
    monkeypatch.setattr(Keeper, "AGAIN_S", 0.0)
    claim = make_claim()
    record = make_record(claim.match, claim.versions)
    assert Keeper(claim).finish(record)
    assert n_tries == 3
    assert Result.objects.get().match_id == claim.match.pk

    n_tries = 0
    late = Keeper(make_claim())
    late.renewed_at -= settings.LEASE_S
    assert not late.finish(record)
    assert n_tries == 1


def test_a_package_is_read_once_a_process(django_assert_num_queries: object) -> None:
    version = Version.objects.get(pk=make_version(content=STEADY + b"# read once").pk)
    program = program_of(version)
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert program_of(version) is program
