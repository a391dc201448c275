"""Logging in, signing up and submitting, as those do who guess, flood, spy and forge."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as site
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from arena.services import create_api_token
from bots.models import Version
from tests.people import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.database]

PROXY = "10.0.0.1"
VICTIM = "203.0.113.7"


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


def sign_up(name: str, email: str = "", forwarded: str | None = None, address: str = PROXY) -> HttpResponse:
    sent = {"username": name, "email": email, "password1": PASSWORD, "password2": PASSWORD}
    headers = {"x-forwarded-for": forwarded} if forwarded is not None else {}
    return Client(REMOTE_ADDR=address, headers=headers).post("/accounts/signup/", sent)


def statuses(answers: list[HttpResponse]) -> list[int]:
    return [answer.status_code for answer in answers]


# --- Limits, behind proxies and without ---------------------------------------------------------------------


def test_forged_addresses_do_not_evade_the_limit_behind_a_proxy(settings: Settings) -> None:
    settings.PROXY_COUNT = 1
    answers = [sign_up(f"flood-{n}", forwarded=f"198.51.100.{n}, {VICTIM}") for n in range(6)]
    assert statuses(answers) == [302] * 5 + [429]


def test_whoever_forges_an_address_shuts_nobody_else_out(settings: Settings) -> None:
    settings.PROXY_COUNT = 1
    answers = [sign_up(f"flood-{n}", forwarded=f"{VICTIM}, 198.51.100.9") for n in range(6)]
    assert answers[-1].status_code == 429
    assert sign_up("victim", forwarded=VICTIM).status_code == 302


def test_without_a_proxy_the_header_is_not_read(settings: Settings) -> None:
    settings.PROXY_COUNT = 0
    answers = [sign_up(f"flood-{n}", forwarded=f"198.51.100.{n}", address="198.51.100.250") for n in range(6)]
    assert statuses(answers) == [302] * 5 + [429]
    assert sign_up("victim", address="198.51.100.1").status_code == 302


@pytest.mark.parametrize(
    ("forwarded", "other"),
    [
        ("198.51.100.{n}, 203.0.113.7, 10.0.0.2", "198.51.100.1, 203.0.113.8, 10.0.0.2"),
        # It came by one of the two proxies.
        ("203.0.113.7", "203.0.113.8"),
        ("203.0.113.7:{n}, 10.0.0.2", "203.0.113.8:1, 10.0.0.2"),
        ("2001:db8:1:1::{n}, 10.0.0.2", "2001:db8:1:2::1, 10.0.0.2"),
    ],
)
def test_two_proxies_are_seen_through(settings: Settings, forwarded: str, other: str) -> None:
    settings.PROXY_COUNT = 2
    answers = [sign_up(f"flood-{n}", forwarded=forwarded.format(n=n)) for n in range(1, 7)]
    assert statuses(answers) == [302] * 5 + [429]
    assert sign_up("other", forwarded=other).status_code == 302


def test_nonsense_in_the_header_harms_nobody(settings: Settings) -> None:
    settings.PROXY_COUNT = 1
    for number, forwarded in enumerate(("", "unknown", ",", "<script>", "x" * 5000)):
        assert sign_up(f"person-{number}", forwarded=forwarded).status_code == 302
    assert sign_up("person-5", forwarded="unknown").status_code == 429


def test_a_password_is_not_guessed_from_many_addresses(owner: User) -> None:
    for number in range(7):
        client = Client(REMOTE_ADDR=f"198.51.100.{number}")
        client.post("/accounts/login/", {"login": "olivia", "password": f"guess {number}"})
    last = Client(REMOTE_ADDR="198.51.100.99")
    assert last.post("/accounts/login/", {"login": "OLIVIA", "password": PASSWORD}).status_code == 200


def test_links_to_reset_a_password_are_not_sent_without_end(owner: User, mailoutbox: list) -> None:
    sent = {"email": owner.email}
    answers = [
        Client(REMOTE_ADDR=f"198.51.100.{n}").post("/accounts/password/reset/", sent) for n in range(7)
    ]
    assert statuses(answers) == [302] * 5 + [429] * 2
    assert len(mailoutbox) == 5


def test_submissions_by_page_and_by_api_are_counted_together(owner: User, settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**site.ACCOUNT_RATE_LIMITS, "submit": "3/m/user"}
    by_page, by_api = Client(), Client()
    by_page.force_login(owner)
    header = {"authorization": f"Token {create_api_token(user=owner, name='x')[1]}"}
    sent = {"name": "mine", "source": "print(1)"}

    def api() -> HttpResponse:
        return by_api.post("/api/v1/bots/", sent, content_type="application/json", headers=header)

    assert by_page.post("/submit/", {"name": "?"}).status_code == 422
    assert api().status_code == 201
    assert by_page.post("/submit/", sent).status_code == 302
    limited = api()
    assert (limited.status_code, limited.json()["error"]["code"]) == (429, "throttled")
    assert int(limited.headers["Retry-After"]) > 0
    assert by_page.post("/submit/", sent).status_code == 429
    assert Version.objects.count() == 1


# --- Who has an account -------------------------------------------------------------------------------------


def answer_of(response: HttpResponse) -> tuple[int, str, bytes]:
    return response.status_code, response.headers.get("Location", ""), response.content


def test_signing_up_does_not_tell_whether_an_address_has_an_account(owner: User) -> None:
    known = sign_up("one", owner.email)
    unknown = sign_up("two", "nobody@example.org")
    assert answer_of(known) == answer_of(unknown)
    assert User.objects.filter(username__in=["one", "two"]).count() == 2


def test_a_new_password_goes_to_the_account_that_has_proved_the_address(
    owner: User, mailoutbox: list
) -> None:
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    sign_up("one", owner.email)
    Client().post("/accounts/password/reset/", {"email": owner.email})
    (mail,) = mailoutbox
    assert "olivia" in mail.body
    assert "one" not in mail.body.split()


def test_resetting_does_not_tell_whether_an_address_has_an_account(owner: User, mailoutbox: list) -> None:
    known = Client().post("/accounts/password/reset/", {"email": owner.email})
    unknown = Client().post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert answer_of(known) == answer_of(unknown)
    # Both take the time of one mail.
    assert [mail.to for mail in mailoutbox] == [[owner.email], ["nobody@example.org"]]


def test_adding_an_address_does_not_tell_whether_another_account_has_it(owner: User, rival: User) -> None:
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    answers = []
    for address in (owner.email, "nobody@example.org"):
        client = Client()
        client.post("/accounts/login/", {"login": "rob", "password": PASSWORD})
        sent = {"email": address, "action_add": ""}
        answers.append(client.post("/accounts/email/", sent).status_code)
    assert answers[0] == answers[1]


def test_logging_in_takes_as_long_for_who_is_unknown(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    encode: Callable[..., str] = MD5PasswordHasher.encode

    def counted(self: MD5PasswordHasher, password: str, salt: str) -> str:
        counts[-1] += 1
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    pages = []
    for name in ("olivia", "nobody"):
        counts.append(0)
        page = Client().post("/accounts/login/", {"login": name, "password": "wrong"}).content.decode()
        pages.append(page.replace(name, "NAME").partition("<main")[2].partition("csrf")[0])
    assert counts[0] == counts[1] > 0
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    "address", ["a@b.example\nBcc: c@d.example", "a@b.example\r\nSubject: x", "<a@b.example>"]
)
def test_no_address_writes_headers_of_a_mail(address: str, mailoutbox: list) -> None:
    assert sign_up("one", address).status_code == 200
    assert Client().post("/accounts/password/reset/", {"email": address}).status_code == 200
    assert mailoutbox == []


# --- Sessions -----------------------------------------------------------------------------------------------


def log_in(client: Client) -> HttpResponse:
    return client.post("/accounts/login/", {"login": "olivia", "password": PASSWORD})


def test_a_session_that_was_planted_is_not_the_one_that_is_logged_in(owner: User, client: Client) -> None:
    session = client.session
    session["planted"] = "by a stranger"
    session.save()
    planted = session.session_key
    client.cookies[site.SESSION_COOKIE_NAME] = planted
    log_in(client)
    assert client.cookies[site.SESSION_COOKIE_NAME].value != planted
    stranger = Client()
    stranger.cookies[site.SESSION_COOKIE_NAME] = planted
    assert stranger.get("/account/").status_code == 302


def test_a_session_ends_with_the_log_out_and_with_the_old_password(owner: User) -> None:
    left, other, here = Client(), Client(), Client()
    for client in (left, other, here):
        log_in(client)
        assert client.get("/account/").status_code == 200
    kept = left.cookies[site.SESSION_COOKIE_NAME].value
    left.post("/accounts/logout/")
    assert not Session.objects.filter(session_key=kept).exists()
    sent = {
        "oldpassword": PASSWORD,
        "password1": "another horse battery",
        "password2": "another horse battery",
    }
    assert here.post("/accounts/password/change/", sent).status_code == 302
    assert here.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302


def test_no_script_and_no_other_site_gets_the_cookie_of_a_session(owner: User, client: Client) -> None:
    log_in(client)
    cookie = client.cookies[site.SESSION_COOKIE_NAME]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert client.cookies[site.CSRF_COOKIE_NAME]["samesite"] == "Lax"


def test_a_token_is_kept_as_its_hash_alone(owner: User) -> None:
    token, secret = create_api_token(user=owner, name="laptop")
    assert token.digest == hashlib.sha512(secret.encode()).hexdigest()
    kept = "".join(str(getattr(token, field.name)) for field in token._meta.fields)
    assert secret not in kept
