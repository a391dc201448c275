"""Bots of other runtimes on the site: choosing one, what is offered where, who plays them, and programs as sources."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from arena import fitness, health, pulse
from arena.checks import check_version
from arena.fitness import Fitness
from arena.heart import Heart
from arena.models import LadderEntry, Pulse
from arena.pulse import CHECKS, MATCHES, missing_runtimes
from arena.services import pair_ladder, play_queued_match
from bots.models import Bot, Version
from bots.services import claim_check
from matches.models import Match
from matches.services import claim_match
from tests.arena.pages.markup import words
from tests.bots.packages.elf_files import elf
from tests.hostile.duels import hostile
from tests.make import make_bot, make_ladder, make_match, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]

PROGRAM = elf()
SCRIPT = "process.exit();\n"
WHY = "/usr/bin/node is missing: install the package nodejs."


def report(queue: str, *, host: str = "here", lacks: dict[str, str] | None = None) -> None:
    """A sign of life of a worker."""
    detail = {
        "host": host,
        "queues": [queue],
        "concurrency": 1,
        "problems": [],
        "canary": {},
        "lacks": lacks or {},
    }
    Pulse.objects.create(
        name=f"{queue}@{host}", kind=Pulse.Kind.WORKER, is_well=True, detail=detail, seen_at=timezone.now()
    )


def make_script(**fields: object) -> Version:
    version = make_version(content=SCRIPT.encode(), **fields)
    Version.objects.filter(pk=version.pk).update(runtime="node", filename="bot.js")
    version.refresh_from_db()
    return version


@pytest.fixture
def page(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def owners_api(owner: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(owner)
    return client


@pytest.fixture
def no_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker process on a host without Node.js."""
    monkeypatch.setattr(fitness, "_fitness", Fitness(match_mib=9000, n_processes=1, lacks={"node": WHY}))


# --- Choosing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "runtime", "filename"),
    [
        ({"source": "pass"}, "python", "main.py"),
        ({"source": SCRIPT, "runtime": "node"}, "node", "main.js"),
        ({"file": ("bot.mjs", SCRIPT.encode())}, "node", "bot.mjs"),
        ({"file": ("bot", PROGRAM)}, "executable", "bot"),
        ({"file": ("bot.txt", b"pass"), "runtime": "python"}, "python", "bot.txt"),
    ],
)
def test_the_form_takes_every_runtime(page: Client, fields, runtime, filename) -> None:
    sent = {name: SimpleUploadedFile(*value) if name == "file" else value for name, value in fields.items()}
    answer = page.post("/submit/", {"name": "mybot", **sent}, follow=True)
    version = Version.objects.get()
    assert (version.runtime, version.filename) == (runtime, filename)
    assert answer.status_code == 200


def test_the_api_takes_every_runtime_and_says_which(owners_api: APIClient) -> None:
    answer = owners_api.post(
        "/api/v1/bots/", {"name": "a1", "source": SCRIPT, "runtime": "node"}, format="json"
    )
    assert (answer.status_code, answer.json()["runtime"]) == (201, "node")
    sent = {"name": "b1", "file": SimpleUploadedFile("bot", PROGRAM)}
    answer = owners_api.post("/api/v1/bots/", sent, format="multipart")
    assert (answer.status_code, answer.json()["runtime"]) == (201, "executable")


def test_an_unknown_runtime_is_refused_in_words(owners_api: APIClient, page: Client) -> None:
    answer = owners_api.post("/api/v1/bots/", {"name": "a1", "source": "x", "runtime": "perl"}, format="json")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], list(error["fields"])) == ("unknown_runtime", ["runtime"])
    assert "there are: python, node, executable" in error["message"]
    assert page.post("/submit/", {"name": "a1", "source": "x", "runtime": "perl"}).status_code == 422
    assert not Version.objects.exists()


def test_the_same_bytes_with_another_runtime_are_another_version(page: Client) -> None:
    for runtime in ("", "node", "node"):
        page.post("/submit/", {"name": "mybot", "source": "1", "runtime": runtime})
    assert list(Version.objects.order_by("number").values_list("number", "runtime")) == [
        (1, "python"),
        (2, "node"),
    ]


def test_a_new_version_begins_with_the_runtime_of_the_one_before(page: Client, owner: User) -> None:
    version = make_script(bot=make_bot(owner, "mybot"))
    shown = page.get("/submit/", {"bot": "mybot", "from": version.number}).content.decode()
    assert '<option value="node" selected>' in shown
    assert SCRIPT.strip() in shown


# --- Hosts --------------------------------------------------------------------------------------------------


def test_a_runtime_is_missing_where_no_worker_of_a_queue_has_it() -> None:
    assert missing_runtimes() == {}
    report(CHECKS)
    report(MATCHES, host="bare", lacks={"node": WHY})
    assert missing_runtimes() == {"node": WHY}
    report(MATCHES, host="full")
    assert missing_runtimes() == {}


def test_a_missing_runtime_is_not_offered_and_says_why(page: Client, owners_api: APIClient) -> None:
    report(CHECKS, lacks={"node": WHY})
    shown = page.get("/submit/").content.decode()
    assert '<option value="node"' not in shown
    assert f"not here: {WHY}" in words(shown)
    sent = {"name": "a1", "source": SCRIPT, "runtime": "node"}
    answer = owners_api.post("/api/v1/bots/", sent, format="json")
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == f"JavaScript (Node.js) is not to be had here: {WHY}"
    answer = page.post("/submit/", {"name": "a1", "file": SimpleUploadedFile("bot.js", b"1")})
    assert answer.status_code == 422
    assert f"is not to be had here: {WHY}" in words(answer.content.decode())
    assert not Bot.objects.exists()


def test_a_heart_tells_what_its_host_lacks() -> None:
    found = Fitness(match_mib=9000, n_processes=1, lacks={"node": WHY})
    Heart(name="matches@here", queues={MATCHES}, concurrency=1, found=found).beat()
    row = Pulse.objects.get()
    assert row.is_well
    assert row.detail["lacks"] == {"node": WHY}
    assert found.runtimes == ["python", "executable"]


def test_a_worker_without_a_runtime_leaves_its_matches_in_the_queue(no_node: None) -> None:
    match = make_match([make_version(), make_script()])
    assert not play_queued_match(match_id=match.pk, worker="matches@here")
    match.refresh_from_db()
    assert (match.status, match.n_attempts) == (Match.Status.QUEUED, 0)
    assert claim_match(match_id=match.pk, worker="matches@there", runtimes=["python", "node"]) is not None


def test_a_worker_without_a_runtime_leaves_its_checks_in_the_queue(no_node: None) -> None:
    version = make_script(status=Version.Status.RECEIVED)
    assert not check_version(version_id=version.pk, worker="checks@here")
    version.refresh_from_db()
    assert (version.status, version.check_attempts) == (Version.Status.RECEIVED, 0)
    assert claim_check(version_id=version.pk, worker="checks@there", runtimes=["node"]) is not None


def test_what_no_worker_can_play_is_not_paired_and_makes_the_arena_unwell() -> None:
    ladder = make_ladder()
    versions = [make_version(), make_version(), make_script()]
    LadderEntry.objects.bulk_create(LadderEntry(ladder=ladder, bot=version.bot) for version in versions)
    report(CHECKS)
    report(MATCHES, lacks={"node": WHY})
    pulse.record_job(pulse.SWEEP)
    assert health.now().reasons == [f"1 bot does not play, for no worker has its runtime: {WHY}"]
    played = {seat.version_id for match in pair_ladder(ladder=ladder) for seat in match.participants.all()}
    assert played == {versions[0].pk, versions[1].pk}
    Pulse.objects.filter(name="matches@here").update(seen_at=timezone.now() - timedelta(hours=1))
    assert missing_runtimes() == {}


# --- From upload to verdict ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bot.js", lambda: hostile_source("javascript/plain")),
        ("bot", lambda: hostile("c/plain").files["main"]),
    ],
)
def test_a_bot_of_another_runtime_passes_its_check(page: Client, name, content) -> None:
    page.post("/submit/", {"name": "mybot", "file": SimpleUploadedFile(name, content())})
    version = Version.objects.get()
    assert check_version(version_id=version.pk, worker="checks@here")
    version.refresh_from_db()
    assert (version.status, version.rejection) == (Version.Status.READY, "")


def hostile_source(name: str) -> bytes:
    """A program of JavaScript with what it shares, as one file."""
    files = hostile(name).files
    shared = files["attacker.js"].replace(b"module.exports =", b"const shared =")
    return shared + files["main.js"].replace(b'require("./attacker.js")', b"shared")


def test_a_syntax_error_in_javascript_rejects_with_its_place(page: Client) -> None:
    page.post("/submit/", {"name": "mybot", "file": SimpleUploadedFile("bot.js", b"let a = 1;\nlet = ;")})
    version = Version.objects.get()
    assert check_version(version_id=version.pk, worker="checks@here")
    version.refresh_from_db()
    assert version.rejection == "Syntax error in a source file, line 2."
    assert "Syntax error in main.js, line 2: " in words(page.get("/bots/mybot/versions/1/").content.decode())


# --- Programs as sources ------------------------------------------------------------------------------------


def test_a_program_is_its_owners_alone_to_download_and_others_see_size_and_sum(
    page: Client, owner: User, client: Client
) -> None:
    bot = make_bot(owner, "mybot", is_source_public=True)
    version = make_version(bot, content=PROGRAM)
    Version.objects.filter(pk=version.pk).update(runtime="executable", filename="bot")
    address = "/bots/mybot/versions/1"
    download = page.get(f"{address}/download/")
    assert download.content == PROGRAM
    assert download.headers["Content-Disposition"] == 'attachment; filename="mybot-v1.elf"'
    assert client.get(f"{address}/download/").status_code == 403
    shown = words(client.get(f"{address}/source/").content.decode())
    assert f"SHA-256 {hashlib.sha256(PROGRAM).hexdigest()}" in shown
    assert "A program is for its owner alone to download." in shown
    assert "ELF" not in shown
    assert "Linux program (x86-64)" in words(client.get(f"{address}/").content.decode())
