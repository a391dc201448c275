"""The whole real stack and a real browser, for the tests marked `e2e`.

`stack` runs `manage.py serve` against a database and a Redis database of its own, on the servers that `make test`
started; `page` is a page of Debian's Chromium. At the end no process of the stack may be left.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import redis
from playwright.sync_api import Browser, Page, expect, sync_playwright

from arena.serving.address import Address, probe
from scripts.servers import free_port
from tests.ops.processes import alive, command_line, end, family, wait_for

CHECKOUT = Path(__file__).resolve().parents[2]
CHROMIUM = "/usr/bin/chromium"
START_WITHIN_S = 180.0
# Of a host where all other tests run too.
STOP_WITHIN_S = 60.0
# Pages of a loaded host are slow.
expect.set_options(timeout=30_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of these are end-to-end tests, and each may take as long as matches take."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.timeout(600))
            if isinstance(item, pytest.Function) and "stack" in item.fixturenames:
                item.add_marker(pytest.mark.shared)


@dataclass
class Stack:
    """A running arena. `log` is where its processes write."""

    address: Address
    environ: dict[str, str]
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def url(self) -> str:
        """With a slash at its end."""
        return self.address.url

    @property
    def is_well(self) -> bool:
        return probe(self.address, "127.0.0.1").is_well

    def manage(self, *words: str, stdin: str = "") -> str:
        """What a management command of this arena prints; fails with what it says if it fails."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=CHECKOUT,
            env=self.environ,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"manage.py {' '.join(words)}:\n{done.stdout}{done.stderr}"
        return done.stdout

    def query(self, sql: str, *parameters: object) -> list[tuple[object, ...]]:
        """Rows of the stack's own database."""
        with psycopg.connect(self.environ["DATABASE_URL"], autocommit=True) as connection:
            return connection.execute(sql, parameters).fetchall()

    def pids(self, *words: str) -> list[int]:
        """The stack's processes whose command line holds all these words."""
        return [
            pid for pid, _ in family(self.process.pid) if all(word in command_line(pid) for word in words)
        ]


@contextmanager
def running_stack(folder: Path, **environ: str) -> Iterator[Stack]:
    """A stack of its own, with additional environment variables; ended, and seen to be gone, with the block."""
    with own_database() as database_url, own_redis() as redis_url:
        address = Address("127.0.0.1", free_port())
        settings = {
            **os.environ,
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "DATA_DIR": str(folder / "data"),
            "HOST": address.host,
            "PORT": str(address.port),
            **environ,
        }
        log = folder / "stack.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"],
                cwd=CHECKOUT,
                env=settings,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        stack = Stack(address, settings, process, log)
        seen = family(process.pid)
        try:
            wait_for(lambda: stack.is_well or process.poll() is not None, "the stack", START_WITHIN_S)
            assert process.poll() is None, log.read_text()
            yield stack
            seen = family(process.pid)
            process.terminate()
            assert process.wait(STOP_WITHIN_S) == 0, log.read_text()
            assert not alive(seen), "processes of the stack are left"
        finally:
            end(seen | family(process.pid))
            process.wait()


@contextmanager
def own_database() -> Iterator[str]:
    """A fresh database on the server of DATABASE_URL, dropped with the block."""
    server = os.environ.get("DATABASE_URL")
    assert server, "end-to-end tests want the servers that `make test` starts"
    name = f"e2e_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield re.sub(r"/[^/]*$", f"/{name}", server)
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def own_redis() -> Iterator[str]:
    """An empty database of the server of REDIS_URL: the first that holds nothing, emptied with the block."""
    server = os.environ.get("REDIS_URL")
    assert server, "end-to-end tests want the servers that `make test` starts"
    for number in range(1, 16):
        url = re.sub(r"/\d*$", f"/{number}", server)
        with redis.Redis.from_url(url) as client:
            if client.set("taken by an end-to-end test", "1", nx=True):
                break
    else:
        pytest.fail("every Redis database is taken")
    try:
        yield url
    finally:
        with redis.Redis.from_url(url) as client:
            client.flushdb()


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The stack that tests share: each of them makes users and bots with names of its own. One match at a time is
    enough for them, and leaves the cores to the tests that run beside."""
    with running_stack(tmp_path_factory.mktemp("stack"), MATCH_WORKERS="1") as running:
        yield running


@pytest.fixture(scope="module")
def closed_ladders(stack: Stack) -> Iterator[None]:
    """For tests that ask nothing of ladders, whose house bots would take the one worker and a core to play on."""
    closed = stack.query("UPDATE arena_ladder SET is_open = false WHERE is_open RETURNING id")
    yield
    stack.query(
        "UPDATE arena_ladder SET is_open = true WHERE id = ANY(%s) RETURNING id", [id for (id,) in closed]
    )


@pytest.fixture
def own_stack(tmp_path: Path) -> Iterator[Callable[..., Stack]]:
    """Starts a stack for one test that harms it: `own_stack(LEASE_S="5")`."""
    with ExitStack() as stacks:
        yield lambda **environ: stacks.enter_context(running_stack(tmp_path, **environ))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-background-networking", "--disable-dev-shm-usage"],
        )
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, stack: Stack) -> Iterator[Page]:
    """A page in a browser context of its own, on the shared stack: `page.goto("/")` opens its home page."""
    context = browser.new_context(
        base_url=stack.url, accept_downloads=True, viewport={"width": 1280, "height": 800}
    )
    page = context.new_page()
    yield page
    context.close()
