"""The whole service at work: rated matches and games a minute, first result, and database connections.

Each arena is `manage.py serve` with the house bots on fresh data, so everything competes for the cores as it does in
earnest. The bound is what the same matches take when a bare loop plays them, without sandbox, queue or database.
"""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import redis

from arena.serving.address import Address, probe
from arena.serving.supervisor import descendants
from bots.packages import read_package, to_program
from bots.sandbox.launcher import BareLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
from matches.engine.rules import rules_from
from matches.referee import MatchSpec, play_match
from scripts.servers import Servers, free_port, throwaway_servers

CHECKOUT = Path(__file__).resolve().parents[2]
WINDOW_S = 30.0
WARM_UP_MATCHES = 20
START_WITHIN_S = 120.0
SAMPLE = 16
Query = Callable[..., list[tuple[Any, ...]]]


def rows() -> Iterator[dict[str, Any]]:
    with throwaway_servers(durable=True) as servers:
        for database in ("SQLite", "PostgreSQL"):
            for n_workers in (1, 2):
                yield from measured(database, n_workers, servers)


def measured(database: str, n_workers: int, servers: Servers) -> Iterator[dict[str, Any]]:
    name = f"{database}, {n_workers} worker process{'es' if n_workers > 1 else ''}"
    with serving(database, n_workers, servers) as arena:
        first_s = arena.wait_for(arena.has_rating, "the first rating")
        arena.wait_for(lambda: arena.n_matches() >= WARM_UP_MATCHES, "some matches")
        started, n_matches, n_games = time.monotonic(), arena.n_matches(), arena.n_games()
        arena.work_for(WINDOW_S)
        minutes = (time.monotonic() - started) / 60
        matches = (arena.n_matches() - n_matches) / minutes
        games = (arena.n_games() - n_games) / minutes
        sample = arena.sample_of_matches(n_matches)
        connections, n_children = arena.n_connections(servers), len(arena.children)
    bound = 60 * min(n_workers, len(os.sched_getaffinity(0))) / bare_match_s(sample)
    yield {
        "name": f"{name}: first rating after",
        "value": first_s,
        "unit": "s",
        "goal": 60,
        "ok": first_s <= 60,
    }
    yield {"name": f"{name}: rated matches", "value": matches, "unit": "a minute"}
    yield {"name": f"{name}: games", "value": games, "unit": "a minute"}
    yield {"name": f"{name}: bare matches, all processes", "value": bound, "unit": "a minute"}
    share = matches / bound
    yield {
        "name": f"{name}: rated over bare",
        "value": share,
        "unit": "ratio",
        "goal": 0.5,
        "ok": share >= 0.5,
    }
    if connections is not None:
        per_child = connections / n_children
        yield {
            "name": f"{name}: connections a worker child ({connections}/{n_children})",
            "value": per_child,
            "unit": "ratio",
            "goal": 2,
            "ok": per_child <= 2,
        }


def bare_match_s(matches: Sequence[tuple[MatchSpec, list[Program], list[str]]]) -> float:
    """Seconds that one of these matches takes on average in a bare loop, on one core as a worker's process."""
    launcher = BareLauncher()
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        started = time.perf_counter()
        for spec, programs, sha256s in matches:
            play_match(spec, programs, launcher, sha256s=sha256s)
        return (time.perf_counter() - started) / len(matches)
    finally:
        os.sched_setaffinity(0, cores)


@dataclass
class Arena:
    """A running arena and its database. `children` are the worker children of the queue `matches` seen so far."""

    process: subprocess.Popen[bytes]
    address: Address
    query: Query
    started: float
    log: Path
    is_postgres: bool
    children: set[tuple[int, str]] = field(default_factory=set)
    seen_before: set[tuple[int, str]] = field(default_factory=set)

    def wait_for(self, condition: Callable[[], bool], what: str) -> float:
        """Seconds from the start of the arena until the condition held."""
        while not condition():
            if self.process.poll() is not None or time.monotonic() - self.started > START_WITHIN_S:
                raise RuntimeError(f"waited in vain for {what}:\n{self.log.read_text()}")
            self.note_children()
            time.sleep(0.1)
        return time.monotonic() - self.started

    def work_for(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.note_children()
            time.sleep(0.1)

    def note_children(self) -> None:
        """A worker's children are forks of its main process, which is ours. A fork on its way to become a bot is
        seen only once."""
        mains, forks = set(), []
        for pid in descendants(self.process.pid):
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes()
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if b"matches@" in words:
                forks.append((int(fields[1]), (pid, fields[19])))
                if int(fields[1]) == self.process.pid:
                    mains.add(pid)
        now = {fork for parent, fork in forks if parent in mains}
        self.children |= now & self.seen_before
        self.seen_before = now

    def has_rating(self) -> bool:
        try:
            return bool(self.query("SELECT 1 FROM arena_rating LIMIT 1"))
        except (sqlite3.Error, psycopg.Error):  # not there yet
            return False

    def n_matches(self) -> int:
        """Matches that have their result and count on a ladder."""
        return int(
            self.query(
                "SELECT count(*) FROM matches_result r JOIN arena_laddermatch l ON l.match_id = r.match_id"
            )[0][0]
        )

    def n_games(self) -> int:
        return int(self.query("SELECT count(*) FROM matches_game")[0][0])

    def n_connections(self, servers: Servers) -> int | None:
        """Connections that processes of the matches worker have opened; SQLite has none to count."""
        if not self.is_postgres:
            return None
        log = servers.postgres.log.read_text(errors="replace")
        database = self.query("SELECT current_database()")[0][0]
        return len(
            re.findall(rf"authorized: user=\w+ database={database} application_name=the matches worker", log)
        )

    def sample_of_matches(self, n_before: int) -> list[tuple[MatchSpec, list[Program], list[str]]]:
        """Some of the matches of the window, whose number in the order of results is above `n_before`."""
        found = self.query(
            "SELECT m.id, m.preset, m.seats, m.deals, m.seed, m.start_ms, m.decision_ms, m.bank_ms, m.memory_mib"
            " FROM matches_match m JOIN matches_result r ON r.match_id = m.id ORDER BY r.created_at"
        )[n_before:]
        sample = []
        for number, preset, seats, deals, seed, *limits in random.sample(found, min(SAMPLE, len(found))):
            packages = self.query(
                "SELECT v.filename, k.content, k.sha256 FROM matches_participant p"
                " JOIN bots_version v ON v.id = p.version_id"
                f" JOIN bots_package k ON k.sha256 = v.package_id WHERE p.match_id = {int(number)} ORDER BY p.number"
            )
            programs = [
                to_program(read_package(filename, bytes(content))) for filename, content, _ in packages
            ]
            spec = MatchSpec(bytes(seed), rules_from(preset), seats, deals, Limits(*limits))
            sample.append((spec, programs, [sha256 for *_, sha256 in packages]))
        return sample


@contextmanager
def serving(database: str, n_workers: int, servers: Servers) -> Iterator[Arena]:
    is_postgres = database == "PostgreSQL"
    with tempfile.TemporaryDirectory(prefix="skyjo-bench-") as name, new_database(servers) as database_url:
        folder = Path(name)
        address = Address("127.0.0.1", free_port())
        environ = {
            key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "REDIS_URL"}
        }
        environ |= {
            "DATA_DIR": str(folder / "data"),
            "PORT": str(address.port),
            "MATCH_WORKERS": str(n_workers),
            "MAX_TASKS_PER_CHILD": "50",  # so that some children are recycled while we look
        }
        if is_postgres:
            environ |= {"DATABASE_URL": database_url, "REDIS_URL": servers.redis_url}
        log = folder / "serve.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"],
                cwd=CHECKOUT,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        started = time.monotonic()
        query = ask_postgres(database_url) if is_postgres else ask_sqlite(folder / "data" / "arena.sqlite3")
        arena = Arena(process, address, query, started, log, is_postgres)
        try:
            arena.wait_for(lambda: probe(address, "localhost").is_well, "the site")
            yield arena
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(15)


def ask_sqlite(path: Path) -> Query:
    def query(sql: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    return query


def ask_postgres(url: str) -> Query:
    def query(sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(url) as connection:
            return connection.execute(sql).fetchall()

    return query


@contextmanager
def new_database(servers: Servers) -> Iterator[str]:
    """A fresh PostgreSQL database, with Redis emptied beside it."""
    name = f"bench_{os.urandom(6).hex()}"
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with redis.Redis.from_url(servers.redis_url) as client:
        client.flushdb()
    try:
        yield servers.database_url.rpartition("/")[0] + f"/{name}"
    finally:
        with psycopg.connect(servers.database_url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
