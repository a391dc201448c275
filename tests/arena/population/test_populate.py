"""A made-up crowd is whole: its games were played, its replays verify, and its rows agree with each other."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import Count, F

from arena.models import Ladder, Notice, Rating, RatingRun, Tournament, Trial
from arena.population.games import package_sources, play_samples
from arena.population.making import Size, populate
from bots.models import Bot, Version
from matches.engine.deal import commitment
from matches.models import Attempt, Game, GameSeat, Match, Participant, Result
from matches.replay import verify

# Made for PostgreSQL, where a crowd of the whole size lives.
pytestmark = pytest.mark.django_db

SIZE = Size(bots=60, matches=300, samples=40, snapshots=2)


@pytest.fixture(scope="module")
def crowd(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """For all tests of this file, in a transaction of its own."""
    with django_db_blocker.unblock(), transaction.atomic():
        populate(SIZE, seed=7, n_processes=1)
        # Else each test would look through all these rows once more.
        connection.check_constraints()
        yield
        transaction.set_rollback(True)


def test_there_is_as_much_as_was_asked_for_and_something_of_everything(crowd: None) -> None:
    duel = Ladder.objects.get(slug="duel")
    made = Match.objects.filter(tournament_match=None)
    assert Bot.objects.filter(is_house=False).count() == SIZE.bots
    assert made.filter(seats=2, deals=1).count() == SIZE.matches
    statuses = set(made.values_list("status", flat=True))
    assert statuses >= {Match.Status.QUEUED, Match.Status.RUNNING, Match.Status.FINISHED}
    assert RatingRun.objects.filter(ladder=duel).count() == SIZE.snapshots + 1
    assert Rating.objects.published(duel).filter(place=1).exists()
    for model in (Trial, Notice):
        assert model.objects.exists(), model
    assert set(Tournament.objects.values_list("state", flat=True)) == {
        Tournament.State.FINISHED,
        Tournament.State.RUNNING,
        Tournament.State.REGISTRATION,
        Tournament.State.CANCELLED,
    }


def test_every_replay_opens_and_verifies_and_belongs_to_its_match(crowd: None) -> None:
    seats = {(seat.game_id, seat.seat): seat for seat in GameSeat.objects.select_related("version")}
    n_faults = 0
    for game in Game.objects.select_related("match"):
        found = verify(bytes(game.replay))
        own = [seats[game.pk, number] for number in range(game.match.seats)]
        assert found.core_sha256 == game.core_sha256
        assert found.core.seed == bytes(game.match.seed)
        assert found.core.deal == game.deal
        assert list(found.core.seats) == [seat.version.sha256 for seat in own]
        assert list(found.placing) == [seat.placing for seat in own]
        assert list(found.totals) == [seat.total for seat in own]
        assert [fault.seat for fault in found.core.faults] == [seat.seat for seat in own if seat.fault]
        n_faults += len(found.core.faults)
    assert n_faults


def test_every_player_stands_beside_its_bot(crowd: None) -> None:
    for rows in (Participant.objects, GameSeat.objects):
        assert rows.exists()
        assert not rows.exclude(bot=F("version__bot")).exists()


def test_results_add_up_to_their_games(crowd: None) -> None:
    for result in Result.objects.select_related("match", "attempt"):
        tally = result.tally
        players = Participant.objects.filter(match=result.match_id).order_by("number")
        assert [one.version_id for one in players] == tally["versions"] == sorted(tally["versions"])
        assert tally["games"] == Game.objects.filter(match=result.match_id).count()
        faults = GameSeat.objects.filter(game__match=result.match_id).exclude(fault="").count()
        assert sum(tally["faults"]) == faults
        assert result.match.has_bot_fault == bool(faults)
        assert result.attempt.outcome == Attempt.Outcome.FINISHED
        assert result.match.finished_at is not None


def test_commitments_are_kept_by_the_first_match_of_each_seed(crowd: None) -> None:
    seeds: dict[bytes, list[bool]] = {}
    for match in Match.objects.order_by("pk"):
        seed = bytes(match.seed)
        seeds.setdefault(seed, []).append(match.commitment == commitment(seed))
    assert all(kept[0] and not any(kept[1:]) for kept in seeds.values())


def test_places_are_those_of_versions_that_play(crowd: None) -> None:
    for ladder in Ladder.objects.all():
        placed = Rating.objects.published(ladder).filter(place__isnull=False).order_by("place")
        assert [rating.place for rating in placed] == list(range(1, len(placed) + 1))
        assert not placed.exclude(version__bot__current_version=F("version")).exists()


def test_what_is_made_afterwards_gets_keys_of_its_own(crowd: None) -> None:
    owner = Bot.objects.filter(is_house=False)[0].owner
    assert Bot.objects.create(owner=owner, name="latecomer").pk > 0
    assert not Version.objects.values("bot", "number").annotate(n=Count("pk")).filter(n__gt=1).exists()


def test_equal_seeds_give_equal_games() -> None:
    sha256s = [f"{number:064x}" for number in range(len(package_sources(200)))]
    once, again = (
        [sample.seed for sample in play_samples(sha256s, n=5, seats=2, seed=3, n_processes=n)] for n in (1, 2)
    )
    assert once == again
    other = play_samples(sha256s, n=1, seats=2, seed=4, n_processes=1)
    assert next(iter(other)).seed not in once


def test_a_database_that_is_in_use_is_left_alone(crowd: None) -> None:
    n_matches = Match.objects.count()
    with pytest.raises(CommandError, match="not empty"):
        call_command("populate", bots=10, matches=50, samples=5, snapshots=1, stdout=StringIO())
    assert Match.objects.count() == n_matches
