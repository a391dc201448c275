"""Two bots side by side."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.ratings.compare import chance_better
from bots.models import Bot
from tests import make
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site, make_bot

pytestmark = [pytest.mark.django_db, pytest.mark.database]

PAGE = "/ladders/duel/compare/"
TWIN = "/api/v1/ladders/duel/compare/"


def test_two_bots_are_set_side_by_side_with_what_came_of_it_when_they_met(site: Site, client: Client) -> None:
    ev = site.house[3]
    for _ in range(3):
        make.make_finished_match([site.version, ev], site.duel, deals=2, winner=site.version)
    make.make_finished_match([ev, site.house[0]], site.duel)
    found = client.get(f"{TWIN}?bot=MINE&against=ev").json()
    assert (found["first"]["bot"], found["second"]["bot"]) == ("mine", "ev")
    assert (found["met"]["n_matches"], found["met"]["n_games"], found["met"]["win_share"]) == (3, 12, 1)
    assert found["better"] == pytest.approx(chance_better(1700, 40, 1890, 8))
    # 190 Elo points behind.
    assert found["expected"] == pytest.approx(0.250917, abs=1e-6)
    other = client.get(f"{TWIN}?bot=ev&against=mine").json()
    assert other["met"]["win_share"] == 0
    assert other["better"] == pytest.approx(1 - found["better"])
    text = words(client.get(f"{PAGE}?bot=mine&against=ev").content.decode())
    assert "mine has won, of 12 games 100 %" in text
    assert "1890 ± 16" in text
    assert "The ratings expect mine to win 25 %" in text


def test_two_that_have_not_met_or_are_not_rated_are_compared_as_far_as_that_goes(
    site: Site, client: Client
) -> None:
    fresh = make.make_version(make_bot(site.owner, "fresh"))
    text = words(client.get(f"{PAGE}?bot=fresh&against=greedy").content.decode())
    assert "not rated on this ladder yet" in text
    assert "have not met on this ladder yet" in text
    found = client.get(f"{TWIN}?bot=fresh&against=greedy").json()
    assert (found["first"]["version_id"], found["better"], found["met"]) == (fresh.pk, None, None)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "Give the names of two bots"),
        ("?bot=mine", "Give the names of two bots"),
        ("?bot=mine&against=nobody", "There is no bot “nobody”."),
        ("?bot=mine&against=mine", "Choose two different bots"),
        ("?bot=mine&against=empty", "Choose two different bots that have a version each."),
    ],
)
def test_what_cannot_be_compared_is_said(site: Site, client: Client, query: str, sentence: str) -> None:
    make_bot(site.owner, "empty")
    response = client.get(f"{PAGE}{query}")
    assert response.status_code == 200
    assert sentence in words(response.content.decode())
    assert client.get(f"{TWIN}{query}").status_code in {400, 404}


def test_a_hidden_bot_is_compared_by_nobody_else(site: Site, client: Client, as_owner: Client) -> None:
    Bot.objects.filter(pk=site.mine.pk).update(is_hidden=True)
    query = "?bot=mine&against=greedy"
    assert "There is no bot “mine”." in words(client.get(f"{PAGE}{query}").content.decode())
    assert client.get(f"{TWIN}{query}").status_code == 400
    assert as_owner.get(f"{TWIN}{query}").status_code == 200


def test_a_ladder_that_is_not_there_is_not_found(site: Site, client: Client) -> None:
    assert client.get("/ladders/nowhere/compare/").status_code == 404
    assert client.get("/api/v1/ladders/nowhere/compare/?bot=mine&against=ev").status_code == 404
