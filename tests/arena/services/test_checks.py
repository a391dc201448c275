"""The check of a version, with real bots in the real sandbox."""

import io
import shlex
import zipfile

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from arena import checks, fitness
from arena.checks import check_version
from arena.fitness import Fitness
from arena.models import LadderEntry
from bots.models import Bot, CheckStage, Version
from bots.sandbox.faults import SandboxError
from bots.services import withdraw_bot
from bots.words import rejection, stage_detail
from tests.make import STEADY, make_bot, make_ladder, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]

CRASHES = STEADY.replace(
    b"return view.draw()", b"print('about to fall', file=__import__('sys').stderr); return 1 / 0"
)
LOOPS = STEADY.replace(b"return view.draw()", b"\n        while True: pass")
CHEATS = STEADY.replace(b"return view.draw()", b"return {'take': 'discard', 'cell': 12}")
NONSENSE = b"""
import sys
for line in sys.stdin:
    if '"hello"' in line:
        print('{"type":"ready"}', flush=True)
    if '"act"' in line:
        print("how do you do?", flush=True)
"""
NEVER_READY = b"while True: pass"
SAYS_HI = b'print("hi")\nimport sys\nfor line in sys.stdin: pass'
DIES_AT_ONCE = b"raise RuntimeError('not today')"


@pytest.fixture(autouse=True)
def fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The canary is tried elsewhere."""
    monkeypatch.setattr(fitness, "_fitness", Fitness(match_mib=4096, n_processes=1))


def check(content: bytes, filename: str = "bot.py") -> Version:
    version = make_version(content=content, status=Version.Status.RECEIVED)
    Version.objects.filter(pk=version.pk).update(filename=filename)
    assert check_version(version_id=version.pk, worker="checks@test")
    return Version.objects.select_related("bot").get(pk=version.pk)


def stages(version: Version) -> dict[str, str]:
    return dict(version.stages.values_list("name", "status"))


def zipped(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.py"), content)
    return file.getvalue()


def test_a_good_bot_is_ready_in_play_and_on_every_ladder() -> None:
    make_ladder("duel")
    make_ladder("table", seats=4)
    version = check(STEADY)
    assert (version.status, version.rejection) == (Version.Status.READY, "")
    assert set(stages(version).values()) == {CheckStage.Status.PASSED}
    assert "of 2 games won against greedy; points: " in stage_detail(version.stages.get(name="qualification"))
    assert stage_detail(version.stages.get(name="package")) == "1 file"
    assert version.bot.current_version == version
    assert set(LadderEntry.objects.playing().values_list("ladder__slug", flat=True)) == {"duel", "table"}


def test_a_zip_with_modules_of_its_own_is_ready() -> None:
    main = STEADY.replace(b"return view.draw()", b"import helper; return helper.answer(view)")
    version = check(zipped(main=main, helper=b"def answer(view):\n    return view.draw()\n"), "bot.zip")
    assert version.status == Version.Status.READY, version.rejection


@pytest.mark.parametrize(
    ("content", "stage", "kind", "words"),
    [
        (CRASHES, "qualification", "crash", ["exit", "Round 1", "phase draw"]),
        (LOOPS, "qualification", "timeout", ["CPU", "Round 1"]),
        (CHEATS, "qualification", None, []),
        (NONSENSE, "qualification", "protocol", ["JSON"]),
        (NEVER_READY, "start", "start", []),
        (DIES_AT_ONCE, "start", "start", []),
        (SAYS_HI, "start", "protocol", []),
    ],
    ids=["crashes", "loops", "cheats", "nonsense", "never ready", "dies at once", "says hi"],
)
def test_a_bot_that_fails_is_rejected_at_its_stage_with_its_own_sentence(
    content: bytes, stage: str, kind: str | None, words: list[str]
) -> None:
    version = check(content)
    assert version.status == Version.Status.REJECTED
    order = ["package", "start", "qualification"]
    at = order.index(stage)
    assert stages(version) == {
        name: "passed" if index < at else "failed" if index == at else "waiting"
        for index, name in enumerate(order)
    }
    assert version.rejection
    assert all(word in version.rejection for word in words), version.rejection
    assert ("Round" in version.rejection) is (stage == "qualification")
    assert rejection(version, is_private=False) == version.rejection
    report = version.report
    assert (report["stage"], report["sentence"]) == (stage, version.rejection)
    assert kind in (None, report["fault"]["kind"])
    assert version.bot.current_version is None


def test_the_sentences_of_different_failures_differ() -> None:
    sentences = {check(content).rejection for content in (CRASHES, LOOPS, NONSENSE, DIES_AT_ONCE)}
    assert len(sentences) == 4


def test_the_report_shows_the_exchange_that_failed_and_the_end_of_standard_error() -> None:
    report = check(CRASHES).report
    assert report["exchange"][-1]["to"].startswith('{"type":"act"')
    assert report["exchange"][-1]["from"] is None
    assert "about to fall" in report["stderr"]
    assert "ZeroDivisionError" in report["stderr"]
    nonsense = check(NONSENSE).report
    assert "how do you do?" in str(nonsense["exchange"][-1]["from"])


def test_the_command_of_the_report_checks_the_same_file_at_home() -> None:
    version = check(CRASHES)
    assert shlex.split(version.report["command"]) == ["python3", "skyjo.pyz", "check", version.filename]


@pytest.mark.parametrize(
    ("content", "filename", "words"),
    [
        (b"def (:\n", "bot.py", "line 1"),
        (zipped(other=STEADY), "bot.zip", "main.py"),
        (zipped(main=STEADY)[:100], "bot.zip", "zip"),
    ],
    ids=["syntax error", "no main.py", "torn zip"],
)
def test_a_broken_package_is_rejected_at_its_stage_in_its_own_words(
    content: bytes, filename: str, words: str
) -> None:
    version = check(content, filename)
    assert version.status == Version.Status.REJECTED
    assert words in version.rejection
    assert stages(version) == {"package": "failed", "start": "waiting", "qualification": "waiting"}


def test_what_everybody_reads_of_a_rejection_quotes_nothing_of_the_source(client: Client) -> None:
    version = check(b"def f(my_secret):\n    global my_secret\n")
    page = reverse("version", args=[version.bot.name, version.number])
    addresses = [page, f"{page}stages/", reverse("api-version", args=[version.pk])]
    public = "Syntax error in a source file, line 2."
    for address in addresses:
        content = client.get(address).content.decode()
        assert "my_secret" not in content, address
        assert public in content, address
    client.force_login(version.bot.owner)
    for address in addresses:
        assert "my_secret" in client.get(address).content.decode(), address


def test_what_an_author_calls_a_file_is_not_for_everybody(client: Client) -> None:
    content = zipped(main=STEADY) + b"torn"
    version = make_version(content=content)
    Version.objects.filter(pk=version.pk).update(filename="my_secret.zip")
    address = reverse("version", args=[version.bot.name, version.number])
    assert "my_secret" not in client.get(address).content.decode()
    client.force_login(version.bot.owner)
    assert "my_secret.zip" in client.get(address).content.decode()


def test_the_sentences_of_a_check_are_in_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    broken, crashed = check(b"def (:\n"), check(CRASHES)
    monkeypatch.setattr("bots.words._", lambda text: f"In Latin: {text}")
    assert rejection(broken, is_private=False) == "In Latin: Syntax error in a source file, line 1."
    assert rejection(broken, is_private=True).startswith("In Latin: Syntax error in main.py, line 1: ")
    assert rejection(crashed, is_private=False).startswith("In Latin: Round 1, ")


class NoSandbox:
    """A launcher whose host has no room for a process."""

    python = "3.11"

    def start(self, program: object, limits: object) -> object:
        raise SandboxError("There is no process left.")


def test_trouble_of_ours_rejects_nothing_and_is_tried_again() -> None:
    version = make_version(content=STEADY, status=Version.Status.RECEIVED)
    assert not check_version(version_id=version.pk, worker="checks@test", launcher=NoSandbox())  # type: ignore[arg-type]
    version.refresh_from_db()
    assert (version.status, version.rejection, version.report) == (Version.Status.RECEIVED, "", {})
    assert version.check_lease_until is not None
    assert version.check_trouble == "SandboxError: There is no process left."
    Version.objects.update(check_lease_until=None)
    assert check_version(version_id=version.pk, worker="checks@test")
    version.refresh_from_db()
    assert version.status == Version.Status.READY


def test_a_bug_of_ours_is_no_endless_loop(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    def broken(*args: object) -> bool:
        raise ZeroDivisionError("a bug")

    settings.MAX_ATTEMPTS = 2
    monkeypatch.setattr(checks, "judge", broken)
    version = make_version(status=Version.Status.RECEIVED)
    for _ in range(3):
        Version.objects.update(check_lease_until=None)
        assert not check_version(version_id=version.pk, worker="checks@test")
    version.refresh_from_db()
    assert (version.status, version.check_attempts) == (Version.Status.PARKED, 2)
    assert "ZeroDivisionError: a bug" in version.check_trouble


def test_an_unfit_worker_leaves_the_check_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitness, "_fitness", Fitness(match_mib=4096, n_processes=1, problems=("leaks",)))
    version = make_version(status=Version.Status.RECEIVED)
    assert not check_version(version_id=version.pk, worker="checks@test")
    version.refresh_from_db()
    assert (version.status, version.check_attempts) == (Version.Status.RECEIVED, 0)


def test_a_repeated_bell_changes_nothing() -> None:
    version = check(STEADY)
    assert not check_version(version_id=version.pk, worker="checks@test")
    assert not check_version(version_id=987654, worker="checks@test")
    assert Version.objects.get(pk=version.pk).checked_at == version.checked_at


def test_a_bot_that_was_withdrawn_while_its_version_was_checked_does_not_play() -> None:
    make_ladder()
    bot = make_bot()
    version = make_version(bot, content=STEADY, status=Version.Status.RECEIVED)
    withdraw_bot(bot=bot)
    assert check_version(version_id=version.pk, worker="checks@test")
    assert Bot.objects.get(pk=bot.pk).current_version is None
    assert not LadderEntry.objects.playing().exists()
