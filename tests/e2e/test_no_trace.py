"""Nothing that the arena is told in secret can be seen from beside it: `ps`, its log, its pages."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from tests.e2e.conftest import Stack
from tests.ops.processes import command_line, family, wait_for


def secrets_of(stack: Stack) -> set[str]:
    key = Path(stack.environ["DATA_DIR"], "secret-key").read_text().strip()
    passwords = {urlsplit(stack.environ[name]).password for name in ("DATABASE_URL", "REDIS_URL")}
    assert None not in passwords
    return {key, *filter(None, passwords)}


def test_no_process_page_or_log_shows_what_the_arena_was_told(stack: Stack) -> None:
    secrets = secrets_of(stack)
    seen: set[str] = set()

    def plays() -> bool:
        seen.update(command_line(pid) for pid, _ in family(stack.process.pid))
        return any("bwrap" in line for line in seen)

    wait_for(plays, "a bot in its sandbox", 180)
    assert any("gunicorn" in line for line in seen)
    assert any("celery" in line for line in seen)
    assert not [line for line in seen for secret in secrets if secret in line]
    for address in (
        "",
        "status/",
        "healthz",
        "readyz",
        "api/v1/matches/",
        "api/v1/ladders/",
        "accounts/login/",
    ):
        with urllib.request.urlopen(stack.url + address, timeout=30) as answer:
            text = f"{answer.headers}{answer.read().decode()}"
        assert not any(secret in text for secret in secrets), address
    assert not any(secret in stack.log.read_text() for secret in secrets)
