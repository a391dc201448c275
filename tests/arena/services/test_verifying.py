from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from arena.metrics import exposition
from arena.models import Pulse
from arena.services import verify_games, verifying
from matches.models import Game, GameSeat, Match
from matches.services import verify_game
from matches.verification import difference_of
from tests.make import make_finished_match, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def games() -> list[Game]:
    """Of one match: as many as it has seats."""
    return list(make_finished_match(deals=2).games.order_by("pk"))


def verified() -> list[int]:
    return list(Game.objects.exclude(verified_at=None).order_by("pk").values_list("pk", flat=True))


def test_new_games_come_first_then_those_for_which_it_is_longest_ago(
    games: list[Game], settings: Settings
) -> None:
    settings.VERIFY_GAMES_A_MINUTE = 3
    now = timezone.now()
    old = {games[0].pk: now - timedelta(days=2), games[1].pk: now - timedelta(days=3)}
    for pk, at in old.items():
        Game.objects.filter(pk=pk).update(verified_at=at)
    assert verify_games() == {"games": 3, "differences": 0}
    assert verified() == [game.pk for game in games]
    # One was left, and it is the one that was verified later.
    assert Game.objects.get(pk=games[0].pk).verified_at == old[games[0].pk]
    assert verify_games() == {"games": 1, "differences": 0}
    # Nothing is due before a day has passed.
    assert verify_games() == {"games": 0, "differences": 0}
    assert Pulse.objects.get(name="verify").detail == {"games": 0, "differences": 0}


def test_forfeits_are_left_alone(games: list[Game]) -> None:
    Game.objects.filter(pk=games[0].pk).update(is_forfeit=True, replay=b"")
    assert verify_games()["games"] == len(games) - 1
    with pytest.raises(ValueError, match="forfeited"):
        difference_of(Game.objects.get(pk=games[0].pk))


def test_no_limit_means_no_games(games: list[Game], settings: Settings) -> None:
    settings.VERIFY_GAMES_A_MINUTE = 0
    assert verify_games()["games"] == 0
    assert verified() == []


def test_a_difference_is_counted_logged_and_measured_until_it_is_mended(
    games: list[Game], caplog: pytest.LogCaptureFixture
) -> None:
    seat = GameSeat.objects.filter(game=games[0]).first()
    assert seat is not None
    GameSeat.objects.filter(pk=seat.pk).update(total=-99)
    with caplog.at_level(logging.ERROR):
        assert verify_games()["differences"] == 1
    assert f"game {games[0].pk} comes out otherwise" in caplog.text
    assert b"skyjo_differing_games 1.0" in exposition()
    GameSeat.objects.filter(pk=seat.pk).update(total=seat.total)
    Game.objects.update(verified_at=timezone.now() - timedelta(days=2))
    assert verify_games()["differences"] == 0
    assert b"skyjo_differing_games 0.0" in exposition()


def test_a_game_at_which_our_own_code_breaks_is_told_and_keeps_no_other_waiting(
    games: list[Game], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def breaks(*, game: Game) -> None:
        if game.pk == games[0].pk:
            raise ZeroDivisionError
        verify_game(game=game)

    monkeypatch.setattr(verifying, "verify_game", breaks)
    assert verify_games() == {"games": len(games), "differences": 1}
    assert f"game {games[0].pk} could not be played again" in caplog.text
    games[0].refresh_from_db()
    assert "Our own code broke" in games[0].difference
    assert games[0].verified_at is not None
    assert set(verified()) == {game.pk for game in games}


def wrong_replay(game: Game) -> None:
    other = make_finished_match().games.first()
    assert other is not None
    game.replay = other.replay


def wrong_version(game: Game) -> None:
    game.seats.filter(seat=1).update(version=make_version())


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda game: setattr(game, "replay", bytes(game.replay)[:-9]), "the gzip data is"),
        (lambda game: setattr(game, "core_sha256", "ab" * 32), "core_sha256: abab"),
        (lambda game: setattr(game, "n_rounds", 99), "rounds: 99 is stored, played again it is"),
        (lambda game: setattr(game, "n_decisions", 0), "decisions: 0 is stored"),
        (lambda game: setattr(game, "deal", 5), "deal: 5 is stored"),
        (lambda game: Match.objects.filter(pk=game.match_id).update(commitment="0" * 64), "commitment"),
        (lambda game: game.seats.filter(seat=0).update(placing=7), "placing: (7,"),
        (lambda game: game.seats.filter(seat=0).update(fault="timeout"), "faults: ('timeout',"),
        (wrong_version, "versions: "),
        (wrong_replay, "core_sha256: "),
    ],
)
def test_whatever_is_changed_is_told(games: list[Game], spoil, sentence: str) -> None:
    game = games[0]
    assert difference_of(game) == ""
    spoil(game)
    if game.core_sha256 == Game.objects.get(pk=game.pk).core_sha256:
        game.match.refresh_from_db()
    assert sentence in difference_of(game)
