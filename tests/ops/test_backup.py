"""Backed up, destroyed, restored by the commands of docs/operate.md: ratings and replays are the same as before."""

from __future__ import annotations

import io
import os
import re
import secrets
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from arena.models import Ladder, Rating
from arena.services import rate_ladder
from arena.services.rating import fitted, recompute_ratings
from bots.models import Package
from matches.models import Game, Result
from matches.replay import verify
from scripts.environment import postgres_bin
from tests.make import make_finished_match, make_ladder, make_version

CHECKOUT = Path(__file__).resolve().parents[2]
MANUAL = (CHECKOUT / "docs/operate.md").read_text()


@pytest.fixture
def own_database(tmp_path: Path, transactional_db: None) -> Iterator[str]:
    """A copy of the test database, which Django uses until the test ends; its name."""
    shared = connection.settings_dict["NAME"]
    connections.close_all()
    if connection.vendor == "postgresql":
        own = f"backup_{secrets.token_hex(6)}"
        with server() as admin:
            admin.execute(f'CREATE DATABASE "{own}" TEMPLATE "{shared}"')
    else:
        own = str(tmp_path / "arena.sqlite3")
        with closing(sqlite3.connect(shared)) as source, closing(sqlite3.connect(own)) as target:
            source.backup(target)
    connection.settings_dict["NAME"] = own
    try:
        yield own
    finally:
        connections.close_all()
        connection.settings_dict["NAME"] = shared
        if connection.vendor == "postgresql":
            with server() as admin:
                admin.execute(f'DROP DATABASE IF EXISTS "{own}" WITH (FORCE)')


def server() -> psycopg.Connection:
    """The server's own database."""
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)


def url_of(name: str) -> str:
    return re.sub(r"/[^/]*$", f"/{name}", os.environ["DATABASE_URL"])


def documented(*words: str) -> tuple[str, ...]:
    """A command that the manual tells people to use."""
    assert " ".join(words) in MANUAL, words
    return words


def postgres(words: tuple[str, ...], url: str, stdin: bytes = b"") -> bytes:
    """A client program of PostgreSQL on this database; what it prints."""
    binaries = postgres_bin()
    assert binaries is not None
    target = ("--dbname", url)
    done = subprocess.run(
        [binaries / words[0], *words[1:], *target], input=stdin, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def play() -> None:
    ladder = make_ladder()
    versions = [make_version() for _ in range(3)]
    for pair in ((0, 1), (1, 2), (0, 2)):
        make_finished_match([versions[one] for one in pair], ladder)
    assert rate_ladder(ladder=ladder)


def published() -> list[tuple[object, ...]]:
    fields = ("run_id", "version_id", "rank", "elo", "standard_error", "n_games", "win_share")
    return list(Rating.objects.order_by("pk").values_list(*fields))


def reckoned() -> list[tuple[object, ...]]:
    """The ratings as they come out when they are fitted from the results that are there."""
    return [(row.version, row.elo, row.standard_error) for row in fitted(Ladder.objects.get()).rows]


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
def test_ratings_and_replays_are_the_same_after_dump_destruction_and_restoration(
    own_database: str, tmp_path: Path
) -> None:
    play()
    before = published(), reckoned()
    sources = {package.pk: bytes(package.content) for package in Package.objects.all()}
    n_results = Result.objects.count()
    if connection.vendor == "postgresql":
        dump = postgres(documented("pg_dump", "--format=custom"), url_of(own_database))
        connections.close_all()
        with server() as admin:
            admin.execute(f'DROP DATABASE "{own_database}" WITH (FORCE)')
            admin.execute(f'CREATE DATABASE "{own_database}"')
        postgres(documented("pg_restore", "--no-owner", "--exit-on-error"), url_of(own_database), dump)
    else:
        copy = tmp_path / "copy.sqlite3"
        call_command(documented("manage.py backup")[0].split()[1], str(copy), stdout=io.StringIO())
        connections.close_all()
        for file in Path(own_database).parent.glob("arena.sqlite3*"):
            file.unlink()
        shutil.copy(copy, own_database)
    assert Result.objects.count() == n_results
    assert (published(), reckoned()) == before
    assert {package.pk: bytes(package.content) for package in Package.objects.all()} == sources
    assert all(verify(bytes(game.replay)).core_sha256 == game.core_sha256 for game in Game.objects.all())
    # And it goes on.
    ladder = Ladder.objects.get()
    make_finished_match(ladder=ladder)
    assert recompute_ratings(ladder=ladder).n_matches == n_results + 1


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An SQLite database in WAL mode that `manage.py backup` takes for the arena's, whatever the tests run on."""
    path = tmp_path / "live.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as live:
        live.execute("PRAGMA journal_mode=WAL")
        live.execute("BEGIN")
        live.execute("CREATE TABLE pairs (a INTEGER, b INTEGER)")
        live.executemany("INSERT INTO pairs VALUES (?, ?)", [(n, n) for n in range(2000)])
        live.execute("COMMIT")
    monkeypatch.setattr("arena.management.commands.backup.connection", Pretended(path))
    return path


class Pretended:
    vendor = "sqlite"

    def __init__(self, path: Path) -> None:
        self.settings_dict = {"NAME": path}


def test_a_backup_holds_what_was_committed_while_somebody_writes(live: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(live, isolation_level=None)) as writer:
        writer.execute("INSERT INTO pairs VALUES (-1, -1)")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE pairs SET a = a + 1")
        call_command("backup", str(tmp_path / "copy"), stdout=io.StringIO())
        writer.execute("COMMIT")
    with closing(sqlite3.connect(tmp_path / "copy")) as copy:
        assert copy.execute("SELECT count(*), sum(a = b) FROM pairs").fetchone() == (2001, 2001)
    assert (tmp_path / "copy").stat().st_mode & 0o077 == 0
    assert {path.name for path in tmp_path.iterdir()} - {"live.sqlite3-wal", "live.sqlite3-shm"} == {
        "live.sqlite3",
        "copy",
    }


def test_a_backup_overwrites_nothing(live: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").write_text("an older backup")
    with pytest.raises(CommandError, match="there already"):
        call_command("backup", str(tmp_path / "copy"))
    assert (tmp_path / "copy").read_text() == "an older backup"


def test_a_backup_that_cannot_be_written_says_so_and_leaves_nothing(live: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="could not be written"):
        call_command("backup", str(tmp_path / "nowhere" / "copy"))
    live.write_bytes(b"no database at all" * 1000)
    with pytest.raises(CommandError, match="could not be written"):
        call_command("backup", str(tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()
    assert not list(tmp_path.glob(".*"))


def test_an_arena_on_postgresql_is_told_how_to_back_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pretended = Pretended(tmp_path)
    pretended.vendor = "postgresql"
    monkeypatch.setattr("arena.management.commands.backup.connection", pretended)
    with pytest.raises(CommandError, match="pg_dump"):
        call_command("backup", str(tmp_path / "copy"))
