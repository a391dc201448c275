"""Every address of the site, read and written to by everybody: they get what the table says, and no secret."""

from __future__ import annotations

import re

import pytest

from tests.arena.access.addresses import missing, route_of
from tests.arena.access.scene import ANYBODY, MARKUP, OPERATOR, OWNER, PEOPLE, Scene
from tests.arena.access.table import CHANGING, READING, Line, lines
from tests.arena.access.visiting import Visit, body_of, text_of

# On PostgreSQL alone: who may see what does not hang on the database, and these are thousands of requests.
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]

# An account tells when its tokens were used last.
USED = re.compile(r'"last_used_at":[^,}]+')


def test_every_address_is_in_the_table() -> None:
    assert missing() == set()


def test_everybody_reads_what_is_theirs_and_no_secret(scene: Scene) -> None:
    visit = Visit(scene)
    problems, seen = [], set()
    for line in lines(READING):
        address = line.at(scene.places)
        for who, expected in zip(PEOPLE, line.answers, strict=True):
            response, written = visit.get(who, address)
            if str(response.status_code) != expected:
                problems.append(f"{address}: {response.status_code} for {who} instead of {expected}")
            if written:
                problems.append(f"{address}: reading it changes {written}")
            text = text_of(response)
            # An error may repeat what was asked for.
            leaked = [name for name in scene.leaked(who, text) if scene.secrets[name] not in address]
            if leaked:
                problems.append(f"{address}: {who} is told {leaked}")
            if MARKUP in text and response.headers["Content-Type"].startswith("text/html"):
                problems.append(f"{address}: markup of a stranger's, for {who}")
            seen |= {(name, who) for name, secret in scene.secrets.items() if secret in text}
    assert not problems, "\n".join(problems)
    shown = {name for name, who in seen if who in scene.may_see[name]}
    hidden = {name for name, who in scene.may_see.items() if who} - shown
    assert not hidden, "planted where nobody looks, or kept from those whose it is"


def test_everybody_changes_what_is_theirs_and_nothing_else(scene: Scene) -> None:
    visit = Visit(scene)
    problems = []
    for line in lines(CHANGING):
        address, sent = line.at(scene.places), line.body(scene.places)
        for who, expected in zip(PEOPLE, line.answers, strict=True):
            response, written = visit.post(who, address, sent)
            answer = f"{response.status_code}{'+' if written else ''}"
            if answer != expected:
                problems.append(f"{address} {line.sent}: {answer} for {who} instead of {expected}: {written}")
            told = {
                name for name in scene.leaked(who, text_of(response)) if scene.secrets[name] not in address
            }
            # A draw publishes the lots.
            if told - ({"lots to come"} if written else set()):
                problems.append(f"{address}: {who} is told {told}")
    assert not problems, "\n".join(problems)


def test_nothing_else_can_be_changed(scene: Scene) -> None:
    visit = Visit(scene)
    doors = {route_of(line) for line in lines(CHANGING)}
    problems = []
    for line in by_route().values():
        address = line.at(scene.places)
        if route_of(line) not in doors:
            response, written = visit.post(OPERATOR, address, {})
            # Django's admin answers as if it had been read.
            is_refused = response.status_code in {403, 404, 405} or address.startswith("/admin/")
            if written or not is_refused:
                problems.append(f"{address}: {response.status_code} {written}")
    assert not problems, "\n".join(
        ["These need a line in CHANGING, in tests/arena/access/table.py:", *problems]
    )


def by_route() -> dict[str, Line]:
    """A line for each route."""
    return {route_of(line): line for line in lines(READING)}


def test_no_other_site_can_change_anything_in_the_name_of_who_is_logged_in(scene: Scene) -> None:
    visit = Visit(scene, enforce_csrf_checks=True)
    doors = {route_of(line): line for line in lines(CHANGING)}
    problems = []
    for line in (by_route() | doors).values():
        address, sent = line.at(scene.places), line.body(scene.places)
        for method in ("post", "put", "patch", "delete"):
            is_form = method == "post" and not address.startswith("/api/")
            type = {} if is_form else {"content_type": "application/json"}
            response, written = visit.send(OPERATOR, method, address, data=sent, **type)
            if written or response.status_code not in {403, 404, 405}:
                problems.append(f"{method} {address}: {response.status_code} {written}")
    assert not problems, "\n".join(problems)


def test_whoever_reads_the_metrics_reads_figures_alone(scene: Scene) -> None:
    header = {"authorization": f"Bearer {scene.secrets['token of the metrics']}"}
    response, _ = Visit(scene).send(ANYBODY, "get", "/metrics", headers=header)
    assert response.status_code == 200
    assert scene.leaked(ANYBODY, text_of(response)) == []


def test_a_token_opens_what_its_owners_session_opens_and_no_more(scene: Scene) -> None:
    visit = Visit(scene)
    header = {"authorization": f"Token {scene.secrets['token of owner']}"}
    problems = []
    for line in lines(READING):
        address = line.at(scene.places)
        by_token, _ = visit.send(ANYBODY, "get", address, headers=header)
        if address.startswith("/api/"):
            by_session, _ = visit.get(OWNER, address)
            answers = [
                (each.status_code, USED.sub("", body_of(each).decode())) for each in (by_token, by_session)
            ]
            same = answers[0] == answers[1]
        else:
            # It is for the API alone.
            same = str(by_token.status_code) == line.answers[PEOPLE.index(ANYBODY)]
        if not same:
            problems.append(address)
    assert not problems, "\n".join(problems)
