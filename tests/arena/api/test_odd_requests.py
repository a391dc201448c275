"""Requests that no client should make, at every address of the API: each answer is one of the document's."""

from __future__ import annotations

import base64
import functools
import json
import random
import re
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, unquote_to_bytes

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from pytest_django import Settings
from rest_framework.test import APIClient

from arena.services import create_api_token
from tests.arena.pages.staging import Site, stage
from tests.arena.tournaments.events import make_event, play_out

# On PostgreSQL alone, to which odd text is more of an error.
pytestmark = [pytest.mark.django_db]

ODD_TEXTS = (
    "%00", "a%00b", "%FF", "%ED%A0%80", "%0A", "'", "%2e%2e%2f", "%25s", "-1", "1.5", "%EF%BC%91", str(2**63),
    "9" * 5000, ";x", "%3F",
)  # fmt: skip


@pytest.fixture
def site(owner: User, settings: Settings) -> Site:
    settings.ACCOUNT_RATE_LIMITS = False
    play_out(make_event(organiser=owner))
    return stage(owner)


class Operation(NamedTuple):
    """One of the document's; `address` is of what is there, `fields` are those of its JSON body."""

    method: str
    template: str
    address: str
    responses: dict[str, Any]
    queries: list[str]
    fields: list[str]


@pytest.fixture
def operations(site: Site) -> list[Operation]:
    return all_operations()


@functools.cache
def all_operations() -> list[Operation]:
    document = SchemaGenerator().get_schema(request=None, public=True)
    values = {"slug": "duel", "name": "mine", "id": "1", "entry": "1"}

    def fields(operation: dict[str, Any]) -> list[str]:
        schema = (
            operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        )
        name = schema.get("$ref", "").rpartition("/")[2]
        return list(document["components"]["schemas"][name]["properties"]) if name else []

    return [
        Operation(
            method,
            path,
            re.sub(r"{(\w+)}", lambda found: values[found[1]], path),
            operation["responses"],
            [each["name"] for each in operation.get("parameters", []) if each["in"] == "query"],
            fields(operation),
        )
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]


@pytest.fixture
def client(owner: User) -> APIClient:
    found = APIClient(raise_request_exception=False)
    found.credentials(HTTP_AUTHORIZATION=f"Token {create_api_token(user=owner, name='laptop')[1]}")
    return found


def check(answer: HttpResponse, one: Operation, sent: object) -> None:
    """The answer is one of the operation's."""
    what = f"{one.method} {one.address}, {sent!r}: {answer.status_code}"
    assert str(answer.status_code) in one.responses, what
    if answer.status_code >= 400:
        assert answer.headers["Content-Type"] == "application/json", what
        assert set(answer.json()["error"]) >= {"code", "message"}, what


def test_any_accept_header_is_answered_with_json(operations: list[Operation], client: APIClient) -> None:
    for accept in ("text/html", "image/png, */*;q=0", "nonsense", "application/json;q=x", "*", "\xff", ""):
        for one in operations:
            if one.method == "get" and not one.template.endswith(("/schema/", "/docs/", "/bulk/")):
                answer = client.get(one.address, HTTP_ACCEPT=accept)
                check(answer, one, accept)
                assert answer.headers["Content-Type"] == "application/json"


def test_a_method_that_an_address_has_not_is_refused_and_the_others_are_named(
    operations: list[Operation], client: APIClient
) -> None:
    for method in ("put", "patch", "delete", "trace", "options", "head"):
        for one in operations:
            methods = {other.method for other in operations if other.address == one.address}
            answer = getattr(client, method)(one.address)
            if method == "options":
                assert {each.lower() for each in answer.json()["methods"]} >= methods
            elif method == "head" and "get" in methods:
                assert str(answer.status_code) in one.responses or answer.status_code == 200
            else:
                assert answer.status_code == 405
                assert {each.lower() for each in answer.headers["Allow"].split(", ")} - {
                    "head",
                    "options",
                } == methods


def test_any_text_in_an_address_is_answered(operations: list[Operation], client: APIClient) -> None:
    for text in ODD_TEXTS:
        for template in {one.template for one in operations if "{" in one.template}:
            for method in ("get", "post"):
                # The whole path as it came over the wire: Django's own client would write it anew.
                path = unquote_to_bytes(re.sub(r"{\w+}", text, template)).decode("latin-1")
                answer = client.generic(method.upper(), "/", PATH_INFO=path, content_type="application/json")
                assert answer.status_code in {404, 405, 400}, path
                assert set(answer.json()["error"]) >= {"code", "message"}, path


def test_any_text_in_a_query_is_answered(operations: list[Operation], client: APIClient) -> None:
    for text in ODD_TEXTS:
        for one in operations:
            for name in [*one.queries, f"bot={text}&{text}"]:
                if one.method == "get":
                    answer = client.generic("GET", one.address, QUERY_STRING=f"{name}={text}")
                    check(answer, one, f"{name}={text}")


def test_no_altered_cursor_is_more_than_refused(operations: list[Operation], client: APIClient) -> None:
    luck = random.Random(11)
    for one in operations:
        # Matches in bulk have cursors of their own (test_bulk).
        if one.method == "get" and {"cursor", "page_size"} <= set(one.queries):
            following = client.get(one.address, {"page_size": 1}).json()["next"]
            query = following.partition("cursor=")[2].partition("&")[0] if following else "cD0x"
            for _ in range(12):
                changed = bytearray(base64.b64decode(unquote(query) + "=="))
                changed[luck.randrange(len(changed))] = luck.randrange(256)
                text = quote(
                    base64.b64encode(bytes(changed) + luck.choice((b"", b"9" * 30, b"&r=1", b"&o=9" * 9)))
                )
                check(client.get(f"{one.address}?cursor={text}"), one, text)


CONTENT_TYPES = (
    "", "nonsense", "text/xml", "application/json; charset=nonsense", "application/json; charset=utf-16", "a" * 3000,
    "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\xff", "application/json\0",
)  # fmt: skip


def test_any_content_type_is_answered(operations: list[Operation], client: APIClient) -> None:
    for content_type in CONTENT_TYPES:
        for one in operations:
            if one.method == "post":
                answer = client.generic("POST", one.address, b'{"name": "x"}', content_type=content_type)
                check(answer, one, content_type)


BODIES = (
    b"", b"null", b"[]", b"1", b'"x"', b"{", b"\xff", b"\xef\xbb\xbf{}", "{}".encode("utf-16"), b"[" * 100_000,
    b'{"a":' * 100_000, b"9" * 10_000, b'{"name": NaN}', b'{"name": 1e999}', b'{"\\u0000": 1}', b'{"\\ud800": 1}',
)  # fmt: skip


def test_any_body_is_answered(operations: list[Operation], client: APIClient) -> None:
    for body in BODIES:
        for one in operations:
            if one.method == "post":
                check(
                    client.generic("POST", one.address, body, content_type="application/json"), one, body[:50]
                )


VALUES: tuple[Any, ...] = (
    None, True, 1.5, -1, 0, 2**31, 2**63, 10**30, 1e300, "", " ", "\0", "a\0b", "\ud800", "x" * 5000, [], {}, [None],
    [10**30], ["\0"], {"deals": 10**30}, {"deals": "\0"}, {"\0": 1}, {"deals": [{}]}, "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00", "2030-02-30T00:00:00Z", "2030-01-01T23:59:60Z",
)  # fmt: skip
VALID = {
    "name": "cup", "format": "swiss", "bot": "mine", "n_entries": 4, "match": 1, "key": "1", "forfeits": [],
    "order": [1], "round": "1", "until": None, "source": "x = 1",
}  # fmt: skip


def test_any_value_of_any_field_is_answered(operations: list[Operation], client: APIClient) -> None:
    for value in VALUES:
        for one in operations:
            for name in one.fields:
                sent = {field: VALID[field] for field in one.fields if field in VALID} | {name: value}
                answer = client.post(one.address, json.dumps(sent), content_type="application/json")
                check(answer, one, sent)
