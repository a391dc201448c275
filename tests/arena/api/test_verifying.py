from __future__ import annotations

import gzip

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from arena import replay_files
from matches.engine import Rules
from matches.models import Game, GameSeat
from matches.replay import encode
from tests.make import make_finished_match
from tests.matches.replay.games import as_json, expanded, play

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SHORT = play(Rules(target=1), 2, seed=3)


@pytest.fixture
def game() -> Game:
    game = make_finished_match().games.first()
    assert game is not None
    return game


def test_a_game_says_when_it_was_played_again_and_what_came_of_it(api: APIClient, game: Game) -> None:
    address = f"/api/v1/games/{game.pk}/"
    assert api.get(address).json()["verified_at"] is None
    before = timezone.now()
    answer = api.post(f"{address}verify/")
    assert answer.status_code == 200
    assert answer.json() == api.get(address).json()
    assert answer.json()["verified_at"] >= before.isoformat()[:19]
    assert answer.json()["difference"] == ""
    GameSeat.objects.filter(game=game, seat=0).update(total=-99)
    assert "totals: (-99," in api.post(f"{address}verify/").json()["difference"]


def test_a_forfeit_and_an_unknown_game_cannot_be_played_again(api: APIClient, game: Game) -> None:
    Game.objects.filter(pk=game.pk).update(is_forfeit=True, replay=b"")
    refused = api.post(f"/api/v1/games/{game.pk}/verify/")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "forfeit")
    assert api.post("/api/v1/games/999999/verify/").status_code == 404


def sent(api: APIClient, content: bytes, *, as_file: bool):
    if as_file:
        return api.post(
            "/api/v1/replays/", {"file": SimpleUploadedFile("game.json", content)}, format="multipart"
        )
    return api.generic("POST", "/api/v1/replays/", content, content_type="application/json")


@pytest.mark.parametrize("as_file", [True, False])
def test_a_replay_is_played_again_from_a_body_or_a_file(api: APIClient, as_file: bool) -> None:
    document = expanded(SHORT)
    for content in (as_json(document), gzip.decompress(encode(SHORT.core(), SHORT.timing()))):
        found = sent(api, content, as_file=as_file).json()
        assert found.pop("replay") == document
        assert found == {
            "core_sha256": document["core_sha256"],
            "n_rounds": len(document["rounds"]),
            "n_decisions": len(SHORT.core().decisions),
            "totals": document["outcome"]["totals"],
            "placing": document["outcome"]["placing"],
        }


@pytest.mark.parametrize("as_file", [True, False])
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (as_json(expanded(SHORT) | {"deal": 1}), "round 1"),
        (as_json(expanded(SHORT))[:-1], "the file"),
        (b"{}", "this is no replay"),
        (b"[" * 100_000, "the file"),
        (b" " * (replay_files.MAX_BYTES + 1), "larger than"),
    ],
    ids=["altered", "truncated", "other", "deep", "big"],
)
def test_what_is_no_sound_replay_is_refused_with_the_reason(
    api: APIClient, content: bytes, sentence: str, as_file: bool
) -> None:
    answer = sent(api, content, as_file=as_file)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "unsound"
    assert sentence in answer.json()["error"]["message"]


def test_a_form_without_a_file_is_told_what_to_send(api: APIClient) -> None:
    for form in ({"file": "text"}, {"": "text"}, {"content": "text"}):
        answer = api.post("/api/v1/replays/", form, format="multipart")
        assert answer.status_code == 400
        assert list(answer.json()["error"]["fields"]) == ["file"]


def test_too_many_replays_from_one_address_have_to_wait(
    api: APIClient, game: Game, settings: Settings
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"replay": "1/m/ip"}
    assert api.post(f"/api/v1/games/{game.pk}/verify/").status_code == 200
    for address in (f"/api/v1/games/{game.pk}/verify/", "/api/v1/replays/"):
        answer = api.post(address)
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "throttled")
