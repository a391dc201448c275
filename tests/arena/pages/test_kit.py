"""The kit's download, and where the pages offer it."""

from __future__ import annotations

import hashlib

import pytest
from django.test import Client

from bots.kit.skyjo import KIT_VERSION
from matches.kit.building import build
from tests.arena.pages.markup import words

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_the_file_is_the_sources_of_this_arena_and_knows_its_address(client: Client) -> None:
    response = client.get("/skyjo.pyz")
    assert response.content == build("http://testserver")
    assert response["Content-Disposition"] == 'attachment; filename="skyjo.pyz"'
    assert response["Cache-Control"] == "public, no-cache"
    again = client.get("/skyjo.pyz", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    elsewhere = client.get(
        "/skyjo.pyz", headers={"Host": "localhost:9000", "If-None-Match": response["ETag"]}
    )
    assert elsewhere.content == build("http://localhost:9000")


@pytest.mark.parametrize("path", ["/", "/submit/", "/docs/kit/"])
def test_pages_offer_it_with_its_version_and_hash(path: str, client: Client) -> None:
    content = client.get("/skyjo.pyz").content
    html = client.get(path).content.decode()
    assert 'href="http://testserver/skyjo.pyz"' in html
    assert f"version {KIT_VERSION}" in words(html)
    assert hashlib.sha256(content).hexdigest() in html
    assert "curl -O http://testserver/skyjo.pyz" in html


def test_the_api_tells_where_it_is_and_what_it_hashes_to(client: Client) -> None:
    content = client.get("/skyjo.pyz").content
    assert client.get("/api/v1/kit/").json() == {
        "filename": "skyjo.pyz",
        "version": KIT_VERSION,
        "sha256": hashlib.sha256(content).hexdigest(),
        "size": len(content),
        "url": "http://testserver/skyjo.pyz",
    }


def test_a_game_says_how_to_verify_it(client: Client, site) -> None:
    html = client.get(f"/games/{site.games[0].pk}/").content.decode()
    assert f"python3 skyjo.pyz verify http://testserver/games/{site.games[0].pk}/" in html


def test_the_kits_document_offers_the_download_below_its_title(client: Client) -> None:
    html = client.get("/docs/kit/").content.decode()
    assert html.index("<h1") < html.index('aria-label="Download"') < html.index("<h2")
