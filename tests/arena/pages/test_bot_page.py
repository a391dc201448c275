from __future__ import annotations

import pytest
from django.test import Client

from arena.models import LadderEntry
from bots.models import Bot, Version
from matches.models import GameSeat, Result
from tests import make
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site, make_ratings, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]

ACTIONS = [
    "/bots/mine/withdraw/",
    "/bots/mine/reactivate/",
    "/bots/mine/publish/",
    "/bots/mine/unpublish/",
    "/bots/mine/ladders/duel/enter/",
    "/bots/mine/ladders/duel/leave/",
    "/bots/mine/versions/1/activate/",
]


def state(site: Site) -> tuple[object, ...]:
    bot = Bot.objects.get(pk=site.mine.pk)
    entries = list(LadderEntry.objects.filter(bot=bot).order_by("pk").values_list("ladder", "is_active"))
    return bot.current_version_id, bot.withdrawn_at, bot.is_source_public, entries


@pytest.mark.parametrize("path", ACTIONS)
def test_an_action_is_no_link(path: str, site: Site, as_owner: Client) -> None:
    before = state(site)
    response = as_owner.get(path)
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"
    assert "only answers POST" in words(response.content.decode())
    assert state(site) == before


@pytest.mark.parametrize("path", ACTIONS)
def test_an_action_is_the_owners_alone(
    path: str, site: Site, client: Client, as_rival: Client, as_operator: Client
) -> None:
    before = state(site)
    response = client.post(path)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/accounts/login/")
    for reader in (as_rival, as_operator):
        response = reader.post(path)
        assert response.status_code == 403
        assert "Only the owner" in words(response.content.decode())
    assert state(site) == before


@pytest.mark.parametrize("path", ACTIONS)
def test_an_action_without_its_csrf_token_changes_nothing(path: str, site: Site) -> None:
    before = state(site)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(site.owner)
    response = strict.post(path)
    assert response.status_code == 403
    assert "This form is out of date" in words(response.content.decode())
    assert state(site) == before


def test_the_owner_withdraws_and_reactivates(site: Site, as_owner: Client) -> None:
    response = as_owner.post("/bots/mine/withdraw/", follow=True)
    assert "mine is withdrawn" in words(response.content.decode())
    assert Bot.objects.get(name="mine").is_withdrawn
    response = as_owner.post("/bots/mine/reactivate/", follow=True)
    assert "mine plays again" in words(response.content.decode())
    assert Bot.objects.get(name="mine").current_version == site.version


def test_the_owner_rolls_back_to_an_older_version(site: Site, as_owner: Client) -> None:
    newer = make_version(site.mine)
    assert "Let v1 play" in words(as_owner.get("/bots/mine/").content.decode())
    response = as_owner.post("/bots/mine/versions/1/activate/", follow=True)
    assert "Version 1 of mine plays now" in words(response.content.decode())
    assert Bot.objects.get(name="mine").current_version == site.version != newer


def test_a_rejected_version_cannot_be_made_to_play(site: Site, as_owner: Client) -> None:
    response = as_owner.post("/bots/mine/versions/2/activate/", follow=True)
    assert "Only a version that passed its check can play" in words(response.content.decode())
    assert Bot.objects.get(name="mine").current_version == site.version


def test_a_bot_without_a_version_that_plays_says_why_and_offers_no_ladder(
    site: Site, as_owner: Client, client: Client
) -> None:
    bot = make.make_bot(site.owner, "broken")
    version = make.make_version(bot, status=Version.Status.REJECTED)
    Version.objects.filter(pk=version.pk).update(rejection="It prints no JSON.")
    for reader in (client, as_owner):
        html = reader.get("/bots/broken/").content.decode()
        assert "Version 1 was rejected. It prints no JSON." in words(html)
        assert 'href="/bots/broken/versions/1/"' in html
        assert "Put on" not in html
    assert "enters every ladder where you have a place left as soon as" in words(html)


def test_the_owner_publishes_the_source_and_takes_it_back(
    site: Site, as_owner: Client, client: Client
) -> None:
    as_owner.post("/bots/mine/publish/")
    assert client.get("/bots/mine/versions/1/source/").status_code == 200
    as_owner.post("/bots/mine/unpublish/")
    assert client.get("/bots/mine/versions/1/source/").status_code == 403


def test_the_owner_takes_a_bot_off_a_ladder_and_puts_it_back(site: Site, as_owner: Client) -> None:
    response = as_owner.post("/bots/mine/ladders/duel/leave/", follow=True)
    assert "mine is off the ladder Duel" in words(response.content.decode())
    assert not LadderEntry.objects.get(bot=site.mine, ladder=site.duel).is_active
    response = as_owner.post("/bots/mine/ladders/duel/enter/", follow=True)
    assert "mine is on the ladder Duel" in words(response.content.decode())
    assert LadderEntry.objects.get(bot=site.mine, ladder=site.duel).is_active


@pytest.mark.parametrize(
    "path",
    ["/bots/mine/ladders/nowhere/enter/", "/bots/mine/versions/77/activate/", "/bots/nobody/withdraw/"],
)
def test_an_action_on_what_does_not_exist_is_not_found(path: str, site: Site, as_owner: Client) -> None:
    assert as_owner.post(path).status_code == 404


def test_only_the_owner_sees_the_buttons(
    site: Site, client: Client, as_rival: Client, as_owner: Client
) -> None:
    for reader, is_shown in ((client, False), (as_rival, False), (as_owner, True)):
        assert ("/bots/mine/withdraw/" in reader.get("/bots/mine/").content.decode()) is is_shown


def test_a_hidden_bot_is_not_there_for_strangers(
    site: Site, client: Client, as_rival: Client, as_owner: Client, as_operator: Client
) -> None:
    Bot.objects.filter(pk=site.mine.pk).update(is_hidden=True)
    for path in ("/bots/mine/", "/bots/mine/versions/1/", "/bots/mine/versions/2/stages/"):
        statuses = [reader.get(path).status_code for reader in (client, as_rival, as_owner, as_operator)]
        assert statuses == [404, 404, 200, 200]


def test_older_versions_are_a_page_away(site: Site, client: Client) -> None:
    for _ in range(26):
        make_version(site.mine, plays=False)
    html = client.get("/bots/mine/").content.decode()
    assert "?before=4" in html
    assert "/bots/mine/versions/3/" not in html
    assert "/bots/mine/versions/3/" in client.get("/bots/mine/?before=4").content.decode()


def test_names_ignore_case(site: Site, client: Client) -> None:
    assert client.get("/bots/MINE/").status_code == 200


def test_the_rating_history_stands_on_the_page_with_its_table(site: Site, client: Client) -> None:
    assert "No history yet." in words(client.get("/bots/mine/").content.decode())
    second = make_version(site.mine)
    make_ratings(site.duel, [(site.version, 1690, 30), (second, 1720, 60)])
    html = client.get("/bots/mine/").content.decode()
    text = words(html)
    assert "Rating history, Duel" in text
    assert f"v{second.number} 1720 ± 118" in text
    assert 'class="band"' in html
    assert 'href="/bots/mine/statistics/#opponents"' in html


def test_a_latest_match_says_which_fault_there_was(site: Site, client: Client) -> None:
    text = words(client.get("/bots/mine/").content.decode())
    assert "mine v1 50 % bot fault: time-out" in text
    GameSeat.objects.filter(version=site.version).update(fault="crash")
    Result.objects.update(tally={**site.match.result.tally, "faults": [0, 2]})
    assert "bot fault: crash in 2 games" in words(client.get("/bots/mine/").content.decode())


def test_faults_since_the_version_that_plays_are_a_link_away(site: Site, client: Client) -> None:
    assert 'href="/bots/mine/faults/?since=1"' in client.get("/bots/mine/").content.decode()
