"""Finding bots: by the beginning of a name, by author, page by page."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from arena.selectors.bots import beginning_with, bot_page
from bots.models import Bot
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site, make_bot
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def names(owner: User, rival: User) -> None:
    for name in ("Alpha", "alpha_2", "alphabet", "alpine", "beta", "Zeta-alpha"):
        make_bot(owner, name)
    make_bot(rival, "alpha-3")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=alpha", ["Alpha", "alpha-3", "alpha_2", "alphabet"]),
        ("q=ALPHA_", ["alpha_2"]),
        ("q=beta", ["beta"]),
        ("q=eta", []),
        ("q=%25", []),
        ("q=%00", []),
        ("q=alpha&author=rob", ["alpha-3"]),
        ("author=rob", ["alpha-3"]),
        ("author=nobody", []),
        ("author=%00", []),
    ],
)
def test_the_page_and_the_api_find_the_same_by_the_beginning_of_a_name_in_any_case(
    names: None, client: Client, query: str, found: list[str]
) -> None:
    page = client.get(f"/bots/?{query}").context["page"]
    assert sorted(bot.name for bot in page.bots) == sorted(found)
    rows = client.get(f"/api/v1/bots/?{query}").json()["results"]
    assert sorted(row["name"] for row in rows) == sorted(found)


def test_what_cannot_be_seen_is_not_sent_back(site: Site, client: Client) -> None:
    for path in ("/bots/", "/ladders/duel/"):
        for name in ("q", "author"):
            html = client.get(f"{path}?{name}=a%00b%1b").content.decode()
            assert not {"\0", "\x1b"} & set(html)
            assert "a\ufffdb\ufffd" in html


def test_long_lists_are_walked_without_a_gap(names: None, client: Client) -> None:
    walked: list[str] = []
    after = ""
    while True:
        page = bot_page(user=ANYBODY, after=after, size=2)
        walked += [bot.name for bot in page.bots]
        if page.after is None:
            break
        after = page.after
    assert walked == [bot.name for bot in bot_page(user=ANYBODY).bots]
    assert len(set(walked)) == 7


def test_a_hidden_bot_is_found_by_its_owner_and_operators_alone(
    names: None, client: Client, owner: User, operator: User
) -> None:
    Bot.objects.filter(name="beta").update(is_hidden=True)
    found = []
    for reader in (None, owner, operator):
        if reader is not None:
            client.force_login(reader)
        found.append([bot.name for bot in client.get("/bots/?q=be").context["page"].bots])
    assert found == [[], ["beta"], ["beta"]]


def test_every_page_has_a_search_box_that_needs_no_script(site: Site, client: Client) -> None:
    html = client.get("/rules/").content.decode()
    assert '<form class="find" method="get" action="/bots/"' in html
    assert 'name="q"' in html


def test_what_is_not_found_is_said_with_a_way_on(names: None, client: Client) -> None:
    assert "No bot's name begins with “<b>”." in words(client.get("/bots/?q=<b>").content.decode())
    assert "No bot is like this." in words(client.get("/bots/?author=nobody").content.decode())


def test_an_arena_without_bots_says_how_to_fill_it(client: Client) -> None:
    assert "There are no bots yet. Submit the first one" in words(client.get("/bots/").content.decode())


def test_postgresql_finds_the_beginning_of_a_name_by_an_index(names: None) -> None:
    query = str(beginning_with(Bot.objects.all(), "alpha").query)
    if connection.vendor != "postgresql":
        assert "LIKE" in query
        return
    with connection.cursor() as cursor:
        # Seven rows are read whole unless that is forbidden.
        cursor.execute("SET LOCAL enable_seqscan = off")
        plan = beginning_with(Bot.objects.all(), "alpha").explain()
    assert "bot_name_prefix" in plan
