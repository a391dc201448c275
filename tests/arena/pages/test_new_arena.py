"""The public pages between the first start and the first match: ladders and house bots, and no rating at all."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.models import Ladder
from arena.services import seed_arena
from bots.house import HOUSE, HouseBot
from tests.arena.pages.markup import Markup, words

pytestmark = [pytest.mark.django_db, pytest.mark.database]

PUBLIC = [
    "/",
    "/ladders/duel/",
    "/ladders/duel/?versions=all",
    "/ladders/table/",
    *(f"/bots/{bot.name}/" for bot in HOUSE),
    "/bots/greedy/versions/1/",
    "/bots/greedy/versions/1/stages/",
    "/bots/greedy/versions/1/source/",
    "/submit/",
    "/matches/",
    "/rules/",
    "/rules/cheat-sheet/",
    "/rules/score-pad/",
    "/protocol/",
    "/docs/replay/",
    "/docs/sandbox/",
    "/docs/ratings/",
    "/docs/api/",
    "/status/",
    "/status/live/",
    "/accounts/login/",
    "/accounts/signup/",
]


@pytest.fixture(autouse=True)
def seeded(db: None) -> None:
    seed_arena()
    assert not Ladder.objects.exclude(current_run=None).exists()


@pytest.mark.parametrize("path", PUBLIC)
def test_everybody_can_read_it_before_the_first_match(path: str, client: Client) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert Markup(response.content.decode()).problems == []


@pytest.mark.parametrize("bot", HOUSE, ids=lambda bot: bot.name)
def test_a_house_bots_page_tells_its_strategy(bot: HouseBot, client: Client) -> None:
    assert len(bot.strategy) > 100
    assert " ".join(bot.strategy.split()) in words(client.get(f"/bots/{bot.name}/").content.decode())


def test_a_house_bots_version_is_said_to_play_and_not_to_have_passed_a_check(client: Client) -> None:
    text = words(client.get("/bots/greedy/versions/1/").content.decode())
    assert "Ready. Submitted" in text
    assert "House bots need no check." in text
    assert "passed its check" not in text


def test_ladders_are_called_and_described_in_the_readers_language(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.models.gettext", lambda text: f"In Latin: {text}")
    text = words(client.get("/ladders/duel/").content.decode())
    assert "In Latin: Duel" in text
    assert "In Latin: Two seats: every match plays five deals" in text


def test_the_ladders_lead_to_their_boards(client: Client) -> None:
    assert client.get("/ladders/", follow=True).redirect_chain == [("/ladders/duel/", 302)]


def test_the_status_page_says_why_nothing_is_played_and_that_nothing_is_rated(client: Client) -> None:
    text = words(client.get("/status/").content.decode())
    assert "No worker is there for matches." in text
    assert "Ratings of Duel none yet" in text


@pytest.mark.parametrize("path", ["/ladders/duel/", "/ladders/duel/?versions=all"])
def test_a_board_without_ratings_names_the_bots_that_wait_for_theirs(path: str, client: Client) -> None:
    text = words(client.get(path).content.decode())
    assert "No ratings yet" in text
    assert all(bot.name in text for bot in HOUSE)


def test_the_front_page_shows_both_ladders_without_ratings(client: Client) -> None:
    text = words(client.get("/").content.decode())
    assert "Duel" in text
    assert "Table" in text
    assert "No ratings yet" in text
