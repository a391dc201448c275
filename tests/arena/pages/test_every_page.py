"""What holds on every page, whoever reads it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.arena.pages.markup import Markup
from tests.arena.pages.staging import Site

pytestmark = [pytest.mark.django_db, pytest.mark.database]

PUBLIC = [
    "/",
    "/live/",
    "/ladders/duel/",
    "/ladders/duel/?versions=all",
    "/ladders/duel/?sort=-games&house=none&provisional=yes",
    "/ladders/duel/compare/",
    "/ladders/duel/compare/?bot=mine&against=greedy",
    "/bots/",
    "/bots/?q=m&author=olivia",
    "/bots/mine/",
    "/bots/greedy/",
    "/bots/mine/statistics/",
    "/bots/mine/faults/",
    "/bots/mine/faults/?since=1&kind=timeout",
    "/bots/mine/versions/1/",
    "/bots/mine/versions/2/",
    "/bots/mine/versions/2/stages/",
    "/bots/greedy/versions/1/source/",
    "/submit/",
    "/matches/",
    "/matches/?bot=mine&ladder=duel&status=finished",
    "/matches/?bot=mine&against=greedy&outcome=faults&rated=yes&seats=2",
    "/matches/live/",
    "/matches/{match}/",
    "/matches/{match}/live/",
    "/games/{game}/",
    "/games/{game}/verify/",
    "/watch/",
    "/tournaments/",
    "/tournaments/new/",
    "/trials/",
    "/trials/?bot=mine&state=running",
    "/trials/{trial}/",
    "/trials/{trial}/live/",
    "/rules/",
    "/rules/cheat-sheet/",
    "/rules/cheat-sheet/?rules=gamerules-plain",
    "/rules/score-pad/",
    "/protocol/",
    "/docs/",
    "/docs/rules/",
    "/docs/operate/",
    "/docs/decisions/0010-a-strict-reader-of-zips/",
    "/docs/replay/",
    "/docs/kit/",
    "/docs/sandbox/",
    "/docs/ratings/",
    "/docs/api/",
    "/docs/pairing/",
    "/docs/trials/",
    "/status/",
    "/status/live/",
]
FOR_STRANGERS = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
FOR_MEMBERS = [
    "/account/",
    "/account/delete/",
    "/accounts/logout/",
    "/accounts/password/change/",
    "/accounts/email/",
]


def get(client: Client, path: str, site: Site) -> HttpResponse:
    return client.get(path.format(match=site.match.pk, game=site.games[0].pk, trial=site.trial.pk))


def problems(response: HttpResponse) -> list[str]:
    return Markup(response.content.decode()).problems


@pytest.mark.parametrize("path", [*PUBLIC, *FOR_STRANGERS])
def test_anybody_reads_it_in_few_queries(
    path: str, site: Site, client: Client, django_assert_max_num_queries: Callable[..., object]
) -> None:
    with django_assert_max_num_queries(12):
        response = get(client, path, site)
    assert response.status_code == 200
    assert problems(response) == []


@pytest.mark.parametrize("path", [*PUBLIC, *FOR_MEMBERS])
def test_the_owner_reads_it_in_few_queries(
    path: str, site: Site, as_owner: Client, django_assert_max_num_queries: Callable[..., object]
) -> None:
    # Session and account are two of them, what the owner may ask for on a bot's page is another.
    with django_assert_max_num_queries(13):
        response = get(as_owner, path, site)
    assert response.status_code == 200
    assert problems(response) == []


def test_somebody_else_and_an_operator_read_it(site: Site, as_rival: Client, as_operator: Client) -> None:
    for path in PUBLIC:
        for reader in (as_rival, as_operator):
            response = get(reader, path, site)
            assert response.status_code == 200, path
            assert problems(response) == [], path


def test_every_whole_page_has_landmarks_a_skip_link_one_main_heading_and_the_disclaimer(
    site: Site, client: Client
) -> None:
    for path in PUBLIC:
        if path.endswith(("stages/", "live/")):
            continue
        html = get(client, path, site).content.decode()
        tags = Markup(html).tags
        assert [tags.count(tag) for tag in ("header", "main", "footer", "h1", "title")] == [1, 1, 1, 1, 1], (
            path
        )
        assert 'href="#main"' in html, path
        assert "Not affiliated with the publisher" in html, path


def test_members_pages_ask_strangers_to_log_in_and_bring_them_back(site: Site, client: Client) -> None:
    response = client.get("/account/")
    assert response.status_code == 302
    assert response.headers["Location"] == "/accounts/login/?next=/account/"


def test_head_is_answered_like_get(site: Site, client: Client) -> None:
    for path in PUBLIC:
        response = client.head(path.format(match=site.match.pk, game=site.games[0].pk, trial=site.trial.pk))
        assert response.status_code == 200, path
        assert response.content == b"", path


@pytest.mark.parametrize(
    "path", ["/", "/ladders/", "/bots/", "/matches/", "/trials/", "/status/", "/submit/", "/rules/"]
)
def test_an_empty_arena_says_how_to_fill_it(path: str, db: None, client: Client) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert problems(response) == []
