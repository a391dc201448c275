"""Uploads as an attacker makes them, through both doors: refused in a sentence, and nothing of them stored."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from rest_framework.test import APIClient

from arena.services import create_api_token
from bots.models import Bot, Package, Version
from bots.packages import zips
from bots.sandbox.faults import SandboxError
from tests.arena.pages.markup import words
from tests.bots.packages.archives import MAIN, Member, build
from tests.bots.packages.hostile import HOSTILE

# What is refused is no matter of the database.
pytestmark = pytest.mark.django_db

SENTENCES = {
    "one file of zeros": "“z” unpacks to more than 100 times its size: leave out such a file.",
    "quoted overlapping, many": "The zip unpacks to more than 8 MiB: leave something out.",
    "quoted overlapping": "“000001” and “000000” share their bytes in the zip: pack it again.",
    "201 files": "The zip has 201 entries: at most 200 are taken.",
    "a link in place of main.py": "“main.py” is a link or a special file: pack the file itself.",
    "above the folder, in litter": "“../../__pycache__/a” leads out of the bot's folder: pack without “..”.",
    "absolute": "“/etc/cron.d/a” is an absolute path: pack the files relative to the bot's folder.",
    "right to left": "“a\\u202eyp.exe” is an odd name",
    "a NUL": "“a.py\\x00.txt” is an odd name",
    "a name in capitals too": "“MAIN.py” and “main.py” have the same name: keep one of them.",
    "a second zip behind the first": "bytes that belong to no file, from byte",
    "another name at the file": "“a.py” is described in two ways in the zip: pack it again.",
    "a password": "“a” is encrypted: pack the zip without a password.",
    "a 64-bit closing record": "The zip is in the form for more than 4 GiB (zip64)",
    "a million empty deflate blocks": "The zip is damaged at “z”: pack it again.",
    "only what Python would run in a zip": "The zip has none of these at its top: main.py, main.js, main.mjs",
}
UPLOADS = {name: ("bot.zip", HOSTILE[name][0], sentence) for name, sentence in SENTENCES.items()} | {
    "a zip behind a source": ("bot.py", MAIN + build(Member(b"__main__.py", MAIN)), "binary data: upload the source."),
    "a zip named py": ("bot.py", build(Member(b"main.py", MAIN)), "is a zip but is not named so: name it .zip."),
    "a tape archive": ("bot.zip", b"main.py".ljust(257, b"\0") + b"ustar" + bytes(300), "in the format tar: pack it"),
    "another encoding": ("bot.py", b"# coding: utf-7\n+AGkAbQBwAG8AcgB0-", "declares the encoding “utf-7” in line 1"),
    "a source in a zip": (
        "bot.zip",
        build(Member(b"main.py", MAIN), Member(b"a.py", b"# coding: utf-7\n")),
        "The file “a.py” declares the encoding “utf-7” in line 1",
    ),
}  # fmt: skip


def nothing_is_stored() -> bool:
    return not (Bot.objects.exists() or Version.objects.exists() or Package.objects.exists())


@pytest.fixture
def api(owner: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {create_api_token(user=owner, name='laptop')[1]}")
    return client


@pytest.fixture
def page(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


@pytest.mark.parametrize("name", UPLOADS)
def test_a_hostile_upload_is_refused_in_a_sentence_and_nothing_is_stored(
    name: str, api: APIClient, page: Client
) -> None:
    filename, content, sentence = UPLOADS[name]
    answer = page.post("/submit/", {"name": "mybot", "file": SimpleUploadedFile(filename, content)})
    assert answer.status_code == 422
    assert sentence in words(answer.content.decode())
    answer = api.post(
        "/api/v1/bots/", {"name": "mybot", "file": SimpleUploadedFile(filename, content)}, format="multipart"
    )
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert sentence in error["message"]
    assert error["fields"] == {"file": [error["message"]]}
    assert nothing_is_stored()


def test_the_web_process_opens_no_zip(api: APIClient, page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def here(content: bytes) -> dict[str, bytes]:
        raise AssertionError("A zip was opened here.")

    monkeypatch.setattr(zips, "read_zip", here)
    file = SimpleUploadedFile("bot.zip", build(Member(b"main.py", MAIN)))
    answer = api.post("/api/v1/bots/", {"name": "mybot", "file": file}, format="multipart")
    assert answer.status_code == 201
    Bot.objects.update(is_source_public=True)
    source = page.get("/bots/mybot/versions/1/source/")
    assert "print('a bot')" in words(source.content.decode())


def test_an_upload_that_we_cannot_read_now_is_left_to_its_check(
    api: APIClient, page: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unzip(content: bytes, starts: object) -> dict[str, bytes]:
        raise SandboxError("secret of the host")

    monkeypatch.setattr("bots.packages.reading.unzip_apart", unzip)
    file = SimpleUploadedFile("bot.zip", build(Member(b"main.py", MAIN)))
    answer = api.post("/api/v1/bots/", {"name": "mybot", "file": file}, format="multipart")
    assert (answer.status_code, answer.json()["status"]) == (201, "received")
    shown = page.get("/bots/mybot/versions/1/source/")
    assert shown.status_code == 200
    assert "something broke on our side" in words(shown.content.decode())
    assert b"secret" not in shown.content
