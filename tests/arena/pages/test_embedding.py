from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from bots.models import Bot
from matches.models import Game, GameSeat
from matches.replay import Note, PrivateSeat, encode_private
from tests.arena.pages.markup import Markup, words
from tests.arena.pages.staging import Site

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_the_page_of_a_game_offers_the_code_of_a_frame_and_the_frame_holds_the_viewer(
    site: Site, client: Client
) -> None:
    page = client.get(f"/games/{site.games[0].pk}/").content.decode()
    (code,) = re.findall(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    (address,) = re.findall(r'^<iframe src="http://testserver(/games/\d+/embed/)" ', unescape(code))
    html = client.get(address).content.decode()
    assert Markup(html).problems == []
    assert 'class="viewer"' in html
    assert "Round 1 is dealt." in words(html)
    assert f'href="/games/{site.games[0].pk}/"' in html


def test_a_frame_shows_everybody_the_same_and_leaves_no_trace(
    site: Site, client: Client, as_owner: Client
) -> None:
    private = encode_private([PrivateSeat(notes=(Note(3, "a secret note"),))])
    GameSeat.objects.filter(version=site.version).update(private=private)
    assert "a secret note" in as_owner.get(f"/games/{site.games[0].pk}/").content.decode()
    address = f"/games/{site.games[0].pk}/embed/"
    anonymous, owner = client.get(address), as_owner.get(address)
    assert anonymous.content == owner.content
    assert b"a secret note" not in owner.content
    for response in (anonymous, owner):
        assert not response.cookies
        assert not response.wsgi_request.session.accessed
        assert "frame-ancestors *" in response.headers["Content-Security-Policy"]
        assert "X-Frame-Options" not in response.headers


def test_where_there_is_nothing_to_show_the_frame_says_so(
    site: Site, client: Client, as_owner: Client
) -> None:
    game = site.games[0]
    Bot.objects.filter(pk=site.mine.pk).update(is_hidden=True)
    assert as_owner.get(f"/games/{game.pk}/").status_code == 200
    for reader, number in ((client, 999999), (client, game.pk), (as_owner, game.pk)):
        response = reader.get(f"/games/{number}/embed/")
        assert response.status_code == 404
        assert f"There is no game {number}." in words(response.content.decode())
        assert "frame-ancestors *" in response.headers["Content-Security-Policy"]
    Bot.objects.filter(pk=site.mine.pk).update(is_hidden=False)
    Game.objects.filter(pk=game.pk).update(is_forfeit=True, replay=b"")
    response = client.get(f"/games/{game.pk}/embed/")
    assert response.status_code == 200
    assert "forfeited without being played" in words(response.content.decode())
