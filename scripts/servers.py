"""Throw-away PostgreSQL and Redis servers for tests and benches.

They listen on free loopback ports, keep their files in a folder of their own, belong to an unprivileged user when we
are root, and end with us. Servers that run already are never touched.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
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


@dataclass(frozen=True)
class Servers:
    database_url: str
    redis_url: str
    postgres_log: Path


@contextmanager
def throwaway_servers(*, durable: bool = False) -> Iterator[Servers]:
    """Both servers until the block ends; `durable` keeps PostgreSQL's writes as safe as a real service needs."""
    with ExitStack() as stack:
        # Not TMPDIR, which may be a place where the unprivileged user may not go.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="skyjo-servers-", dir="/tmp")))
        _give_away(folder)
        yield Servers(
            database_url=stack.enter_context(_postgres(folder / "postgres", durable)),
            redis_url=stack.enter_context(_redis(folder / "redis")),
            postgres_log=folder / "postgres.log",
        )


@contextmanager
def _postgres(folder: Path, durable: bool) -> Iterator[str]:
    binaries = postgres_bin()
    if binaries is None:
        raise ServerProblem("PostgreSQL is not installed.")
    folder.mkdir()
    password = secrets.token_hex(16)
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

    def url(port: int) -> str:
        return f"postgres://arena:{password}@127.0.0.1:{port}/postgres"

    def answers(port: int) -> None:
        psycopg.connect(url(port), connect_timeout=5).close()

    # PostgreSQL ends at once by SIGQUIT; after SIGTERM it would wait for its clients.
    with _running(
        "PostgreSQL", command, answers, death_signal="QUIT", log=folder.with_suffix(".log")
    ) as port:
        yield url(port)


@contextmanager
def _redis(folder: Path) -> Iterator[str]:
    program = shutil.which("redis-server")
    if program is None:
        raise ServerProblem("Redis is not installed.")
    folder.mkdir()
    password = secrets.token_hex(16)
    configuration = folder / "redis.conf"

    def command(port: int) -> Sequence[str | Path]:
        configuration.write_text(
            f'bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir {folder}\nsave ""\nappendonly no\n'
        )
        configuration.chmod(0o600)
        _give_away(folder, configuration)
        return [program, configuration]

    def url(port: int) -> str:
        return f"redis://:{password}@127.0.0.1:{port}/0"

    def answers(port: int) -> None:
        with redis.Redis.from_url(url(port), socket_timeout=5) as client:
            client.ping()

    with _running("Redis", command, answers, death_signal="TERM", log=folder.with_suffix(".log")) as port:
        yield url(port)


@contextmanager
def _running(
    name: str,
    command: Callable[[int], Sequence[str | Path]],
    answers: Callable[[int], None],
    *,
    death_signal: str,
    log: Path,
) -> Iterator[int]:
    """A server on a free port, which it is given; one that ends early lost its port to another and tries again."""
    for _ in range(TRIES):
        port = free_port()
        argv = [*_as_user(), "setpriv", "--pdeathsig", death_signal, *command(port)]
        with (
            log.open("wb") as output,
            subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/", start_new_session=True
            ) as process,
        ):
            try:
                if _is_up(process, port, answers):
                    yield port
                    return
            finally:
                _stop(process)
    raise ServerProblem(f"{name} could not be started:\n{log.read_text(errors='replace')[-4000:]}")


def _is_up(process: subprocess.Popen[bytes], port: int, answers: Callable[[int], None]) -> bool:
    deadline = time.monotonic() + START_WITHIN_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            answers(port)
            return True
        except (psycopg.OperationalError, redis.ConnectionError):
            time.sleep(0.05)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    """SIGINT is PostgreSQL's fast shutdown, and Redis ends by it too."""
    if process.poll() is None:
        process.send_signal(2)
        try:
            process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()


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
