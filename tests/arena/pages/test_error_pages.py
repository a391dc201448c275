from __future__ import annotations

import errno
import sqlite3
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import SuspiciousOperation
from django.db import (
    DatabaseError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
)
from django.http import Http404
from django.test import Client, RequestFactory

from arena.outages import outage
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

    monkeypatch.setattr("arena.pages.matches.match_lists.match_page", broken)
    client.raise_request_exception = False
    response = client.get("/matches/")
    html = response.content.decode()
    assert response.status_code == 500
    assert "Something broke on our side" in words(html)
    assert "secret detail" not in html
    assert Markup(html).problems == []
    with django_assert_num_queries(0):  # type: ignore[operator]
        errors.server_error(RequestFactory().get("/"))


def sqlite_error(name: str) -> OperationalError:
    driver = sqlite3.OperationalError("what only operators may read")
    driver.sqlite_errorname = name
    return raised_from(OperationalError("what only operators may read"), driver)


def postgres_error(kind: type[DatabaseError], state: str) -> DatabaseError:
    driver = psycopg.errors.lookup(state)("what only operators may read")
    return raised_from(kind("what only operators may read"), driver)


def raised_from(error: Any, cause: Exception) -> Any:
    error.__cause__ = cause
    return error


OUTAGES = [
    (OperationalError("connection refused"), "does not answer"),
    (InterfaceError("the connection is closed"), "does not answer"),
    (postgres_error(OperationalError, "57P01"), "does not answer"),
    (postgres_error(OperationalError, "53100"), "disk is full"),
    (postgres_error(InternalError, "25006"), "can only be read"),
    (sqlite_error("SQLITE_BUSY"), "does not answer"),
    (sqlite_error("SQLITE_IOERR_WRITE"), "does not answer"),
    (sqlite_error("SQLITE_FULL"), "disk is full"),
    (sqlite_error("SQLITE_READONLY_DBMOVED"), "can only be read"),
    (OSError(errno.ENOSPC, "No space left on device"), "disk is full"),
    (OSError(errno.EROFS, "Read-only file system"), "can only be read"),
]


@pytest.mark.parametrize(("error", "said"), OUTAGES)
@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/matches/", "arena.pages.matches.match_lists.match_page"),
        ("/api/v1/matches/", "arena.api.matches.keys.matches.filtered"),
    ],
)
def test_an_outage_is_called_so_and_says_when_to_come_back(
    error: Exception, said: str, path: str, place: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(place, out)
    client.raise_request_exception = False
    response = client.get(path)
    text = response.content.decode()
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) >= 10
    assert said in words(text)
    assert "operators may read" not in text
    assert "Traceback" not in text
    if path == "/matches/":
        assert Markup(text).problems == []


@pytest.mark.parametrize(
    "error",
    [
        sqlite_error("SQLITE_ERROR"),
        postgres_error(ProgrammingError, "42P01"),
        IntegrityError("a constraint"),
        OSError(errno.ENOENT, "No such file"),
    ],
)
def test_an_error_of_ours_in_the_database_is_no_outage(error: Exception) -> None:
    assert outage(error) is None


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
