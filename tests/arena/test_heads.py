"""Answers to HEAD, as the web server gets them; Django's own client for tests takes their bodies away by itself."""

from __future__ import annotations

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponseBase
from django.test import RequestFactory

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/skyjo.pyz", "/no-such-page/", "/api/v1/bots/", "/api/v1/matches/bulk/"]
)
def test_who_asks_for_headers_alone_gets_those_and_no_body(path: str) -> None:
    handler = WSGIHandler()

    def answer(method: str) -> tuple[HttpResponseBase, bytes]:
        response = handler.get_response(RequestFactory().generic(method, path))
        return response, b"".join(response)

    (whole, body), (heads, nothing) = answer("GET"), answer("HEAD")
    assert nothing == b""
    assert heads.status_code == whole.status_code
    assert heads.headers.get("Content-Length") == whole.headers.get("Content-Length")
    assert body or whole.streaming
