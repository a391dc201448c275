"""Query parameters: those of the OpenAPI document and no others."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from arena.api.parameters import HANDLERS, known_parameters
from tests.arena.pages.markup import Markup
from tests.arena.pages.staging import stage

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_what_is_known_is_what_the_document_has_of_every_operation() -> None:
    document = SchemaGenerator().get_schema(request=None, public=True)
    values = {"slug": "duel", "name": "mine", "id": "1", "entry": "1"}
    n = 0
    for path, operations in document["paths"].items():
        view = resolve(re.sub(r"{(\w+)}", lambda found: values[found[1]], path)).func
        for method, operation in operations.items():
            written = {each["name"] for each in operation.get("parameters", []) if each["in"] == "query"}
            assert known_parameters(view.cls, HANDLERS[method.upper()]) == written, (method, path)
            n += 1
    assert n > 50


def test_the_manual_names_parameters_that_its_addresses_have() -> None:
    examples = {"slug": "duel", "name": "mine", "id": "1", "entry": "1"}
    rows = re.findall(r"^\| (`.+?) \| (.*)", (settings.BASE_DIR / "docs" / "api.md").read_text(), flags=re.M)
    n = 0
    for addresses, told in rows:
        if not (names := set(re.findall(r"[?&](\w+)=", told))):
            continue
        known = set()
        for address in re.findall(r"`(?:/api/v1/)?([a-z<].*?/)`", addresses):
            path = re.sub(r"<(\w+)>", lambda found: examples[found[1]], address)
            known |= known_parameters(resolve(f"/api/v1/{path}").func.cls, "get") or set()
        assert names <= known, addresses
        n += len(names)
    assert n > 25


def test_a_misspelt_filter_is_refused_with_those_that_there_are(api: APIClient) -> None:
    answer = api.get("/api/v1/games/?bott=greedy&match=1&maches=2")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "unknown_parameter"
    assert error["message"] == "This address has no parameter “bott”. It has: bot, cursor, match, page_size."
    assert list(error["fields"]) == ["bott", "maches"]


def test_an_address_without_parameters_says_so(api: APIClient) -> None:
    error = api.get("/api/v1/presets/?format=json").json()["error"]
    assert error["fields"] == {"format": ["This address has no parameter “format”. It has none."]}


def test_a_parameter_without_a_value_or_a_name_is_one_too(api: APIClient) -> None:
    for query in ("bott", "bott=", "=greedy", "%00=1", "Bot=greedy"):
        assert api.generic("GET", "/api/v1/matches/", QUERY_STRING=query).status_code == 400, query
    assert api.generic("GET", "/api/v1/matches/", QUERY_STRING="&").status_code == 200


def test_a_parameter_that_is_given_twice_is_refused(api: APIClient) -> None:
    answer = api.get("/api/v1/matches/?status=queued&page_size=5&status=running")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], list(error["fields"])) == (
        400,
        "repeated_parameter",
        ["status"],
    )
    assert error["message"] == "Give the parameter “status” once: only one value can be asked for."


def test_what_changes_something_is_refused_before_it_does(api: APIClient, owner: User) -> None:
    api.force_authenticate(owner)
    answer = api.post("/api/v1/bots/?runtime=node", {"name": "mine", "source": "…"}, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_parameter")
    assert not owner.bots.exists()


def test_headers_alone_are_answered_as_with_the_body_and_the_methods_always(api: APIClient) -> None:
    assert api.head("/api/v1/matches/?bott=greedy").status_code == 400
    assert api.head("/api/v1/matches/?page_size=5").status_code == 200
    assert api.options("/api/v1/matches/?bott=greedy").status_code == 200
    assert api.delete("/api/v1/matches/?bott=greedy").status_code == 405


def test_the_document_itself_takes_what_its_viewers_add(api: APIClient) -> None:
    for address in ("/api/v1/schema/?lang=en", "/api/v1/docs/?script="):
        assert api.get(address).status_code == 200


def test_pages_lead_to_lists_of_the_api_with_filters_that_it_has(client: Client, owner: User) -> None:
    stage(owner)
    pages = [
        "/ladders/duel/?versions=all&author=ada&q=m&provisional=yes&house=none&games=1&sort=-bot",
        "/matches/?bot=mine&against=greedy&ladder=duel&status=finished&outcome=clean&seats=2&rated=yes&before=9",
        "/bots/?q=m&author=ada",
        "/bots/mine/statistics/?ladder=duel&version=1",
        "/bots/mine/faults/?since=1&kind=timeout",
        "/bots/mine/faults/?version=1",
        "/ladders/duel/compare/?bot=mine&against=greedy",
    ]
    for address in pages:
        links = Markup(client.get(address).content.decode()).links
        twins = [link for link in links if link.startswith("/api/v1/") and "?" in link]
        assert twins, address
        for twin in twins:
            assert client.get(twin).status_code == 200, (address, twin)
