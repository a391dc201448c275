"""What every answer carries against those who would frame, sniff, cache or redirect it."""

from __future__ import annotations

import re

import pytest
from django.http import HttpResponse

from tests.arena.access.scene import ANYBODY, OWNER, Scene
from tests.arena.access.table import READING, lines
from tests.arena.access.visiting import Visit, body_of

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]

# What a browser shows instead of saving; all else is a download.
SHOWN = ("text/html", "application/json", "text/javascript", "application/vnd.oai.openapi", "text/plain")
SAVED = re.compile(r'attachment; filename="[A-Za-z0-9][A-Za-z0-9._-]*"\Z')
# These alone may stand in a frame, on any site.
FOR_FRAMES = re.compile(r"/games/\d+/embed/")
# The kit is the same for everybody, so it may be kept, and asked for anew by its ETag.
FOR_EVERYBODY = "/skyjo.pyz"
# Sooner or later a browser takes any of these for another site.
ELSEWHERE = [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "https:evil.example",
    "javascript:alert(1)",
]


def faults(response: HttpResponse, *, is_personal: bool | None, is_for_frames: bool) -> list[str]:
    """What is wrong with the headers of an answer. `is_personal`: None for what is the same for everybody."""
    headers = response.headers
    found = []
    policy = headers.get("Content-Security-Policy", "")
    if is_for_frames:
        if "frame-ancestors *" not in policy or "X-Frame-Options" in headers or response.cookies:
            found.append("cannot be framed everywhere, or sets a cookie there")
        policy = policy.replace("frame-ancestors *", "frame-ancestors 'none'")
        headers = {**headers, "X-Frame-Options": "DENY"}
    if "default-src 'none'" not in policy or re.search(r"unsafe|http|\*", policy):
        found.append(f"policy {policy}")
    if "frame-ancestors 'none'" not in policy or headers.get("X-Frame-Options") != "DENY":
        found.append("can be framed")
    if headers.get("X-Content-Type-Options") != "nosniff":
        found.append("can be sniffed")
    if headers.get("Referrer-Policy") != "same-origin":
        found.append("tells other sites where people come from")
    if is_personal is not None and ("ETag" in headers or "Last-Modified" in headers):
        found.append("can be compared without being read")
    varies = headers.get("Vary", "")
    if not ("Cookie" in varies and "Authorization" in varies):
        found.append(f"varies by {varies}")
    kept = headers.get("Cache-Control", "")
    if is_personal and not ("no-store" in kept or {"private", "no-cache"} <= set(kept.split(", "))):
        found.append(f"may be kept: {kept}")
    type, saved = headers.get("Content-Type", ""), headers.get("Content-Disposition", "")
    if body_of(response) and not (type.startswith(SHOWN) or saved):
        found.append(f"{type} is shown")
    if saved and not (SAVED.match(saved) or (saved.startswith("inline") and type.startswith(SHOWN))):
        found.append(saved)
    return found


@pytest.mark.parametrize("who", [ANYBODY, OWNER])
def test_no_answer_can_be_framed_sniffed_kept_compared_or_led_elsewhere(scene: Scene, who: str) -> None:
    visit = Visit(scene)
    problems = []
    asked = {"if-none-match": "*", "if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT"}
    elsewhere = "&".join(f"{name}=//evil.example/" for name in ("next", "url", "redirect_to", "return"))
    for line in lines(READING):
        address = line.at(scene.places)
        joint = "&" if "?" in address else "?"
        response, _ = visit.send(who, "get", address + joint + elsewhere, headers=asked)
        if response.status_code in {304, 412} and address != FOR_EVERYBODY:
            problems.append(f"{address}: {response.status_code}")
        # It may be handed on within the site, to the page that asks to log in.
        if re.match(r"\w*:|//|/\\", response.headers.get("Location", "/")):
            problems.append(f"{address}: {response.headers['Location']}")
        problems += [
            f"{address}: {fault}"
            for fault in faults(
                response,
                is_personal=None if address == FOR_EVERYBODY else who == OWNER,
                is_for_frames=bool(FOR_FRAMES.match(address)),
            )
        ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_no_form_leads_to_another_site(scene: Scene, elsewhere: str) -> None:
    visit = Visit(scene)
    known = {"password": scene.secrets["password of owner"]}
    new = {"username": "newcomer", "password1": "another horse battery", "password2": "another horse battery"}
    for who, address, sent in (
        (ANYBODY, "/accounts/login/", {"login": "olivia", **known}),
        (ANYBODY, "/admin/login/", {"login": "olivia", **known}),
        (ANYBODY, "/accounts/signup/", new),
        (OWNER, "/accounts/login/", {"login": "olivia", **known}),
        (OWNER, "/accounts/logout/", {}),
        (OWNER, "/accounts/reauthenticate/", known),
    ):
        response, _ = visit.post(who, address, {**sent, "next": elsewhere})
        assert response.status_code in {200, 302, 403}, address
        assert "evil" not in response.headers.get("Location", "").partition("?")[0], address
        assert not response.headers.get("Location", "").startswith("javascript"), address


def test_a_name_that_is_not_the_sites_is_refused_and_not_repeated(scene: Scene) -> None:
    visit = Visit(scene)
    for address in ("/", "/accounts/password/reset/", "/api/v1/bots/", "/healthz"):
        response, _ = visit.send(ANYBODY, "get", address, headers={"host": "evil.example"})
        assert response.status_code == 400
        assert b"evil" not in response.content


def test_a_name_that_a_stranger_says_was_forwarded_is_not_believed(scene: Scene, mailoutbox: list) -> None:
    visit = Visit(scene)
    forged = {"x-forwarded-host": "evil.example", "forwarded": "host=evil.example", "x-host": "evil.example"}
    response, _ = visit.send(ANYBODY, "get", "/api/v1/bots/", headers=forged)
    assert b"http://testserver/" in response.content
    assert b"evil" not in response.content
    sent = {"email": scene.users[OWNER].email}
    visit.send(ANYBODY, "post", "/accounts/password/reset/", data=sent, headers=forged)
    (mail,) = mailoutbox
    assert "http://testserver/accounts/password/reset/key/" in mail.body
    assert "evil" not in mail.body + str(mail.extra_headers)
    refused, _ = visit.send(
        ANYBODY, "post", "/accounts/password/reset/", data=sent, headers={"host": "evil.example"}
    )
    assert refused.status_code == 400
    assert len(mailoutbox) == 1


@pytest.mark.parametrize("address", ["/matches/", "/api/v1/matches/"])
def test_an_error_of_ours_says_nothing_of_what_it_was(
    scene: Scene, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("; ".join(scene.secrets.values()))

    monkeypatch.setattr("arena.selectors.match_lists.match_page", broken)
    monkeypatch.setattr("arena.api.matches.MatchList.get_queryset", broken)
    visit = Visit(scene)
    for who in (ANYBODY, OWNER):
        response, _ = visit.get(who, address)
        assert response.status_code == 500
        text = str(response.headers) + response.content.decode()
        assert [name for name, secret in scene.secrets.items() if secret in text] == []
