from __future__ import annotations

import io
import zipfile
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.db import OperationalError
from django.db.models import QuerySet
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from arena.models import ApiToken, RequestedMatch
from arena.services import create_api_token
from bots.models import Bot
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site, make_match
from tests.people import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_the_account_shows_bots_quotas_and_tokens(site: Site, as_owner: Client) -> None:
    create_api_token(user=site.owner, name="laptop")
    text = words(as_owner.get("/account/").content.decode())
    assert "mine v1 private" in text
    assert "Bots 9 left 1 of 10 used" in text
    assert "Versions within 24 hours 18 left 2 of 20 used" in text
    assert "Bots on the ladder Duel 2 left 1 of 3 used" in text
    assert "Trials running 1 left 1 of 2 used" in text
    assert "Matches on request within 24 hours 50 left" in text
    assert "everything that you may do by the API never" in text
    assert "Revoke laptop" in text


def test_my_trials_and_the_matches_that_i_asked_for_are_mine_alone(
    site: Site, as_owner: Client, as_rival: Client
) -> None:
    asked = make_match(site.duel, [site.version, site.house[0]])
    RequestedMatch.objects.create(match=asked, by=site.owner)
    html = as_owner.get("/account/").content.decode()
    assert f'href="/trials/{site.trial.pk}/"' in html
    assert f'href="/matches/{asked.pk}/"' in html
    found = as_owner.get("/api/v1/account/").json()
    assert (found["trials"], found["requested_matches"]) == ([site.trial.pk], [asked.pk])
    assert [bot["name"] for bot in found["bots"]] == ["mine"]
    left = {quota["name"]: quota["left"] for quota in found["quotas"]}
    assert (left["bots"], left["requests"], left["requests_a_day"]) == (9, 2, 49)
    text = words(as_rival.get("/account/").content.decode())
    assert "You have started no trial." in text
    assert "You have asked for no match." in text
    found = as_rival.get("/api/v1/account/").json()
    assert (found["trials"], found["requested_matches"], found["bots"]) == ([], [], [])


@pytest.mark.parametrize(
    ("scope", "answers"), [("read", (200, 403, 403)), ("submit", (200, 201, 403)), ("all", (200, 201, 201))]
)
def test_a_token_is_good_for_its_scope_and_no_more(
    scope: str, answers: tuple[int, int, int], site: Site, client: Client
) -> None:
    _, secret = create_api_token(user=site.owner, name="laptop", scope=scope)
    header = {"authorization": f"Token {secret}"}

    def post(path: str, sent: dict[str, object]) -> HttpResponse:
        return client.post(path, sent, content_type="application/json", headers=header)

    read = client.get("/api/v1/account/", headers=header)
    sent = post("/api/v1/bots/", {"name": "by-token", "source": "x = 1\n"})
    played = post("/api/v1/matches/", {"bot": "mine", "against": "greedy"})
    assert (read.status_code, sent.status_code, played.status_code) == answers
    # What needs no account needs no scope.
    assert post(f"/api/v1/games/{site.games[0].pk}/verify/", {}).status_code == 200
    for response in (sent, played):
        if response.status_code == 403:
            assert response.json()["error"]["code"] == "token_scope"
    assert secret not in read.content.decode()


def test_the_last_use_of_a_token_is_known_to_within_a_minute(
    site: Site, client: Client, as_owner: Client
) -> None:
    token, secret = create_api_token(user=site.owner, name="laptop")

    def used(ago: timedelta) -> datetime | None:
        if ago:
            ApiToken.objects.update(last_used_at=timezone.now() - ago)
        client.get("/api/v1/ladders/", headers={"authorization": f"Token {secret}"})
        return ApiToken.objects.get(pk=token.pk).last_used_at

    now = timezone.now()
    first = used(timedelta())
    assert first is not None
    assert first >= now
    recent = used(timedelta(seconds=20))
    assert recent is not None
    assert recent < now
    later = used(timedelta(minutes=2))
    assert later is not None
    assert later >= now
    assert "laptop" in words(as_owner.get("/account/").content.decode())


def test_a_token_opens_what_is_to_be_read_while_nothing_can_be_written(
    site: Site, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, secret = create_api_token(user=site.owner, name="laptop")

    def full(*_args: object, **_fields: object) -> int:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(QuerySet, "update", full)
    response = client.get("/api/v1/account/", headers={"authorization": f"Token {secret}"})
    assert response.status_code == 200


def test_an_account_without_bots_is_shown_the_way(site: Site, as_rival: Client) -> None:
    text = words(as_rival.get("/account/").content.decode())
    assert "You have no bots yet." in text
    assert "You have no tokens." in text


def test_a_token_is_shown_once_and_works(site: Site, as_owner: Client, client: Client) -> None:
    response = as_owner.post("/account/tokens/", {"name": "laptop", "scope": "submit", "days": "30"})
    assert response.status_code == 201
    assert "no-store" in response.headers["Cache-Control"]
    token = ApiToken.objects.get(user=site.owner)
    html = response.content.decode()
    secret = html.partition('id="secret">')[2].partition("<")[0]
    assert secret.startswith(token.token_key)
    assert secret not in as_owner.get("/account/").content.decode()
    assert (token.name, token.scope) == ("laptop", "submit")
    days = (token.expiry - token.created).days
    assert days in {29, 30}
    sent = client.post(
        "/api/v1/bots/",
        {"name": "by-token", "source": "x = 1\n"},
        content_type="application/json",
        headers={"authorization": f"Token {secret}"},
    )
    assert sent.status_code == 201


def test_the_form_sent_again_makes_no_second_token(site: Site, as_owner: Client) -> None:
    form = {"name": "laptop", "scope": "submit", "days": "30"}
    assert as_owner.post("/account/tokens/", form).status_code == 201
    again = as_owner.post("/account/tokens/", form)
    assert again.status_code == 422
    assert "You have a token “laptop” already" in words(again.content.decode())
    assert ApiToken.objects.filter(user=site.owner).count() == 1


@pytest.mark.parametrize(("scope", "address"), [("read", "/api/v1/account/"), ("submit", "/api/v1/bots/")])
def test_a_new_token_is_shown_with_what_it_may_do(
    scope: str, address: str, site: Site, as_owner: Client
) -> None:
    html = as_owner.post("/account/tokens/", {"name": "x", "scope": scope, "days": "30"}).content.decode()
    assert f"http://testserver{address}" in html
    assert ("skyjo.pyz submit" in html) == (scope == "submit")


@pytest.mark.parametrize(
    "data",
    [
        {"name": "", "scope": "all", "days": "30"},
        {"name": "x" * 65, "scope": "all", "days": "30"},
        {"name": "nul\0", "scope": "all", "days": "30"},
        {"name": "x", "scope": "all", "days": "0"},
        {"name": "x", "scope": "all", "days": "forever"},
        {"name": "x", "scope": "everything", "days": "30"},
    ],
)
def test_a_token_that_cannot_be_is_refused_beside_its_field(
    data: dict[str, str], site: Site, as_owner: Client
) -> None:
    response = as_owner.post("/account/tokens/", data)
    assert response.status_code == 422
    assert 'class="errorlist"' in response.content.decode()
    assert not ApiToken.objects.exists()


def test_a_token_is_revoked_by_its_owner_alone(site: Site, as_owner: Client, as_rival: Client) -> None:
    token, _ = create_api_token(user=site.owner, name="laptop")
    path = f"/account/tokens/{token.digest}/revoke/"
    assert as_owner.get(path).status_code == 405
    assert as_rival.post(path).status_code == 404
    assert ApiToken.objects.filter(pk=token.pk).exists()
    assert "“laptop” is revoked" in words(as_owner.post(path, follow=True).content.decode())
    assert not ApiToken.objects.filter(pk=token.pk).exists()


def test_the_export_is_a_zip_of_my_things_only(site: Site, as_owner: Client) -> None:
    assert as_owner.get("/account/export/").status_code == 405
    response = as_owner.post("/account/export/")
    assert response.headers["Content-Type"] == "application/zip"
    assert response.headers["Content-Disposition"] == 'attachment; filename="skyjo-arena-olivia.zip"'
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        text = "".join(archive.read(name).decode() for name in archive.namelist())
    assert "olivia@example.org" in text
    assert "class Mine" in text
    assert "stderr of mine" in text
    assert "stderr of greedy" not in text


@pytest.mark.parametrize("path", ["/account/tokens/", "/account/export/", "/account/delete/"])
def test_strangers_are_asked_to_log_in(path: str, site: Site, client: Client) -> None:
    response = client.post(path)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "This field is required"),
        ({"username": "rob", "password": PASSWORD}, "This is not your user name"),
        ({"username": "olivia", "password": "wrong"}, "This is not your password"),
    ],
)
def test_deleting_needs_name_and_password(
    data: dict[str, str], sentence: str, site: Site, as_owner: Client
) -> None:
    cache.clear()
    response = as_owner.post("/account/delete/", data)
    assert response.status_code == 422
    assert sentence in words(response.content.decode())
    assert User.objects.filter(username="olivia").exists()


def test_deleting_removes_the_name_and_logs_out(site: Site, as_owner: Client) -> None:
    cache.clear()
    response = as_owner.post("/account/delete/", {"username": "olivia", "password": PASSWORD}, follow=True)
    assert "Your account is deleted." in words(response.content.decode())
    assert not User.objects.filter(username="olivia").exists()
    assert not Bot.objects.filter(name="mine").exists()
    assert as_owner.get("/account/").status_code == 302
    assert as_owner.get(f"/matches/{site.match.pk}/").status_code == 200


def test_guesses_at_the_password_are_limited(site: Site, as_owner: Client) -> None:
    cache.clear()
    statuses = [
        as_owner.post("/account/delete/", {"username": "olivia", "password": "wrong"}).status_code
        for _ in range(30)
    ]
    assert 429 in statuses
    response = as_owner.post("/account/delete/", {"username": "olivia", "password": PASSWORD})
    assert response.status_code == 429
    assert "Too many tries" in words(response.content.decode())


def test_signing_up_makes_an_account_and_leads_to_it(db: None, client: Client) -> None:
    cache.clear()
    response = client.post(
        "/accounts/signup/",
        {"username": "newcomer", "password1": PASSWORD, "password2": PASSWORD},
        follow=True,
    )
    assert response.redirect_chain[-1][0] == "/account/"
    assert User.objects.filter(username="newcomer").exists()


def test_what_a_user_name_may_be_is_told_beside_its_field(db: None, client: Client) -> None:
    html = client.get("/accounts/signup/").content.decode()
    assert 'aria-describedby="id_username_helptext"' in html
    help_text = html.partition('id="id_username_helptext">')[2].partition("</div>")[0]
    assert help_text.startswith("It is shown beside your bots: 2 to 32 letters")


@pytest.mark.parametrize("name", ["a", "with space", "x" * 33, "über"])
def test_signing_up_under_a_bad_name_keeps_what_was_typed(name: str, db: None, client: Client) -> None:
    cache.clear()
    response = client.post(
        "/accounts/signup/", {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    )
    assert response.status_code == 200
    html = response.content.decode()
    assert f'value="{name}"' in html
    assert 'class="errorlist"' in html


def test_the_sixth_sign_up_in_an_hour_is_refused_with_a_page(db: None) -> None:
    cache.clear()
    for number in range(6):
        response = Client().post(
            "/accounts/signup/", {"username": f"user-{number}", "password1": PASSWORD, "password2": PASSWORD}
        )
    assert response.status_code == 429
    assert "Too many tries" in words(response.content.decode())


def test_logging_in_and_out(owner: User, client: Client) -> None:
    cache.clear()
    response = client.post("/accounts/login/", {"login": "olivia", "password": "wrong"})
    assert "correct" in words(response.content.decode())
    response = client.post(
        "/accounts/login/?next=/submit/", {"login": "olivia", "password": PASSWORD, "next": "/submit/"}
    )
    assert response.headers["Location"] == "/submit/"
    assert "olivia" in words(client.get("/").content.decode())
    assert client.post("/accounts/logout/").headers["Location"] == "/"
    assert "Log in" in words(client.get("/").content.decode())


def test_a_forgotten_password_is_chosen_anew_by_the_link_in_the_mail(
    site: Site, mailoutbox: list[EmailMessage]
) -> None:
    EmailAddress.objects.create(user=site.owner, email=site.owner.email, verified=True, primary=True)
    cache.clear()
    visitor = Client()
    asked = visitor.post("/accounts/password/reset/", {"email": site.owner.email}, follow=True)
    assert "a link to choose a new password is on its way" in words(asked.content.decode())
    (mail,) = mailoutbox
    link = next(word for word in mail.body.split() if "/password/reset/key/" in word)
    form = visitor.get(link, follow=True)
    address = form.redirect_chain[-1][0]
    assert "Choose a new password" in words(form.content.decode())
    weak = visitor.post(address, {"password1": "1234", "password2": "1234"})
    assert "This password is too short" in words(weak.content.decode())
    chosen = {"password1": "another long word", "password2": "another long word"}
    done = visitor.post(address, chosen, follow=True)
    assert "The password is changed" in words(done.content.decode())
    assert visitor.login(username=site.owner.username, password="another long word")
    again = Client().get(link, follow=True)
    assert "This link is no longer good It has been used already" in words(again.content.decode())


def test_an_address_is_added_used_shown_to_be_mine_and_removed(
    site: Site, mailoutbox: list[EmailMessage]
) -> None:
    cache.clear()
    client = Client()
    client.post("/accounts/login/", {"login": site.owner.username, "password": PASSWORD})
    EmailAddress.objects.create(user=site.owner, email="old@example.org", verified=True, primary=True)

    def send(action: str, email: str) -> str:
        answer = client.post("/accounts/email/", {"email": email, action: ""}, follow=True)
        assert answer.status_code == 200
        return words(client.get("/accounts/email/").content.decode())

    assert "new@example.org not confirmed" in send("action_add", "new@example.org")
    send("action_send", "new@example.org")
    link = next(word for word in mailoutbox[-1].body.split() if "/confirm-email/" in word)
    asked = words(client.get(link).content.decode())
    assert f"new@example.org shall belong to the account {site.owner.username}." in asked
    client.post(link, follow=True)
    assert "new@example.org confirmed in use" in send("action_primary", "new@example.org")
    assert "old@example.org" not in send("action_remove", "old@example.org")


def test_what_is_delicate_needs_the_password_once_more(site: Site, as_owner: Client) -> None:
    asked = as_owner.get("/accounts/reauthenticate/?next=/account/")
    assert "What you want to do needs your password once more." in words(asked.content.decode())
    wrong = as_owner.post("/accounts/reauthenticate/?next=/account/", {"password": "wrong"})
    assert "Incorrect password." in words(wrong.content.decode())
    right = as_owner.post("/accounts/reauthenticate/?next=/account/", {"password": PASSWORD})
    assert right.headers["Location"] == "/account/"


@pytest.mark.parametrize(
    ("backend", "sentence"),
    [
        ("dummy", "This arena sends no e-mail now, so an address is of no use yet; nobody sees it."),
        ("locmem", "For resetting the password only; nobody sees it."),
    ],
)
def test_who_signs_up_is_told_what_an_address_is_good_for(
    backend: str, sentence: str, client: Client, settings: Any
) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    assert sentence in words(client.get("/accounts/signup/").content.decode())
