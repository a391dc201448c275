"""How long pages and lists of the API take beside `/healthz`, on a made-up arena of 10,000 bots and 100,000 matches.

One client asks the web server that `serve` starts, on PostgreSQL: each address in turn with `/healthz`, so that
whatever else the machine does weighs on both. Nothing else of the arena runs. Making the database takes minutes;
POPULATED_DATABASE_URL names one that `manage.py populate` has made, and keeps.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.serving.address import Address, listen
from arena.serving.programs import arena_programs
from scripts.servers import free_port, throwaway_servers
from tests.bench.service import CHECKOUT, new_database

PAGE_GOAL, LIST_GOAL = 6, 4
WARM_UP, TIMES = 12, int(os.environ.get("WEB_TIMES", "120"))
START_WITHIN_S = 60.0


def rows() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="skyjo-bench-") as folder, populated(folder) as environ:
        found = json.loads(managed(environ, "-m", "tests.bench.web_visits"))
        yield {
            "name": "statements that scan or count a long table",
            "value": len(found["problems"]),
            "unit": "statements",
            "goal": 0,
            "ok": not found["problems"],
        }
        for problem in found["problems"]:
            print(f"    {problem[:400]}")
        with web_server(environ) as address:
            yield from measured(address, found)


@contextmanager
def populated(folder: str) -> Iterator[dict[str, str]]:
    """The environment of an arena on a database of that size."""
    environ = {**os.environ, "DATA_DIR": folder}
    environ.pop("REDIS_URL", None)
    if url := os.environ.get("POPULATED_DATABASE_URL"):
        environ["DATABASE_URL"] = url
        managed(environ, "manage.py", "collectstatic", "--no-input", "-v0")
        yield environ
        return
    with throwaway_servers() as servers, new_database(servers) as url:
        environ["DATABASE_URL"] = url
        for step in (["migrate", "-v0"], ["createcachetable"], ["collectstatic", "--no-input", "-v0"]):
            managed(environ, "manage.py", *step)
        began = time.monotonic()
        managed(environ, "manage.py", "populate")
        print(f"  populated in {time.monotonic() - began:.0f} s", flush=True)
        yield environ


def managed(environ: Mapping[str, str], *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=CHECKOUT, env=environ, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


@contextmanager
def web_server(environ: Mapping[str, str]) -> Iterator[Address]:
    """The one that `serve` starts, alone."""
    address = Address("127.0.0.1", free_port())
    with listen(address) as listener:
        program = arena_programs(
            base_dir=CHECKOUT,
            data_dir=Path(environ["DATA_DIR"]),
            environ=environ,
            listener=listener.fileno(),
            match_workers=1,
        )[0]
        process = subprocess.Popen(
            program.argv, env=dict(program.environ), cwd=program.cwd, pass_fds=tuple(program.pass_fds)
        )
        try:
            yield address
        finally:
            process.terminate()
            process.wait(20)


class Browser:
    """One client with one connection, as somebody or nobody."""

    def __init__(self, address: Address, cookie: str = "") -> None:
        self.address = address
        self.n_left = 0
        self.headers = {"Cookie": f"sessionid={cookie}"} if cookie else {}
        self.connection = http.client.HTTPConnection(address.host, address.port, timeout=START_WITHIN_S)

    def get(self, path: str) -> tuple[float, int]:
        """Seconds until the whole answer was there, and its status."""
        began = time.perf_counter()
        try:
            self.connection.request("GET", path, headers=self.headers)
            response = self.connection.getresponse()
            response.read()
        except (http.client.RemoteDisconnected, ConnectionError):
            # The server lets idle connections go, and all of a worker process that has answered its share.
            self.n_left += 1
            self.connection.close()
            return self.get(path)
        return time.perf_counter() - began, response.status


def measured(address: Address, found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    nobody, member = Browser(address), Browser(address, found["cookie"])
    for _ in range(100):
        nobody.get("/healthz")
    health: list[float] = []
    times: dict[tuple[str, str], list[float]] = {}
    for kind in ("pages", "members_pages", "lists", "members_lists", "long_lists"):
        browser = member if kind.startswith("members") else nobody
        for path in found[kind]:
            warm_up(browser, path)
            took = times[kind, path] = []
            while len(took) < TIMES:
                n_left = browser.n_left
                health_s, page_s = nobody.get("/healthz")[0], browser.get(path)[0]
                if browser.n_left > n_left:
                    # Another process answers now, which may be as cold as any at its start.
                    warm_up(browser, path)
                    continue
                health.append(health_s)
                took.append(page_s)
    yardstick = p95(health)
    yield {"name": "/healthz, p95", "value": 1000 * yardstick, "unit": "ms"}
    for (kind, path), took in times.items():
        if kind == "long_lists":
            yield {"name": path, "value": p95(took) / yardstick, "unit": "× /healthz"}
            continue
        goal = PAGE_GOAL if kind.endswith("pages") else LIST_GOAL
        ratio = p95(took) / yardstick
        yield {"name": path, "value": ratio, "unit": "× /healthz", "goal": goal, "ok": ratio <= goal}


def warm_up(browser: Browser, path: str) -> None:
    for _ in range(WARM_UP):
        status = browser.get(path)[1]
        if status != 200:
            raise RuntimeError(f"{path} answered {status}")


def p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]
