"""Submission by API, tokens, and what is refused."""

import json
from datetime import timedelta
from io import BytesIO, StringIO

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.utils import timezone
from rest_framework.test import APIClient

from arena.models import ApiToken
from arena.services import create_api_token, revoke_api_token
from bots.models import Bot, Version
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SOURCE = make.STEADY.decode()


@pytest.fixture
def token(owner: User) -> str:
    return create_api_token(user=owner, name="laptop")[1]


@pytest.fixture
def client(api: APIClient, token: str) -> APIClient:
    api.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return api


def submit(client: APIClient, **body: object):
    return client.post("/api/v1/bots/", body, format="json")


def test_a_bot_is_submitted_as_json_and_a_check_is_rung(
    client: APIClient, owner: User, bells, django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        answer = submit(client, name="mybot", source=SOURCE)
    assert answer.status_code == 201
    body = answer.json()
    assert (body["bot"], body["number"], body["status"]) == ("mybot", 1, "received")
    version = Version.objects.get(pk=body["id"])
    assert version.bot.owner == owner
    assert bytes(version.package.content) == SOURCE.encode()
    assert any("check" in bell[0] and version.pk in bell for bell in bells)


def test_a_bot_is_submitted_as_a_file(client: APIClient) -> None:
    file = SimpleUploadedFile("steady.py", make.STEADY)
    answer = client.post("/api/v1/bots/", {"name": "mybot", "file": file}, format="multipart")
    assert (answer.status_code, answer.json()["number"]) == (201, 1)


def test_a_second_post_of_the_same_name_adds_a_version(client: APIClient) -> None:
    submit(client, name="mybot", source=SOURCE)
    answer = submit(client, name="mybot", source=SOURCE + "# better\n")
    assert (answer.status_code, answer.json()["number"]) == (201, 2)
    assert Bot.objects.count() == 1


def test_the_same_package_again_makes_no_new_version(client: APIClient) -> None:
    first = submit(client, name="mybot", source=SOURCE).json()
    again = submit(client, name="mybot", source=SOURCE)
    assert (again.status_code, again.json()["id"]) == (200, first["id"])
    assert Version.objects.count() == 1


def test_somebody_elses_bot_gets_no_version(client: APIClient, rival: User) -> None:
    make.make_version(make.make_bot(rival, "taken"))
    answer = submit(client, name="Taken", source=SOURCE)
    assert answer.status_code == 400
    assert list(answer.json()["error"]["fields"]) == ["name"]
    assert Version.objects.filter(bot__name="taken").count() == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"source": SOURCE}, "name"),
        ({"name": "", "source": SOURCE}, "name"),
        ({"name": "a", "source": SOURCE}, "name"),
        ({"name": "no spaces", "source": SOURCE}, "name"),
        ({"name": "nul\0", "source": SOURCE}, "name"),
        ({"name": "x" * 33, "source": SOURCE}, "name"),
        ({"name": "mybot"}, "source"),
        ({"name": "mybot", "source": ""}, "source"),
        ({"name": "mybot", "source": 7.5e400}, "request"),
        ({"name": ["mybot"], "source": SOURCE}, "name"),
    ],
)
def test_a_wrong_part_of_a_submission_is_named(client: APIClient, body: dict, field: str) -> None:
    answer = client.post("/api/v1/bots/", json.dumps(body), content_type="application/json")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["message"]
    assert list(error.get("fields", {"request": []})) == [field]
    assert not Version.objects.exists()


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("bot.py", b""),
        ("bot.py", b"#" * (10 * 1024 * 1024)),
        ("bot.py", b"\x7fELF\x00\xff"),
        ("bot.zip", b"PK not a zip"),
        ("bot.exe", b"print(1)"),
    ],
)
def test_a_file_that_is_no_bot_is_refused_in_a_sentence(
    client: APIClient, filename: str, content: bytes
) -> None:
    file = SimpleUploadedFile(filename, content)
    answer = client.post("/api/v1/bots/", {"name": "mybot", "file": file}, format="multipart")
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].endswith(".")
    assert "1.0 MiB" not in answer.json()["error"]["message"]
    assert not Bot.objects.exists()


def test_a_refusal_is_in_the_readers_language(client: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.words._", lambda text: f"In Latin: {text}")
    file = SimpleUploadedFile("bot.exe", b"print(1)")
    error = client.post("/api/v1/bots/", {"name": "mybot", "file": file}, format="multipart").json()["error"]
    assert error["code"] == "type"
    assert error["message"].startswith("In Latin: The file is none ")


def test_a_source_with_a_lone_surrogate_is_refused(client: APIClient) -> None:
    answer = client.post(
        "/api/v1/bots/", '{"name": "mybot", "source": "\\ud800"}', content_type="application/json"
    )
    assert (answer.status_code, list(answer.json()["error"]["fields"])) == (400, ["source"])


def test_source_and_file_together_are_refused(client: APIClient) -> None:
    file = BytesIO(make.STEADY)
    file.name = "bot.py"
    answer = client.post(
        "/api/v1/bots/", {"name": "mybot", "file": file, "source": SOURCE}, format="multipart"
    )
    assert answer.json()["error"]["code"] == "source_or_file"


@pytest.mark.parametrize("body", [b"{", b"[1", b"\xff", b"null", b"[]", b'"text"'])
def test_a_body_that_is_no_json_object_is_refused(client: APIClient, body: bytes) -> None:
    answer = client.post("/api/v1/bots/", body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]


def test_a_body_of_10_mb_is_refused_in_the_one_error_shape(client: APIClient) -> None:
    for answer in (
        submit(client, name="mybot", source="#" * 10_000_000),
        client.post("/api/v1/bots/", {"name": "mybot", "source": "#" * 10_000_000}, format="multipart"),
    ):
        assert answer.status_code == 413
        assert answer.json()["error"]["code"] == "too_big"
        assert "3 MiB" in answer.json()["error"]["message"]
    assert not Bot.objects.exists()


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"name":' * 100_000])
def test_json_nested_without_end_is_refused(client: APIClient, body: bytes) -> None:
    answer = client.post("/api/v1/bots/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "parse_error")


def test_a_form_of_too_many_fields_is_refused_in_the_one_error_shape(client: APIClient) -> None:
    answer = client.post(
        "/api/v1/bots/", {f"field{number}": "x" for number in range(2000)}, format="multipart"
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")


def test_an_error_of_ours_has_the_one_shape_and_says_nothing_of_its_cause(
    client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("arena.services.submit_version", broken)
    client.raise_request_exception = False
    answer = submit(client, name="mybot", source=SOURCE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "server_error")
    assert b"secret" not in answer.content


def test_what_django_itself_refuses_has_the_one_shape(api: APIClient) -> None:
    answer = api.get("/api/v1/bots/", HTTP_HOST="elsewhere.example")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")


def test_another_content_type_is_refused(client: APIClient) -> None:
    answer = client.post("/api/v1/bots/", b"name=mybot", content_type="application/x-www-form-urlencoded")
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")


def test_submission_wants_a_token(api: APIClient) -> None:
    answer = submit(api, name="mybot", source=SOURCE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not_authenticated")
    assert answer["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize(
    "header",
    [
        "Token",
        "Token x",
        "Token " + "f" * 64,
        "Token two words",
        "Token \xff\xfe" + "a" * 40,
        "Token " + "a" * 9999,
    ],
)
def test_a_wrong_token_is_refused(api: APIClient, header: str) -> None:
    answer = api.get("/api/v1/bots/", HTTP_AUTHORIZATION=header)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "authentication_failed")


def test_a_revoked_token_is_refused(client: APIClient, owner: User) -> None:
    assert client.get("/api/v1/bots/").status_code == 200
    revoke_api_token(user=owner, digest=ApiToken.objects.get().digest)
    answer = submit(client, name="mybot", source=SOURCE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "authentication_failed")
    assert not Bot.objects.exists()


def test_an_expired_token_is_refused(client: APIClient) -> None:
    ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    assert submit(client, name="mybot", source=SOURCE).status_code == 401


def test_a_banned_persons_token_is_refused(client: APIClient, owner: User) -> None:
    owner.is_active = False
    owner.save()
    assert submit(client, name="mybot", source=SOURCE).status_code == 401


def test_a_token_is_not_stored_in_the_clear(token: str) -> None:
    row = ApiToken.objects.get()
    assert token not in (row.digest, row.token_key)
    assert len(token) > 40


def test_a_session_cannot_submit_without_its_csrf_token(owner: User) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(owner)
    answer = submit(client, name="mybot", source=SOURCE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "permission_denied")


def test_the_command_prints_a_working_token_and_nothing_else(api: APIClient) -> None:
    out = StringIO()
    call_command("api_token", "newcomer", stdout=out, stderr=StringIO())
    (line,) = out.getvalue().splitlines()
    api.credentials(HTTP_AUTHORIZATION=f"Token {line}")
    assert submit(api, name="mybot", source=SOURCE).status_code == 201
    assert Bot.objects.get().owner.username == "newcomer"
    assert not User.objects.get().has_usable_password()


@pytest.mark.parametrize("words", [["no spaces"], ["x"], ["fine", "--days", "0"]])
def test_the_command_refuses_what_cannot_be(words: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("api_token", *words)
    assert not User.objects.exists()
