from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from arena.models import LadderEntry, Pulse
from bots.models import CheckStage, Package, Version
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SECRETS = ["private answer", "Traceback", "skyjo.pyz check mine.py"]


def test_a_rejection_begins_with_its_one_sentence(site: Site, client: Client) -> None:
    text = words(client.get("/bots/mine/versions/2/").content.decode())
    assert "rejected The bot answered after 612 ms; limit 500 ms, round 3, turn 17." in text
    assert "Package: passed" in text
    assert "Start: failed" in text
    assert "Qualification match: waiting" in text


@pytest.mark.parametrize("path", ["/bots/mine/versions/2/", "/bots/mine/versions/2/stages/"])
def test_exchange_standard_error_and_command_are_for_the_owner_and_operators(
    path: str, site: Site, client: Client, as_rival: Client, as_owner: Client, as_operator: Client
) -> None:
    for reader, may_see in ((client, False), (as_rival, False), (as_owner, True), (as_operator, True)):
        html = reader.get(path).content.decode()
        assert [secret in html for secret in SECRETS] == [may_see] * len(SECRETS)


def test_what_a_bot_wrote_is_text_and_never_markup(site: Site, as_owner: Client) -> None:
    html = as_owner.get("/bots/mine/versions/2/").content.decode()
    assert "<i>private answer" not in html
    assert "&lt;i&gt;private answer" in html


@pytest.mark.parametrize(("status", "asks_again"), [("received", True), ("checking", True), ("ready", False)])
def test_the_page_asks_again_until_the_check_is_done(
    status: str, asks_again: bool, site: Site, client: Client
) -> None:
    version = make_version(site.mine, status=status, plays=False)
    for path in (f"/bots/mine/versions/{version.number}/", f"/bots/mine/versions/{version.number}/stages/"):
        html = client.get(path).content.decode()
        assert ("hx-trigger" in html) is asks_again
    page = client.get(f"/bots/mine/versions/{version.number}/").content.decode()
    assert ("htmx.min.js" in page) is asks_again


def test_a_parked_check_is_said_to_be_our_trouble_and_is_not_asked_for_again(
    site: Site, client: Client
) -> None:
    version = make_version(site.mine, status="parked", plays=False)
    Version.objects.filter(pk=version.pk).update(check_trouble="secret of the host")
    html = client.get(f"/bots/mine/versions/{version.number}/").content.decode()
    assert "Parked, not judged" in words(html)
    assert "secret of the host" not in html
    assert "hx-trigger" not in html


def test_the_live_part_is_never_taken_from_a_cache(site: Site, client: Client) -> None:
    assert "no-store" in client.get("/bots/mine/versions/2/stages/").headers["Cache-Control"]


def test_a_running_stage_shows_how_long_it_has_taken(site: Site, client: Client) -> None:
    version = make_version(site.mine, status="checking", plays=False)
    CheckStage.objects.filter(version=version, name="start").update(
        started_at=timezone.now() - timedelta(minutes=10)
    )
    assert "Start: running 10 min" in words(client.get("/bots/mine/versions/3/stages/").content.decode())


def test_what_passed_is_told_where_its_matches_come_from(
    site: Site, client: Client, as_owner: Client
) -> None:
    version = make_version(site.mine)
    path = f"/bots/mine/versions/{version.number}/"
    assert "The first matches of a new version come within seconds." in words(
        client.get(path).content.decode()
    )
    LadderEntry.objects.filter(bot=site.mine).update(is_active=False)
    for reader, may_mend in ((client, False), (as_owner, True)):
        text = words(reader.get(path).content.decode())
        assert "The bot is on no ladder, so it plays no rated matches." in text
        assert ("You can put it on one" in text) is may_mend


def test_a_check_that_was_returned_says_that_it_is_our_fault(site: Site, client: Client) -> None:
    version = make_version(site.mine, status="received", plays=False)
    Version.objects.filter(pk=version.pk).update(check_attempts=1)
    text = words(client.get(f"/bots/mine/versions/{version.number}/").content.decode())
    assert "infrastructure fault of ours, which is not held against the bot" in text


def test_a_suspended_version_is_not_called_faulty(site: Site, client: Client) -> None:
    Version.objects.filter(pk=site.version.pk).update(suspended_at=timezone.now())
    text = words(client.get("/bots/mine/").content.decode())
    assert "Suspended, not judged" in text


def test_private_source_is_for_the_owner_and_operators(
    site: Site, client: Client, as_rival: Client, as_owner: Client, as_operator: Client
) -> None:
    for path in ("/bots/mine/versions/1/source/", "/bots/mine/versions/1/download/"):
        for reader, status in ((client, 403), (as_rival, 403), (as_owner, 200), (as_operator, 200)):
            response = reader.get(path)
            assert response.status_code == status
            assert (b"class Mine" in response.content) is (status == 200)


def test_source_is_shown_as_text(site: Site, as_owner: Client) -> None:
    html = as_owner.get("/bots/mine/versions/1/source/").content.decode()
    assert "<b>Mine</b>" not in html
    assert "&lt;b&gt;Mine&lt;/b&gt;" in html


def test_the_download_is_an_attachment_that_no_browser_renders(site: Site, as_owner: Client) -> None:
    response = as_owner.get("/bots/mine/versions/1/download/")
    assert response.headers["Content-Disposition"] == 'attachment; filename="mine-v1.py"'
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Type"] == "application/octet-stream"
    assert response.content == bytes(site.version.package.content)


def test_the_source_of_a_deleted_account_is_gone(site: Site, as_owner: Client) -> None:
    Package.objects.filter(pk=site.version.package_id).update(content=b"", wiped_at=timezone.now())
    assert as_owner.get("/bots/mine/versions/1/source/").status_code == 404
    assert "Its source was deleted" in words(as_owner.get("/bots/mine/versions/1/").content.decode())


def test_a_package_that_cannot_be_read_says_why(site: Site, as_owner: Client) -> None:
    Package.objects.filter(pk=site.version.package_id).update(content=b"\xff\xfe\x00")
    response = as_owner.get("/bots/mine/versions/1/source/")
    assert response.status_code == 200
    assert "The package cannot be shown" in words(response.content.decode())


def make_worker(concurrency: int, **fields: object) -> None:
    Pulse.objects.create(
        name=f"checks-{Pulse.objects.count()}@here",
        kind=Pulse.Kind.WORKER,
        detail={"queues": ["checks"], "concurrency": concurrency, "problems": [], "host": "here"},
        **{"seen_at": timezone.now(), **fields},
    )


def waiting_text(client: Client, number: int) -> str:
    return words(client.get(f"/bots/mine/versions/{number}/stages/").content.decode())


def test_a_version_that_waits_is_told_its_place_and_an_estimate_with_its_grounds(
    site: Site, client: Client
) -> None:
    now = timezone.now()
    Version.objects.filter(pk=site.rejected.pk).update(
        check_started_at=now - timedelta(seconds=7), checked_at=now - timedelta(seconds=3)
    )
    make_version(site.mine, status="checking", plays=False)
    first, second, third = (make_version(site.mine, status="received", plays=False) for _ in range(3))
    assert "No worker that checks versions is there just now" in waiting_text(client, first.number)
    make_worker(2)
    make_worker(8, seen_at=now - timedelta(hours=1))
    make_worker(8, is_well=False)
    # One is under way, of two at once: the first of those that wait is done with it, the others after them.
    assert (
        "1 check comes before it. Lately a check took 4 s, and 2 are done at once: it should be done in about 4 s"
        in (waiting_text(client, first.number))
    )
    assert "3 checks come before it." in waiting_text(client, third.number)
    assert "done in about 8 s" in waiting_text(client, third.number)
    found = client.get(f"/api/v1/versions/{second.pk}/").json()["waiting"]
    assert found == {"n_before": 2, "n_at_once": 2, "usual_s": 4.0, "estimate_s": 8.0}
    assert client.get(f"/api/v1/versions/{site.version.pk}/").json()["waiting"] is None


def test_without_a_check_that_ended_nothing_is_estimated(site: Site, client: Client) -> None:
    version = make_version(site.mine, status="received", plays=False)
    make_worker(1)
    text = waiting_text(client, version.number)
    assert "It is the next to be checked." in text
    assert "done in about" not in text


def test_the_stages_go_from_received_to_the_verdict_with_their_times(site: Site, client: Client) -> None:
    now = timezone.now().replace(hour=12, minute=34, second=56)
    Version.objects.filter(pk=site.rejected.pk).update(created_at=now, checked_at=now)
    text = words(client.get("/bots/mine/versions/2/").content.decode())
    places = [
        text.index(part)
        for part in ("Received 12:34:56", "Package: passed", "Start: failed", "Rejected 12:34:56")
    ]
    assert places == sorted(places)
    assert "The address of this page can be shared." in text


def test_faults_since_the_version_are_a_link_away(site: Site, client: Client) -> None:
    html = client.get("/bots/mine/versions/1/").content.decode()
    assert 'href="/bots/mine/faults/?since=1"' in html
    assert 'href="/bots/mine/faults/?version=1"' in html
