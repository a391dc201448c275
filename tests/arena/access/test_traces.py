"""What a bot writes, and what the arena is told in secret, leaves no trace in logs, command lines or sandboxes."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.test import Client

from arena import fitness
from arena.checks import check_version
from arena.fitness import Fitness
from arena.serving.supervisor import descendants
from bots.house import house_source
from bots.models import Version
from bots.sandbox.launcher import SandboxLauncher
from matches.models import Attempt, GameSeat
from matches.playing import play
from matches.replay import decode_private
from tests.make import make_bot, make_claim, make_match, make_version
from tests.ops.processes import command_line
from tests.people import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.database]

SOURCE, STDERR, NOTE, LINE = (f"canary-{name}-7c1f" for name in ("source", "stderr", "note", "line"))
WRITTEN = (SOURCE, STDERR, NOTE, LINE)
TOLD = {
    "SECRET_KEY": "canary-key-7c1f",
    "DATABASE_URL": "postgres://arena:canary-password-7c1f@127.0.0.1/arena",
    "REDIS_URL": "redis://:canary-redis-7c1f@127.0.0.1/0",
    "EMAIL_URL": "smtp://arena:canary-mail-7c1f@127.0.0.1",
    "METRICS_TOKEN": "canary-metrics-7c1f",
}

# It tells all that it can find, plays half a game, and then answers nonsense.
TALKER = f"""
import os, sys
from skyjo import Bot, run

# {SOURCE}
def told():
    yield "ENVIRONMENT " + repr(dict(os.environ))
    for path in ("/proc/self/environ", "/proc/self/cmdline", "/proc/1/environ", "/proc/1/cmdline"):
        try:
            yield open(path, errors="replace").read()
        except OSError:
            pass

class Talker(Bot):
    n = 0

    def reveal(self, view):
        print("{STDERR}", *told(), sep="\\n", file=sys.stderr, flush=True)
        return 0, 1

    def draw(self, view):
        view.note("{NOTE}")
        self.n += 1
        return view.draw() if self.n < 4 else {{"take": "{LINE}"}}

    def place(self, view, card):
        return view.flip(view.hidden()[0])

run(Talker())
""".encode()


@contextmanager
def watched() -> Iterator[set[str]]:
    """Collects the command lines of everything that is started within the block, as `ps` would show them."""
    seen: set[str] = set()
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.is_set():
            seen.update(command_line(pid) for pid in descendants(os.getpid()))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        is_over.set()
        watcher.join()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> str:
    """The secrets that this process was started with."""
    for name, secret in TOLD.items():
        monkeypatch.setenv(name, secret)
    return "canary"


def written(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> str:
    """Everything in the logs, and whatever was printed beside them."""
    logged = "\n".join(f"{record.getMessage()} {vars(record)} {record.exc_text}" for record in caplog.records)
    return logged + "".join(capfd.readouterr())


def test_a_match_leaves_no_trace_of_what_a_bot_wrote_or_the_arena_was_told(
    told: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    talker, greedy = make_version(content=TALKER), make_version(content=house_source("greedy"))
    with watched() as commands:
        assert play(claim=make_claim(make_match([talker, greedy])), launcher=SandboxLauncher())
    assert any("bwrap" in command for command in commands)
    assert not any(told in command for command in commands)
    assert told not in written(caplog, capfd)
    assert not Attempt.objects.filter(detail__contains=told).exists()

    seat = GameSeat.objects.filter(version=talker).exclude(fault="").first()
    assert seat is not None
    (private,) = decode_private(bytes(seat.private))
    assert "ENVIRONMENT" in private.stderr
    kept = f"{private}"
    assert all(text in kept for text in (STDERR, NOTE, LINE))
    assert not any(secret in kept for secret in TOLD.values())
    assert told not in str(seat.fault_detail)
    others = GameSeat.objects.filter(version=greedy)
    assert not any(told in str(decode_private(bytes(one.private))) for one in others if one.private)


def test_a_check_leaves_no_trace_either(
    told: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    owner: User,
    client: Client,
) -> None:
    monkeypatch.setattr(fitness, "_fitness", Fitness(match_mib=4096, n_processes=1))
    caplog.set_level(logging.DEBUG)
    version = make_version(make_bot(owner, "talker"), TALKER, status=Version.Status.RECEIVED)
    with watched() as commands:
        assert check_version(version_id=version.pk, worker="checks@test")
    assert any("bwrap" in command for command in commands)
    assert not any(told in command for command in commands)
    version.refresh_from_db()
    assert version.status == Version.Status.REJECTED
    assert told not in version.rejection + version.check_trouble
    assert LINE in str(version.report)
    # Nor do the requests of a person who logs in with a password that is wrong, and looks at the page.
    client.post("/accounts/login/", {"login": "olivia", "password": f"{LINE} {PASSWORD}"})
    assert told not in client.get("/bots/talker/versions/1/").content.decode()
    assert told not in written(caplog, capfd)


@pytest.mark.parametrize("address", ["/matches/", "/api/v1/matches/"])
def test_the_log_of_an_error_of_ours_holds_nothing_of_the_request(
    address: str,
    owner: User,
    client: Client,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("arena.selectors.match_lists.match_page", broken)
    monkeypatch.setattr("arena.api.matches.MatchList.get_queryset", broken)
    client.force_login(owner)
    client.raise_request_exception = False
    header = {"authorization": "Bearer canary-token-7c1f", "referer": "https://x.example/canary-referer-7c1f"}
    assert client.get(address, {"status": ""}, headers=header).status_code == 500
    log = "\n".join(f"{record.getMessage()} {record.exc_text}" for record in caplog.records)
    assert "a bug" in log
    session = client.cookies["sessionid"].value
    assert not any(secret in log for secret in ("canary", session, owner.email))
