from __future__ import annotations

import gzip
import json
import re
import uuid

import pytest
from django.test import Client

from matches.models import Attempt, Game, Match
from matches.replay import PrivateSeat, encode_private, verify
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def page(client: Client, site: Site) -> str:
    return client.get(f"/games/{site.games[0].pk}/").content.decode()


def test_a_game_can_be_read_without_javascript(site: Site, client: Client) -> None:
    text = words(page(client, site))
    assert "Round 1 is dealt." in text
    assert "draws" in text
    assert "ran out of time" in text


def test_the_viewer_gets_its_replay_from_the_same_place(site: Site, client: Client) -> None:
    html = page(client, site)
    assert f'data-replay-url="/games/{site.games[0].pk}/replay/"' in html
    assert "arena/viewer/viewer.js" in html


def test_standard_error_and_offending_line_are_for_the_owner_and_operators(
    site: Site, client: Client, as_rival: Client, as_owner: Client, as_operator: Client
) -> None:
    for reader, may_see in ((client, False), (as_rival, False), (as_owner, True), (as_operator, True)):
        html = page(reader, site)
        assert ("stderr of mine" in html) is may_see
        assert ("secret line" in html) is may_see
    # The opponent's is not the owner's to read either.
    assert "stderr of greedy" not in page(as_owner, site)
    assert "<script>" not in page(as_owner, site)


def test_a_fault_of_ours_is_told_apart_from_a_bots(site: Site, client: Client) -> None:
    game = site.games[0]
    assert "infrastructure fault" not in page(client, site)
    Attempt.objects.create(match=game.match, number=2, token=uuid.uuid4(), worker="w", outcome="lost")
    Match.objects.filter(pk=game.match_id).update(n_attempts=2)
    html = page(client, site)
    assert '<span class="fault fault-infra">infrastructure fault</span>' in html
    assert "this game is of attempt 2" in words(html)
    assert "fault-bot" in html


def test_a_link_to_a_game_tells_other_sites_how_it_ended(site: Site, client: Client) -> None:
    (told,) = re.findall(r'<meta property="og:description" content="([^"]*)">', page(client, site))
    assert re.fullmatch(r"1\. greedy v1 with -?\d+; 2\. mine v1 with -?\d+", told)


def test_a_fault_is_public_with_its_place(site: Site, client: Client) -> None:
    text = words(page(client, site))
    assert "bot fault: time-out" in text
    assert "Round 1 Turn 9" in text


def test_a_fault_begins_with_one_sentence_and_ends_with_how_to_see_it_again(
    site: Site, as_owner: Client
) -> None:
    html = page(as_owner, site)
    game = site.games[0]
    seat = game.seats.exclude(fault="").get().seat
    in_order = [
        "Round 1, turn 9, phase draw: The decision took more than 500 ms of CPU time. It had used 512 ms.",
        "Show it at the table",
        "The line that was a fault secret line",
        "The last messages before the fault To the bot {} From the bot nothing",
        "stderr of mine",
        f"python3 skyjo.pyz reproduce http://testserver/games/{game.pk}/ --seat {seat} mybot.py",
    ]
    text = words(html)
    places = [text.index(part) for part in in_order]
    assert places == sorted(places)
    assert f'href="/games/{game.pk}/?round=1&amp;turn=9#viewer"' in html


def test_a_traceback_stands_before_the_rest_of_standard_error(site: Site, as_owner: Client) -> None:
    text = 'warming up\nTraceback (most recent call last):\n  File "main.py"\nValueError: <lost>\n'
    private = encode_private([PrivateSeat(stderr=text)])
    site.games[0].seats.exclude(fault="").update(private=private, fault="crash")
    shown = words(page(as_owner, site))
    assert "Traceback Traceback (most recent call last):" in shown
    assert shown.index("Traceback Traceback") < shown.index("Standard error, the end of it warming up")
    assert "<lost>" not in page(as_owner, site)


def test_what_only_some_may_read_is_said_to_the_others(site: Site, client: Client) -> None:
    assert "shown to its owner only" in words(page(client, site))


def test_a_forfeit_has_no_replay_and_says_so(site: Site, client: Client) -> None:
    Game.objects.filter(pk=site.games[0].pk).update(is_forfeit=True, replay=b"")
    html = page(client, site)
    assert "Forfeited without being played" in words(html)
    assert "viewer.js" not in html
    response = client.get(f"/games/{site.games[0].pk}/replay/")
    assert response.status_code == 404
    assert "it has no replay" in words(response.content.decode())


@pytest.mark.parametrize("path", ["/games/999999/", "/games/999999/replay/"])
def test_an_unknown_game_is_not_found(path: str, client: Client) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "There is no game 999999" in words(response.content.decode())


@pytest.mark.parametrize("form", ["", "?format=expanded", "?format=compact"])
@pytest.mark.parametrize("encoding", ["", "gzip", "br, gzip;q=0.5"])
def test_the_download_verifies_in_either_form_and_coding(
    form: str, encoding: str, site: Site, client: Client
) -> None:
    response = client.get(f"/games/{site.games[0].pk}/replay/{form}", headers={"accept-encoding": encoding})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Disposition"].startswith("attachment; filename=")
    assert "Accept-Encoding" in response.headers["Vary"]
    assert (response.headers.get("Content-Encoding") == "gzip") is ("gzip" in encoding)
    body = gzip.decompress(response.content) if "gzip" in encoding else response.content
    verify(body)


def test_the_download_holds_nothing_private_even_for_the_owner(site: Site, as_owner: Client) -> None:
    response = as_owner.get(f"/games/{site.games[0].pk}/replay/")
    assert b"stderr" not in response.content
    assert b"secret line" not in response.content
    assert json.loads(response.content)["rounds"]


def test_an_unknown_form_is_a_bad_request(site: Site, client: Client) -> None:
    response = client.get(f"/games/{site.games[0].pk}/replay/?format=xml")
    assert response.status_code == 400
    assert "expanded, compact" in words(response.content.decode())
