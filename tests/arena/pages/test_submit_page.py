from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from arena.selectors.starters import starters
from bots.models import Bot, Version
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site

pytestmark = [pytest.mark.django_db, pytest.mark.database]

CODE = "from skyjo import Bot, run\n"


def upload(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def test_pasted_code_becomes_a_version_and_its_check_is_rung(
    site: Site, as_owner: Client, django_capture_on_commit_callbacks: object, bells: list[tuple[object, ...]]
) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        response = as_owner.post("/submit/", {"name": "fresh", "source": CODE.replace("\n", "\r\n")})
    version = Version.objects.get(bot__name="fresh")
    assert response.headers["Location"] == "/bots/fresh/versions/1/"
    assert version.bot.owner == site.owner
    assert bytes(version.package.content) == CODE.encode()
    assert any(version.pk in bell for bell in bells)


def test_a_chosen_file_is_taken_byte_for_byte(site: Site, as_owner: Client) -> None:
    content = b"x = 1\r\n"
    response = as_owner.post("/submit/", {"name": "fresh", "file": upload("a bot.py", content)}, follow=True)
    assert "fresh, version 1 received" in words(response.content.decode())
    assert bytes(Version.objects.get(bot__name="fresh").package.content) == content


def test_the_name_of_my_bot_adds_a_version(site: Site, as_owner: Client) -> None:
    response = as_owner.post("/submit/", {"name": "mine", "source": CODE})
    assert response.headers["Location"] == "/bots/mine/versions/3/"


def test_the_same_bytes_again_are_no_new_version(site: Site, as_owner: Client) -> None:
    source = bytes(site.version.package.content).decode()
    response = as_owner.post("/submit/", {"name": "mine", "source": source}, follow=True)
    assert "the very bytes of version 1, so it plays again" in words(response.content.decode())
    assert site.mine.versions.count() == 2


def test_strangers_see_the_page_and_keep_what_they_typed_when_they_send(site: Site, client: Client) -> None:
    assert "log in" in words(client.get("/submit/").content.decode())
    response = client.post("/submit/", {"name": "fresh", "source": CODE})
    assert response.status_code == 403
    assert "You are not logged in, so nothing was submitted" in words(response.content.decode())
    assert CODE in response.content.decode()
    assert not Bot.objects.filter(name="fresh").exists()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"name": "fresh"}, "Paste code here, or choose a file below."),
        ({"name": "", "source": CODE}, "This field is required."),
        ({"name": "a b", "source": CODE}, "A name has 2 to 32 letters"),
        ({"name": "x" * 33, "source": CODE}, "at most 32 characters"),
        ({"name": "nul\0l", "source": CODE}, "Null characters are not allowed"),
        ({"name": "fresh", "source": "x = '\0'"}, "Null characters are not allowed"),
        ({"name": "greedy", "source": CODE}, "Another bot is already called “greedy”."),
        ({"name": "fresh", "file": ("bot.py", b"")}, "The file is empty"),
        (
            {"name": "fresh", "file": ("bot.py", b"#" * 10_000_000)},
            "The file has 10,000,000 bytes: at most 1,048,576 are taken, which is 1 MiB.",
        ),
        (
            {"name": "fresh", "file": ("bot.py", b"#" * (1024 * 1024 + 1))},
            "The file has 1,048,577 bytes: at most 1,048,576 are taken",
        ),
        ({"name": "fresh", "file": ("bot.exe", b"MZ")}, "The program is one for Windows"),
        ({"name": "fresh", "file": ("bot.txt", b"a bot")}, "The file is none that can be taken"),
        (
            {"name": "fresh", "file": ("bot", b"#!/bin/sh"), "runtime": "executable"},
            "The program is a script",
        ),
        ({"name": "fresh", "file": ("bot.py", b"\x7fELF\0")}, "binary data"),
        ({"name": "fresh", "file": ("bot.zip", b"no zip")}, "named .zip but is none"),
        ({"name": "fresh", "source": CODE, "file": ("bot.py", b"x = 1")}, "either code or a file"),
    ],
)
def test_what_cannot_be_is_refused_beside_its_field_and_what_was_typed_is_kept(
    data: dict[str, object], sentence: str, site: Site, as_owner: Client
) -> None:
    n_versions = Version.objects.count()
    sent = {key: upload(*value) if isinstance(value, tuple) else value for key, value in data.items()}
    response = as_owner.post("/submit/", sent)
    assert response.status_code == 422
    html = response.content.decode()
    assert sentence in words(html)
    assert 'aria-invalid="true"' in html
    if data.get("name") and "\0" not in str(data["name"]):
        assert f'value="{data["name"]}"' in html
    if data.get("source") == CODE:
        assert CODE in html
    assert Version.objects.count() == n_versions


def test_the_head_of_a_refused_form_leads_to_each_field_that_is_to_blame(
    site: Site, as_owner: Client
) -> None:
    html = as_owner.post("/submit/", {"name": "a b", "source": ""}).content.decode()
    notice = html.partition('role="alert"')[2].partition("</div>")[0]
    assert '<a href="#id_name">Name of the bot</a>' in notice
    assert '<a href="#id_source">Code</a>' in notice
    assert 'id="id_name"' in html
    assert 'id="id_source"' in html


def test_code_of_ten_megabytes_is_refused_before_it_is_read(site: Site, as_owner: Client) -> None:
    response = as_owner.post("/submit/", {"name": "fresh", "source": "#" * 10_000_000})
    assert response.status_code == 400
    assert "The form is too big" in words(response.content.decode())


def test_a_broken_multipart_form_is_a_bad_request(site: Site, as_owner: Client) -> None:
    response = as_owner.post("/submit/", b"nonsense", content_type="multipart/form-data; boundary=x")
    assert response.status_code in {400, 422}


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "image/png"])
def test_another_content_type_is_a_bad_request(content_type: str, as_owner: Client) -> None:
    response = as_owner.post("/submit/", b'{"name": "fresh"}', content_type=content_type)
    assert response.status_code == 400
    assert "takes a form" in words(response.content.decode())


def test_a_quota_that_binds_is_shown_and_refuses(
    site: Site, as_owner: Client, settings: pytest.FixtureRequest
) -> None:
    settings.QUOTA_BOTS = 1  # type: ignore[attr-defined]
    assert "You have used all 1 of your bots" in words(as_owner.get("/submit/").content.decode())
    response = as_owner.post("/submit/", {"name": "fresh", "source": CODE})
    assert response.status_code == 422
    assert "You have 1 bots" in words(response.content.decode())


def test_a_bots_name_in_the_address_is_filled_in(site: Site, as_owner: Client) -> None:
    assert 'value="mine"' in as_owner.get("/submit/?bot=mine").content.decode()


def test_a_template_in_the_address_is_filled_in(site: Site, client: Client) -> None:
    chosen = starters()[0]
    html = client.get(f"/submit/?template={chosen.name}").content.decode()
    assert "from skyjo import" in html
    assert chosen.summary


@pytest.mark.parametrize("query", ["?template=none-such", "?bot=a%00b", "?bot=" + "x" * 40])
def test_parameters_that_cannot_be_are_bad_requests(query: str, client: Client) -> None:
    assert client.get(f"/submit/{query}").status_code == 400


def test_limits_stand_beside_the_form_and_the_curl_command_under_it(site: Site, client: Client) -> None:
    text = words(client.get("/submit/").content.decode())
    assert "A decision 500 ms" in text
    assert "512 MiB" in text
    assert (
        'curl -H "Authorization: Token $SKYJO_TOKEN" -F name=my-bot -F file=@my_bot.py http://testserver/api/v1/bots/'
        in text
    )


def test_a_version_of_ones_own_is_copied_into_the_form(site: Site, as_owner: Client) -> None:
    html = as_owner.get("/submit/").content.decode()
    assert 'href="/submit/?bot=mine&amp;from=2"' in html
    html = as_owner.get("/submit/?bot=mine&from=1").content.decode()
    assert "# mine 1" in html
    assert "# mine 2" not in html
    assert 'value="mine"' in html


def test_what_one_may_not_read_is_not_copied_and_what_is_public_is(
    site: Site, client: Client, as_rival: Client
) -> None:
    for reader in (client, as_rival):
        assert reader.get("/submit/?bot=mine&from=1").status_code == 403
        assert reader.get("/submit/?bot=mine&from=9").status_code == 404
        html = reader.get("/submit/?bot=greedy&from=1").content.decode()
        assert "# greedy 1" in html
        assert 'value="greedy"' not in html


def test_a_zip_is_not_copied_and_the_way_to_it_is_told(site: Site, as_owner: Client) -> None:
    Version.objects.filter(pk=site.version.pk).update(filename="mine.zip")
    text = words(as_owner.get("/submit/?bot=mine&from=1").content.decode())
    assert "Version 1 is no single text. Download it on its page" in text


def test_that_a_file_has_to_be_chosen_again_is_said(site: Site, as_owner: Client) -> None:
    sent = {"name": "fresh", "file": upload("bot.exe", b"MZ")}
    assert "Browsers do not keep a chosen file" in words(as_owner.post("/submit/", sent).content.decode())
    assert "Browsers do not keep" not in words(as_owner.post("/submit/", {"name": "fresh"}).content.decode())
