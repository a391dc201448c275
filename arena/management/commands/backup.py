"""Copy an SQLite database while the arena runs."""

from __future__ import annotations

import os
import sqlite3
from argparse import ArgumentParser
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

# Pages a step: the arena writes between two steps.
STEP_PAGES = 500


class Command(BaseCommand):
    help = (
        "Writes a consistent copy of the SQLite database to FILE while the arena runs. FILE appears when it is "
        "whole, and must not be there before. On PostgreSQL use pg_dump (docs/operate.md)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        if connection.vendor != "sqlite":
            raise CommandError(
                "This arena runs on PostgreSQL: back it up by pg_dump --format=custom (docs/operate.md)."
            )
        if file.exists():
            raise CommandError(f"{file} is there already: name another file.")
        draft = file.with_name(f".{file.name}.draft")
        try:
            # Made before anything is in it: it holds people's sources and password hashes.
            draft.unlink(missing_ok=True)
            draft.touch(mode=0o600)
            copy(Path(connection.settings_dict["NAME"]), draft)
            os.link(draft, file)
        except (OSError, sqlite3.Error) as error:
            raise CommandError(f"{file} could not be written: {error}") from None
        finally:
            draft.unlink(missing_ok=True)
        self.stdout.write(f"{file}: {file.stat().st_size} bytes, whole and checked")


def copy(source: Path, target: Path) -> None:
    """By SQLite's online backup, then checked. Raises sqlite3.Error."""
    with (
        closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True, timeout=20)) as live,
        closing(sqlite3.connect(target)) as copied,
    ):
        live.backup(copied, pages=STEP_PAGES)
        # One file, without a log beside it.
        copied.execute("PRAGMA journal_mode=DELETE")
        (verdict,) = copied.execute("PRAGMA quick_check").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)
