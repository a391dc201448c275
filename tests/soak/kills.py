"""Anything may die: `python -m tests.soak.kills [--matches N] [--seed N] [--database postgresql|sqlite]`.

Plays rated matches with three workers while their processes and servers are killed at random moments, all drawn from
the seed that is printed. On PostgreSQL and Redis the arena is deployed by hand, each worker a host of its own; on
SQLite it is `manage.py serve`. At the end every match has its one result, dealt from the seed that was committed to;
the ratings are those of a serial fit; no sandbox is left; and somebody who asked for pages all the time was never
left without an answer. Then all are told to stop in the middle of further matches, which must go back to the queue.
Prints what was killed and what it cost, and exits with status 1 and a sentence for each promise that was broken.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import django
import redis
from django.db import DatabaseError, InterfaceError, connection

from arena.serving.address import Address, probe
from arena.serving.supervisor import PR_SET_CHILD_SUBREAPER, descendants
from scripts.servers import Servers, free_port, throwaway_servers
from scripts.test import on_signal
from tests.ops.processes import alive, command_line, family, identity
from tests.soak.prober import Prober, Window
from tests.soak.stack import Stack, deployed, embedded, parent, strike

N_WORKERS = 3
LEASE_S = 10
START_WITHIN_S = 180.0
# From the last kill until everything is played and rated. A lease and the longest pause of `serve` are within it.
DRAIN_WITHIN_S = 300.0
# How often what has just been killed is struck again while it recovers, and how long it has else.
RUTHLESS = 0.2
PATIENCE_S = 60.0
# What came back needs a moment until everybody has noticed.
NOTICE_S = 3.0
UNSET = (
    "DATABASE_URL",
    "REDIS_URL",
    "DEBUG",
    "HTTPS",
    "ALLOWED_HOSTS",
    "SECRET_KEY",
    "HOST",
    "PORT",
    "EMBEDDED",
)


class Broken(Exception):
    """A promise was broken so badly that there is no point in going on."""


@dataclass
class Run:
    stack: Stack
    rng: random.Random
    servers: Servers | None
    data_dir: Path
    prober: Prober
    only: Sequence[str] = ()
    is_once: bool = False
    began: float = field(default_factory=time.monotonic)
    kills: Counter[str] = field(default_factory=Counter)
    database_away: list[Window] = field(default_factory=list)
    site_away: list[Window] = field(default_factory=list)
    promised: dict[int, str] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    order: list[str] | None = None
    spared_until: float = 0.0
    waiting_until: float = 0.0

    # --- Ways to die -----------------------------------------------------------------------------------------

    def weapons(self) -> dict[str, tuple[int, Callable[[], bool]]]:
        """What may be killed: how often, in shares, and how; False where nobody was there."""
        ways: dict[str, tuple[int, Callable[[], bool]]] = {
            "worker child": (5, self.kill_child),
            "worker": (3, lambda: self.kill("celery", "matches@")),
            "worker, by SIGTERM": (2, self.stop_worker),
            "beat": (1, lambda: self.kill("celery", " beat ")),
            "housekeeping": (1, lambda: self.kill("celery", "housekeeping@")),
            "ratings": (1, lambda: self.kill("celery", "ratings@")),
        }
        if self.servers is None:
            ways |= {"bells": (2, self.flush_bells), "the whole arena": (1, self.kill_arena)}
        else:
            ways |= {
                "Redis, restart": (2, self.restart_redis),
                "Redis, FLUSHALL": (2, self.flush_redis),
                "PostgreSQL, fast restart": (1, lambda: self.restart_postgres(signal.SIGINT)),
                "PostgreSQL, immediate restart": (1, lambda: self.restart_postgres(signal.SIGQUIT)),
            }
        return ways

    def kill_one(self) -> None:
        """Each kind once, in the order drawn, then whichever is drawn."""
        ways = self.weapons()
        if self.only:
            ways = {name: way for name, way in ways.items() if name in self.only}
        if self.order is None:
            self.order = self.rng.sample(sorted(ways), len(ways))
        if self.order:
            name = self.order[0]
        else:
            (name,) = self.rng.choices(list(ways), [share for share, _ in ways.values()])
        if ways[name][1]():
            self.order = self.order[1:]
            self.kills[name] += 1
            counts = ", ".join(f"{n} {status}" for status, n in sorted(self.statuses.items()))
            print(f"{time.monotonic() - self.began:6.1f} s  {name}; matches: {counts}", flush=True)

    def pick(self, pids: list[int]) -> int:
        return self.rng.choice(pids) if pids else 0

    def kill_child(self) -> bool:
        pid = self.pick(self.stack.children_of_workers())
        return pid != 0 and strike(pid, signal.SIGKILL)

    def kill(self, *words: str) -> bool:
        pid = self.pick(self.stack.main_of(*words))
        return pid != 0 and strike(pid, signal.SIGKILL)

    def stop_worker(self) -> bool:
        pid = self.pick(self.stack.main_of("celery", "matches@"))
        return pid != 0 and strike(pid, signal.SIGTERM)

    def flush_bells(self) -> bool:
        for bell in (self.data_dir / "broker" / "bells").iterdir():
            bell.unlink(missing_ok=True)
        return True

    def kill_arena(self) -> bool:
        (serve,) = self.stack.units
        if serve.process is None or serve.process.poll() is not None:
            return False
        began = time.monotonic()
        doomed = family(serve.process.pid)
        serve.process.kill()
        serve.process.wait()
        # The web server's children answer until they notice that they are alone.
        self.wait_for(lambda: not alive(doomed), "the dead arena's processes to be gone", START_WITHIN_S)
        self.wait_for(self.is_answering, "the arena after its death", START_WITHIN_S)
        self.site_away.append(Window(began, time.monotonic()))
        return True

    def restart_redis(self) -> bool:
        assert self.servers is not None
        self.servers.redis.stop(signal.SIGKILL)
        # How long it is away is drawn too: what waits for it meets it at different moments.
        time.sleep(self.rng.uniform(0, 2))
        self.servers.redis.start_again()
        return True

    def flush_redis(self) -> bool:
        assert self.servers is not None
        with redis.Redis.from_url(self.servers.redis_url) as client:
            client.flushall()
        return True

    def restart_postgres(self, number: signal.Signals) -> bool:
        assert self.servers is not None
        began = time.monotonic()
        self.servers.postgres.stop(number)
        # Drawn, as with Redis.
        time.sleep(self.rng.uniform(0, 2))
        self.servers.postgres.start_again()
        self.database_away.append(Window(began, time.monotonic() + NOTICE_S))
        return True

    # --- The course of things --------------------------------------------------------------------------------

    def is_answering(self) -> bool:
        reasons = probe(self.stack.address, "localhost").reasons
        return not any(reason.startswith("no answer") for reason in reasons)

    def wait_for(self, condition: Callable[[], object], what: str, within_s: float) -> None:
        deadline = time.monotonic() + within_s
        while not condition():
            if time.monotonic() > deadline:
                raise Broken(f"waited {within_s:.0f} s for {what}")
            self.stack.tend()
            time.sleep(0.05)

    def look(self) -> bool:
        """Note which matches there are; False while the database is away."""
        from tests.soak import ladder

        try:
            found = ladder.matches()
        except (DatabaseError, InterfaceError):
            connection.close()
            return False
        for number, _, promise in found:
            self.promised.setdefault(number, promise)
        self.statuses = Counter(status for _, status, _ in found)
        return True

    def play(self, n_matches: int, pause_s: float) -> None:
        """Kill until nearly all matches are finished, then let them be finished and rated."""
        from tests.soak import ladder

        self.wait_for(lambda: probe(self.stack.address, "localhost").is_well, "the arena", START_WITHIN_S)
        self.prober.start()
        is_open = True
        self.spare(pause_s)
        deadline = time.monotonic() + START_WITHIN_S + 10 * n_matches
        while self.order != [] or self.statuses["finished"] < n_matches - N_WORKERS:
            if time.monotonic() > deadline:
                raise Broken(
                    f"after {time.monotonic() - self.began:.0f} s the matches are {dict(self.statuses)}"
                )
            self.stack.tend()
            time.sleep(0.1)
            if self.look() and is_open and self.order == [] and self.statuses.total() >= n_matches:
                ladder.close()
                is_open = False
            if self.is_once and self.order == []:
                continue
            if time.monotonic() >= (self.spared_until if self.statuses["running"] else self.waiting_until):
                self.kill_one()
                self.spare(pause_s)
        self.wait_for(lambda: self.is_over(is_open), "the last matches", DRAIN_WITHIN_S)

    def spare(self, pause_s: float) -> None:
        """Choose the moment of the next kill: mostly when matches are played again, sometimes before."""
        self.spared_until = time.monotonic() + self.rng.expovariate(1 / pause_s)
        patience_s = 0.0 if self.rng.random() < RUTHLESS else PATIENCE_S
        self.waiting_until = self.spared_until + patience_s

    def is_over(self, is_open: bool) -> bool:
        from tests.soak import ladder

        try:
            if is_open:
                ladder.close()
            return self.look() and self.statuses.total() == self.statuses["finished"] and ladder.is_rated()
        except (DatabaseError, InterfaceError):
            connection.close()
            return False

    def stop_in_the_middle(self) -> list[str]:
        """SIGTERM to all while matches are played: they go back to the queue, and nothing counts against them."""
        from tests.soak import ladder

        slow = ladder.queue_slow_matches(N_WORKERS)
        try:
            self.wait_for(lambda: ladder.n_running(slow) == N_WORKERS, "slow matches", START_WITHIN_S)
        except Broken as broken:
            return [str(broken)]
        connection.close()
        if not self.stack.stop():
            return ["the arena did not end within its time"]
        return list(ladder.problems_of_stopped(slow))

    def problems(self) -> Iterator[str]:
        from tests.soak import ladder

        yield from ladder.problems(self.promised)
        yield from self.prober.problems(database_away=self.database_away, site_away=self.site_away)


def soak(database: str, n_matches: int, seed: int, pause_s: float, only: Sequence[str], is_once: bool) -> int:
    rng = random.Random(seed)
    print(f"{database}, {n_matches} matches, --seed {seed}", flush=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="skyjo-kills-")))
        servers = stack.enter_context(throwaway_servers(durable=True)) if database == "postgresql" else None
        address = Address("127.0.0.1", free_port())
        environ = environment(folder / "data", address, servers)
        os.environ.update(environ)
        for name in UNSET:
            if name not in environ:
                os.environ.pop(name, None)
        django.setup()
        from tests.soak import ladder

        ladder.prepare()
        units = deployed(address, N_WORKERS) if servers else embedded(N_WORKERS)
        arena = Stack(address, dict(os.environ), units, folder / "arena.log")
        stack.callback(arena.kill)
        run = Run(arena, rng, servers, folder / "data", Prober(address), only, is_once)
        found = []
        try:
            run.play(n_matches, pause_s)
            run.prober.end()
            found += run.problems()
            run.wait_for(lambda: not arena.sandboxes(), "the sandboxes of the dead to be gone", 30)
        except Broken as broken:
            found.append(str(broken))
            found += [f"sandbox left: {line_of(pid)}" for pid in arena.sandboxes()]
        found += run.stop_in_the_middle()
        servers_pids = {pid for pid in descendants(os.getpid()) if is_server(pid)}
        if left := [pid for pid in descendants(os.getpid()) if identity(pid) and pid not in servers_pids]:
            found.append(f"processes are left: {', '.join(line_of(pid) for pid in left)}")
        print(f"{time.monotonic() - run.began:.0f} s; {run.kills.total()} kills: {said(run.kills)}")
        print(ladder.attempts_by_outcome())
        print(run.prober.summary(site_away=run.site_away))
        connection.close()
        if found:
            kept = Path(tempfile.gettempdir(), f"skyjo-kills-{database}-{seed}.log")
            shutil.copy(arena.log, kept)
            print(*(f"BROKEN: {sentence}" for sentence in found), f"The arena's log: {kept}", sep="\n")
    return 1 if found else 0


def line_of(pid: int) -> str:
    """A process and those above it, in words."""
    words = []
    while pid > 1 and pid != os.getpid():
        words.append(f"{command_line(pid)[:120]} ({pid})")
        pid = parent(pid)
    return " < ".join(words)


def is_server(pid: int) -> bool:
    words = command_line(pid)
    return words.startswith("postgres") or "bin/postgres" in words or "redis-server" in words


def said(counts: Counter[str]) -> str:
    return ", ".join(f"{n} × {name}" for name, n in counts.most_common())


def environment(data_dir: Path, address: Address, servers: Servers | None) -> dict[str, str]:
    environ = {
        "DJANGO_SETTINGS_MODULE": "arena.settings",
        "DATA_DIR": str(data_dir),
        "HOST": address.host,
        "PORT": str(address.port),
        "LEASE_S": str(LEASE_S),
        # Whoever is killed so often is no poison.
        "MAX_ATTEMPTS": "50",
        # So that children are also recycled while others die.
        "MAX_TASKS_PER_CHILD": "20",
        "LOG_LEVEL": "WARNING",
    }
    if servers is not None:
        # Each worker is a host of its own, but they stand on one: their first processes would all take its first core.
        environ |= {
            "DATABASE_URL": servers.database_url,
            "REDIS_URL": servers.redis_url,
            "SECRET_KEY": os.urandom(16).hex(),
            "PIN_WORKERS": "0",
        }
    return environ


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--matches", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--database", choices=["postgresql", "sqlite"], default="postgresql")
    parser.add_argument("--pause", type=float, default=3.0, metavar="S", help="mean time between kills")
    parser.add_argument(
        "--only", action="append", default=[], metavar="KIND", help="kill only this, as it is printed"
    )
    parser.add_argument("--once", action="store_true", help="kill each kind once, and then no more")
    chosen = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    # Whatever the arena may leave becomes our child, and is found.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return soak(chosen.database, chosen.matches, chosen.seed, chosen.pause, chosen.only, chosen.once)


if __name__ == "__main__":
    sys.exit(main())
