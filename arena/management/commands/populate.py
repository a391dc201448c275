"""Fill an empty database with a made-up crowd, to see how fast an arena of that size is."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from arena.population.making import Size, is_empty, populate


def count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) >= 1 and len(text) <= 9):
        raise ArgumentTypeError(f"{text[:40]!r} is no whole number from 1 on")
    return int(text)


class Command(BaseCommand):
    help = (
        "Fills an empty database with made-up people, bots and matches, to see how fast an arena of that size is. "
        "The games are real, and few; most matches share them (docs/operate.md)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        size = Size()
        parser.add_argument("--bots", type=count, default=size.bots, help="Default: %(default)s.")
        parser.add_argument(
            "--matches",
            type=count,
            default=size.matches,
            help="With two seats and one deal each, so of two games. Default: %(default)s.",
        )
        parser.add_argument(
            "--samples",
            type=count,
            default=size.samples,
            help="So many matches are really played; the others share their games. Default: %(default)s.",
        )
        parser.add_argument(
            "--snapshots",
            type=count,
            default=size.snapshots,
            help="Older snapshots of each ladder's ratings. Default: %(default)s.",
        )
        parser.add_argument("--seed", type=int, default=1, help="Of all luck. Default: %(default)s.")
        parser.add_argument(
            "--delete-everything",
            action="store_true",
            help="Empty the database first. Whatever it holds is lost.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["delete_everything"]:
            call_command("flush", interactive=False, verbosity=0)
        elif not is_empty():
            raise CommandError(
                f"The database {connection.settings_dict['NAME']} is not empty. Give another one with DATABASE_URL or "
                "DATA_DIR, or --delete-everything, by which all that it holds is lost."
            )
        size = Size(**{name: options[name] for name in ("bots", "matches", "samples", "snapshots")})
        with transaction.atomic():
            populate(size, seed=options["seed"], say=self.say)
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                # What an autovacuum would do in time: index-only scans need it.
                cursor.execute("VACUUM ANALYZE")
        self.say("Done.")

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
