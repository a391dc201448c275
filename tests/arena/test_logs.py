"""What log lines carry, and what they never do."""

from __future__ import annotations

import inspect
import io
import json
import logging
import logging.config
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from arena import logs, tasks
from arena.fitness import Fitness
from arena.middleware import RequestIds
from arena.services import play_queued_match
from arena.workers import ROWS, forget_the_task, name_the_task
from matches.referee import InfrastructureFault
from tests.make import make_match

CHECKOUT = Path(__file__).resolve().parents[2]
SECRET = "s3cr3t-of-somebody"


class Lines(io.StringIO):
    def read_objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.getvalue().splitlines()]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """What is logged meanwhile, as JSON, through the filters of the site's own log."""
    written = Lines()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logs.Json())
    configured = logging.config.DictConfigurator(settings.LOGGING)
    for name in settings.LOGGING["handlers"]["console"]["filters"]:
        handler.addFilter(configured.configure_filter(dict(settings.LOGGING["filters"][name])))
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def formatted(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    logs.AddIds().filter(record)
    return formatter.format(record)


def record(message: str = "it %s", *args: object, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("arena.test", logging.WARNING, "file", 1, message, args, None)
    made.__dict__.update(extra)
    return made


def test_a_json_line_has_time_level_logger_message_and_what_it_is_about() -> None:
    with logs.about(match=5), logs.about(versions=[1, 2]):
        line = json.loads(formatted(logs.Json(), record("it %s", "works")))
    assert line["time"].endswith("+00:00")
    assert (line["level"], line["logger"], line["message"]) == ("WARNING", "arena.test", "it works")
    assert (line["match"], line["versions"]) == (5, [1, 2])
    assert "match" not in json.loads(formatted(logs.Json(), record("it ends")))


def test_a_plain_line_ends_with_what_it_is_about() -> None:
    with logs.about(match=5, versions=[1, 2]):
        line = formatted(logs.Plain(), record("it %s", "works"))
    assert line.endswith(" WARNING arena.test: it works [match=5 versions=1,2]")
    assert formatted(logs.Plain(), record("it ends")).endswith("arena.test: it ends")


def test_a_traceback_stays_in_its_line() -> None:
    try:
        raise ValueError("broken\nin two")
    except ValueError:
        made = record("it broke", exc_info=sys.exc_info())
    (line,) = formatted(logs.Json(), made).splitlines()
    assert "ValueError: broken\nin two" in json.loads(line)["exception"]


def test_what_else_hangs_on_a_record_is_not_written() -> None:
    request = RequestFactory().get(f"/?token={SECRET}", headers={"Authorization": f"Token {SECRET}"})
    for formatter in (logs.Json(), logs.Plain()):
        assert SECRET not in formatted(formatter, record("it ends", request=request, data={"key": SECRET}))


@pytest.mark.django_db
@pytest.mark.database
def test_every_line_about_a_match_carries_its_id_and_its_versions(
    lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*args: object, **kwargs: object) -> None:
        raise InfrastructureFault("lag", "the host was slow")

    match = make_match()
    versions = list(match.participants.order_by("number").values_list("version", flat=True))
    monkeypatch.setattr("matches.playing.play_match", breaks)
    monkeypatch.setattr("arena.fitness.own", lambda: Fitness(match_mib=10_000, n_processes=1))
    assert not play_queued_match(match_id=match.pk, worker="matches@here")
    told = lines.read_objects()
    assert [line["message"] for line in told if line["logger"] == "matches.playing"] == [
        f"match {match.pk}: infrastructure fault, lag: the host was slow"
    ]
    assert {(line["match"], tuple(line["versions"])) for line in told} == {(match.pk, tuple(versions))}


def test_a_task_is_named_until_it_ends_and_its_argument_by_what_it_is(lines: Lines) -> None:
    class Task:
        name = "arena.tasks.check_version"

    name_the_task(sender=Task, task_id="abc", args=[7])
    logging.getLogger("celery").warning("within")
    forget_the_task()
    logging.getLogger("celery").warning("after")
    within, after = lines.read_objects()
    assert (within["task"], within["version"]) == ("check_version[abc]", 7)
    assert "task" not in after
    assert "version" not in after


def test_of_every_task_with_an_argument_it_is_known_what_that_is() -> None:
    ours = {name: task for name, task in tasks.app.tasks.items() if name.startswith("arena.")}
    with_argument = {name for name, task in ours.items() if inspect.signature(task.run).parameters}
    assert set(ROWS) == with_argument


@pytest.mark.django_db
@pytest.mark.database
def test_every_answer_names_the_id_that_its_lines_carry(client: Client, lines: Lines) -> None:
    first, second = client.get("/rules/"), client.get("/nowhere/?key=value")
    assert first.headers["X-Request-ID"] != second.headers["X-Request-ID"]
    told = [line for line in lines.read_objects() if "request" in line]
    # Django logs what it could not find when the middleware has done.
    assert {line["logger"] for line in told} == {"arena.requests", "django.request"}
    assert {line["request"] for line in told} == {
        first.headers["X-Request-ID"],
        second.headers["X-Request-ID"],
    }
    assert "value" not in lines.getvalue()


@pytest.mark.parametrize(
    ("address", "form"),
    [("/matches/?seats=99", None), ("/submit/", dict.fromkeys(map(str, range(2_000)), "x"))],
)
def test_a_visitors_fault_is_one_warning_without_a_traceback(
    address: str, form: dict[str, str] | None, client: Client, lines: Lines, db: None
) -> None:
    assert (client.get(address) if form is None else client.post(address, form)).status_code == 400
    (told,) = [line for line in lines.read_objects() if line["logger"].startswith("django.")]
    assert told["level"] == "WARNING"
    assert "exception" not in told


def answered(request: HttpRequest) -> str:
    return RequestIds(lambda _request: HttpResponse())(request).headers["X-Request-ID"]


@pytest.mark.parametrize("sent", ["short", "x" * 65, "a b c d e f", "käse-käse", 'evil"}\n{"level"'])
def test_a_proxys_id_is_kept_and_what_is_none_is_not(sent: str, settings: Settings) -> None:
    settings.PROXY_COUNT = 1
    good = RequestFactory().get("/", headers={"X-Request-ID": "0123abcd-proxy"})
    assert answered(good) == "0123abcd-proxy"
    odd = RequestFactory().get("/", headers={"X-Request-ID": sent})
    assert answered(odd) != sent
    settings.PROXY_COUNT = 0
    assert answered(good) != "0123abcd-proxy"


def test_no_line_about_a_request_tells_a_query_a_header_or_the_key_of_a_forgotten_password(
    client: Client, lines: Lines, db: None
) -> None:
    client.get(f"/accounts/password/reset/key/1-{SECRET}/")
    client.get(f"/matches/?token={SECRET}", headers={"Authorization": f"Token {SECRET}"})
    client.post("/accounts/login/", {"login": "somebody", "password": SECRET})
    client.cookies["sessionid"] = SECRET
    client.get("/account/")
    told = [line["message"] for line in lines.read_objects() if line["logger"] == "arena.requests"]
    assert len(told) == 4
    assert SECRET not in lines.getvalue()


def test_an_address_cannot_break_a_plain_line(client: Client, lines: Lines, db: None) -> None:
    client.get("/x%0A2026-01-01 INFO all is well/")
    (line,) = [line for line in lines.read_objects() if line["logger"] == "arena.requests"]
    assert "\n" not in line["message"]


def test_a_format_that_is_none_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=CHECKOUT,
        env={"DATA_DIR": str(tmp_path), "LOG_FORMAT": "xml", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "LOG_FORMAT is “xml”: give one of plain, json.\n"
