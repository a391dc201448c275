"""Throw-away PostgreSQL and Redis servers for tests and benches.

They listen on free loopback ports, keep their files in a folder of their own, belong to an unprivileged user when we
are root, and end with us. Servers that run already are never touched.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import redis

from scripts.environment import postgres_bin

START_WITHIN_S = 60.0
STOP_WITHIN_S = 10.0
TRIES = 3
USER = "nobody"


class ServerProblem(Exception):
    """A server could not be had."""


class Server:
    """A server on a loopback port of its own, which ends with us; it can be stopped and started again there."""

    def __init__(
        self,
        name: str,
        command: Callable[[int], Sequence[str | Path]],
        answers: Callable[[int], None],
        *,
        death_signal: str,
        log: Path,
    ) -> None:
        self.name = name
        self.log = log
        self.port = 0
        self._command = command
        self._answers = answers
        self._death_signal = death_signal
        self._process: subprocess.Popen[bytes] | None = None

    def start_somewhere(self) -> None:
        """On a free port; a server that ends early lost its port to another and tries again. Raises ServerProblem."""
        for _ in range(TRIES):
            self.port = free_port()
            if self._is_started():
                return
        raise self._problem()

    def start_again(self) -> None:
        """On the port that it had, as soon as that is free. Raises ServerProblem."""
        deadline = time.monotonic() + START_WITHIN_S
        while not self._is_started():
            if time.monotonic() > deadline:
                raise self._problem()

    def stop(self, number: int = signal.SIGINT) -> None:
        """SIGINT is PostgreSQL's fast shutdown, and Redis ends by it too; SIGQUIT is PostgreSQL's immediate one."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.send_signal(number)
            try:
                self._process.wait(STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None

    def _is_started(self) -> bool:
        argv = [*_as_user(), "setpriv", "--pdeathsig", self._death_signal, *self._command(self.port)]
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/", start_new_session=True
            )
        try:
            is_up = self._is_up(self._process)
        except BaseException:
            self.stop()
            raise
        if not is_up:
            self.stop()
        return is_up

    def _is_up(self, process: subprocess.Popen[bytes]) -> bool:
        deadline = time.monotonic() + START_WITHIN_S
        while process.poll() is None and time.monotonic() < deadline:
            try:
                self._answers(self.port)
                return True
            except (psycopg.OperationalError, redis.ConnectionError):
                time.sleep(0.05)
        return False

    def _problem(self) -> ServerProblem:
        return ServerProblem(
            f"{self.name} could not be started:\n{self.log.read_text(errors='replace')[-4000:]}"
        )


@dataclass(frozen=True)
class Servers:
    database_url: str
    redis_url: str
    postgres: Server
    redis: Server


@contextmanager
def throwaway_servers(*, durable: bool = False) -> Iterator[Servers]:
    """Both servers until the block ends; `durable` keeps PostgreSQL's writes as safe as a real service needs."""
    with ExitStack() as stack:
        # Not TMPDIR, which may be a place where the unprivileged user may not go.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="skyjo-servers-", dir="/tmp")))
        _give_away(folder)
        passwords = secrets.token_hex(16), secrets.token_hex(16)
        postgres = stack.enter_context(_running(_postgres(folder / "postgres", passwords[0], durable)))
        redis_server = stack.enter_context(_running(_redis(folder / "redis", passwords[1])))
        yield Servers(
            database_url=_postgres_url(passwords[0], postgres.port),
            redis_url=_redis_url(passwords[1], redis_server.port),
            postgres=postgres,
            redis=redis_server,
        )


@contextmanager
def _running(server: Server) -> Iterator[Server]:
    server.start_somewhere()
    try:
        yield server
    finally:
        server.stop()


def _postgres_url(password: str, port: int) -> str:
    return f"postgres://arena:{password}@127.0.0.1:{port}/postgres"


def _postgres(folder: Path, password: str, durable: bool) -> Server:
    binaries = postgres_bin()
    if binaries is None:
        raise ServerProblem("PostgreSQL is not installed.")
    folder.mkdir()
    password_file = folder.with_name("postgres-password")
    password_file.write_text(password)
    _give_away(folder, password_file)
    subprocess.run(
        [
            *_as_user(),
            *(binaries / "initdb", "--pgdata", folder, "--username", "arena", "--pwfile", password_file),
            *("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-instructions"),
            *([] if durable else ["--no-sync"]),
        ],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        cwd="/",
    )
    options = {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "max_connections": "100",
        "log_connections": "on",
    }
    if not durable:
        options |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

    def command(port: int) -> Sequence[str | Path]:
        settings = {**options, "port": str(port)}
        return [
            *(binaries / "postgres", "-D", folder),
            *(word for name, value in settings.items() for word in ("-c", f"{name}={value}")),
        ]

    def answers(port: int) -> None:
        psycopg.connect(_postgres_url(password, port), connect_timeout=5).close()

    # PostgreSQL ends at once by SIGQUIT; after SIGTERM it would wait for its clients.
    return Server("PostgreSQL", command, answers, death_signal="QUIT", log=folder.with_suffix(".log"))


def _redis_url(password: str, port: int) -> str:
    return f"redis://:{password}@127.0.0.1:{port}/0"


def _redis(folder: Path, password: str) -> Server:
    program = shutil.which("redis-server")
    if program is None:
        raise ServerProblem("Redis is not installed.")
    folder.mkdir()
    configuration = folder / "redis.conf"

    def command(port: int) -> Sequence[str | Path]:
        configuration.write_text(
            f'bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir {folder}\nsave ""\nappendonly no\n'
        )
        configuration.chmod(0o600)
        _give_away(folder, configuration)
        return [program, configuration]

    def answers(port: int) -> None:
        with redis.Redis.from_url(_redis_url(password, port), socket_timeout=5) as client:
            client.ping()

    return Server("Redis", command, answers, death_signal="TERM", log=folder.with_suffix(".log"))


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _as_user() -> list[str]:
    """The words before a server's command that take root's rights from it."""
    if os.geteuid() != 0:
        return []
    user = pwd.getpwnam(USER)
    ids = ("--reuid", str(user.pw_uid), "--regid", str(user.pw_gid))
    return ["setpriv", *ids, "--clear-groups", "--no-new-privs", "--"]


def _give_away(*paths: Path) -> None:
    if os.geteuid() == 0:
        user = pwd.getpwnam(USER)
        for path in paths:
            os.chown(path, user.pw_uid, user.pw_gid)
