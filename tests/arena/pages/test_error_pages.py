from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import SuspiciousOperation
from django.http import Http404
from django.test import Client, RequestFactory

from arena.pages import errors
from tests.arena.pages.markup import Markup, words

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_an_unknown_address_gets_our_page_in_the_full_middleware(client: Client) -> None:
    response = client.get("/nowhere/at/all/")
    assert response.status_code == 404
    assert "There is nothing at this address" in words(response.content.decode())
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert Markup(response.content.decode()).problems == []


def test_djangos_own_not_found_texts_stay_inside(rf: RequestFactory) -> None:
    request = rf.get("/x/")
    request.user = AnonymousUser()
    html = errors.not_found(request, Http404("No Secret matches the given query.")).content.decode()
    assert "Secret" not in html


def test_a_suspicious_request_is_told_nothing_it_could_use(rf: RequestFactory) -> None:
    request = rf.get("/x/")
    request.user = AnonymousUser()
    response = errors.bad_request(request, SuspiciousOperation("attempt to read /etc/passwd"))
    assert response.status_code == 400
    assert "passwd" not in response.content.decode()


def test_an_error_of_ours_has_a_page_that_needs_neither_user_nor_database(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: object
) -> None:
    def broken(**kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("arena.pages.matches.selectors.match_page", broken)
    client.raise_request_exception = False
    response = client.get("/matches/")
    html = response.content.decode()
    assert response.status_code == 500
    assert "Something broke on our side" in words(html)
    assert "secret detail" not in html
    assert Markup(html).problems == []
    with django_assert_num_queries(0):  # type: ignore[operator]
        errors.server_error(RequestFactory().get("/"))


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_a_page_for_reading_takes_no_other_method(method: str, client: Client) -> None:
    response = getattr(client, method)("/matches/")
    assert response.status_code == 405
    assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "path",
    [
        "/ladders/none/",
        "/bots/nobody/",
        "/bots/nobody/versions/1/",
        "/bots/x/versions/99999999999999999999/",
        "/bots/nobody/versions/1/source/",
        "/bots/nobody/versions/1/download/",
        "/bots/nobody/versions/1/stages/",
    ],
)
def test_what_does_not_exist_is_named(path: str, client: Client) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "There is no" in words(response.content.decode())


@pytest.mark.parametrize(
    "path",
    ["/ladders/%00/", "/bots/%00/", "/bots/a%20b/", "/bots/mine/versions/x/", "/bots/mine/versions/-1/"],
)
def test_an_address_that_cannot_be_is_not_found(path: str, client: Client) -> None:
    assert client.get(path).status_code == 404
