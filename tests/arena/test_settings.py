"""Settings that somebody got wrong are named in a sentence."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from arena.settings import env

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("text", ["abc", "-1", "1.5", "0", "٣", "9" * 5000])
def test_a_number_that_is_none_is_named(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCH_WORKERS", text)
    with pytest.raises(ImproperlyConfigured, match="MATCH_WORKERS"):
        env.whole("MATCH_WORKERS", 3, least=1)


@pytest.mark.parametrize(("text", "number"), [("7", 7), (" 12 ", 12), ("", 3)])
def test_a_number_is_read_and_what_is_empty_is_the_default(
    text: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCH_WORKERS", text)
    assert env.whole("MATCH_WORKERS", 3, least=1) == number


def test_commands_end_with_the_sentence_and_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "serve"],
        cwd=CHECKOUT,
        env={**os.environ, "DATA_DIR": str(tmp_path), "MATCH_WORKERS": "abc"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "MATCH_WORKERS is “abc”: give a whole number, at least 0.\n"


COOKIES = """
from django.test import Client
from arena import settings
settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
import django; django.setup()
plain = Client().get("/accounts/login/")
print(plain.status_code, plain.headers["Location"])
secure = Client().get("/accounts/login/", headers={"x-forwarded-proto": "https"})
cookies = secure.cookies.values()
print(secure.status_code, secure.headers["Strict-Transport-Security"], bool(cookies))
print(all(cookie["secure"] for cookie in cookies), settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE)
"""


def test_under_https_cookies_go_over_nothing_else(tmp_path: Path) -> None:
    environ = {"DATA_DIR": str(tmp_path), "HTTPS": "1", "PROXY_COUNT": "1", "ALLOWED_HOSTS": "testserver"}
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    done = subprocess.run(
        [sys.executable, "-c", COOKIES],
        cwd=CHECKOUT,
        env=kept | environ | {"DJANGO_SETTINGS_MODULE": "arena.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == [
        "301 https://testserver/accounts/login/",
        "200 max-age=31536000; includeSubDomains; preload True",
        "True True True",
    ], done.stderr


BELLS = """
from arena import settings
settings.CELERY_BROKER_TRANSPORT_OPTIONS["socket_timeout"] /= 100
import django; django.setup()
from arena import bells
bells.send("arena.tasks.sweep")
print(bells.n_waiting("matches"))
"""


def test_a_redis_that_is_there_and_says_nothing_holds_up_nobody_for_ever(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        redis_url = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        done = subprocess.run(
            [sys.executable, "-c", BELLS],
            cwd=CHECKOUT,
            env=os.environ
            | {"DATA_DIR": str(tmp_path), "REDIS_URL": redis_url, "DJANGO_SETTINGS_MODULE": "arena.settings"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.stdout == "None\n", done.stderr
    assert "The bell arena.tasks.sweep() was not rung" in done.stderr
    assert "The queue matches could not be read" in done.stderr


THRESHOLD = (
    "from arena.settings import DATABASES; print(DATABASES['default']['OPTIONS']['prepare_threshold'])"
)


@pytest.mark.parametrize(("said", "threshold"), [({}, "1"), ({"PREPARED_STATEMENTS": "no"}, "None")])
def test_behind_a_pooler_nothing_is_prepared(tmp_path: Path, said: dict[str, str], threshold: str) -> None:
    database = {"DATABASE_URL": "postgres://arena@127.0.0.1:1/arena", "DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", THRESHOLD],
        cwd=CHECKOUT,
        env=os.environ | database | said,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == threshold, done.stderr
