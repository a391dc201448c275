from __future__ import annotations

import gzip
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from arena import replay_files
from matches.engine import Rules
from matches.models import Game, GameSeat
from matches.replay import encode
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site
from tests.matches.replay.games import as_json, expanded, play

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SHORT = play(Rules(target=1), 3, seed=3)


def text_of(response: HttpResponse) -> str:
    return words(response.content.decode())


def send(client: Client, content: bytes | None, name: str = "game.json") -> HttpResponse:
    return client.post("/watch/", {"file": SimpleUploadedFile(name, content)} if content is not None else {})


# --- A stored game --------------------------------------------------------------------------------------------


def test_anybody_has_a_game_played_again_and_its_page_says_so(site: Site, client: Client) -> None:
    game = site.games[0]
    page, door = f"/games/{game.pk}/", f"/games/{game.pk}/verify/"
    assert "not verified yet" in text_of(client.get(page))
    assert client.post(door).headers["Location"] == door
    assert "everything comes out as it is stored" in text_of(client.get(door))
    shown = client.get(page)
    assert "not verified" not in text_of(shown)
    verified_at = Game.objects.get(pk=game.pk).verified_at
    assert verified_at is not None
    assert (
        f'verified</span> <span class="small"><time datetime="{verified_at.isoformat(timespec="seconds")}"'
        in (re.sub(r"\s+", " ", shown.content.decode()))
    )


def test_a_game_that_comes_out_otherwise_is_called_our_fault(site: Site, client: Client) -> None:
    game = site.games[0]
    GameSeat.objects.filter(game=game, seat=1).update(total=-7)
    client.post(f"/games/{game.pk}/verify/")
    text = text_of(client.get(f"/games/{game.pk}/verify/"))
    assert "our fault and no bot's" in text
    assert "-7) is stored" in text
    html = client.get(f"/games/{game.pk}/").content.decode()
    assert '<span class="fault fault-infra">comes out otherwise</span>' in html


def test_a_forfeit_cannot_be_played_again(site: Site, client: Client) -> None:
    Game.objects.filter(pk=site.games[0].pk).update(is_forfeit=True, replay=b"")
    for method in (client.get, client.post):
        response = method(f"/games/{site.games[0].pk}/verify/")
        assert response.status_code == 404
        assert "it has no replay" in text_of(response)


def test_an_address_has_a_limited_number_of_games_played_again(
    site: Site, client: Client, settings: Settings
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"replay": "2/m/ip"}
    door = f"/games/{site.games[0].pk}/verify/"
    answers = [client.post(door).status_code, send(client, b"{}").status_code]
    assert answers == [302, 422]
    assert client.post(door).status_code == 429
    assert send(client, b"{}").status_code == 429
    assert client.get(door).status_code == 200


# --- A file ---------------------------------------------------------------------------------------------------

FILES = {
    "expanded": as_json(expanded(SHORT)),
    "compact": gzip.decompress(encode(SHORT.core(), SHORT.timing())),
    "compact, gzip": encode(SHORT.core(), SHORT.timing()),
}


def watch(client: Client, content: bytes) -> HttpResponse:
    """The page that a sound file leads to."""
    sent = send(client, content)
    assert sent.status_code == 302
    return client.get(sent.headers["Location"])


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_a_file_is_played_again_and_shown_at_an_address_that_holds_it(
    db: None, client: Client, content: bytes
) -> None:
    response = watch(client, content)
    assert response.status_code == 200
    html, text = response.content.decode(), text_of(response)
    assert "A game of seat 0, seat 1, seat 2" in text
    assert "everything comes out as it says" in text
    assert "Round 1 is dealt." in text
    _, _, data = html.partition('<script id="replay-data" type="application/json">')
    assert json.loads(data.partition("</script>")[0])["outcome"] == expanded(SHORT)["outcome"]
    assert "data-replay-url" not in html
    link = response.wsgi_request.build_absolute_uri().replace("&", "&amp;")
    assert f'<input id="share-link" type="text" readonly value="{link}">' in html


def test_a_replay_that_is_too_long_for_an_address_is_shown_all_the_same(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_files, "MAX_QUERY", 100)
    response = send(client, FILES["compact"])
    assert response.status_code == 200
    assert "Round 1 is dealt." in text_of(response)
    assert "share-link" not in response.content.decode()


@pytest.mark.parametrize("text", ["", "x", "%%%", "äöü", "QUJD", "A" * 400])
def test_an_address_that_holds_no_replay_says_so(db: None, client: Client, text: str) -> None:
    response = client.get("/watch/", {"replay": text})
    assert response.status_code == 422
    assert "There is nothing to show" in text_of(response)


def test_an_address_that_was_cut_off_says_so(db: None, client: Client) -> None:
    address = send(client, FILES["compact"]).headers["Location"]
    for n in (1, 2, 3, 100):
        assert client.get(address[:-n]).status_code == 422


def test_names_in_a_file_are_shown_as_text_and_left_out_where_they_cannot_be_names(
    db: None, client: Client
) -> None:
    names = ["<b>ada</b>", "bob", "</script><script>alert(1)"]
    html = watch(client, as_json(expanded(SHORT, {"names": names}))).content.decode()
    assert "&lt;b&gt;ada&lt;/b&gt;" in html
    assert "<b>ada" not in html
    assert "<script>alert" not in html
    for bad in (names[:2], ["", "b", "c"], ["a" * 41, "b", "c"], [1, 2, 3], "abc", None):
        text = text_of(watch(client, as_json(expanded(SHORT, {"names": bad}))))
        assert "seat 2" in text, bad


def altered() -> bytes:
    document = expanded(SHORT)
    document["rounds"][0]["dealt"][0][0] = 12 if document["rounds"][0]["dealt"][0][0] != 12 else 11
    return as_json(document)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "Choose a file."),
        (b"", "The file is empty."),
        (b"no JSON", "The file is not JSON: "),
        (b"[1, 2]", "This is no replay"),
        (b"\x1f\x8bbroken", "The gzip data is damaged"),
        (altered(), "Round 1: at the deal: dealt[0][0] is"),
        (b" " * (replay_files.MAX_BYTES + 1), "larger than 4,194,304 bytes"),
        (gzip.compress(b" " * (replay_files.MAX_BYTES + 1)), "unpacks to more than 4,194,304 bytes"),
    ],
    ids=["none", "empty", "text", "list", "gzip", "altered", "big", "bomb"],
)
def test_a_file_that_is_no_sound_replay_is_refused_with_the_reason(
    db: None, client: Client, content: bytes | None, sentence: str
) -> None:
    response = send(client, content)
    assert response.status_code == 422
    assert sentence in text_of(response)
    assert "replay-data" not in response.content.decode()


def test_a_game_of_too_many_decisions_is_refused(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_files, "MAX_DECISIONS", 10)
    assert "at most 10 are shown" in text_of(send(client, FILES["compact"]))


def test_a_file_tells_nothing_that_it_does_not_hold(site: Site, as_owner: Client) -> None:
    """Even to the owner of its seats: what is private is not in files, and is not looked up for them."""
    game = site.games[0]
    content = as_owner.get(f"/games/{game.pk}/replay/").content
    text = text_of(watch(as_owner, content))
    assert "everything comes out" in text
    assert "stderr" not in text
