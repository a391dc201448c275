"""Take matches out of the ratings."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.services import rerun_match, void_match
from matches.models import Match


class Command(BaseCommand):
    help = "Takes matches out of the ratings, which are fitted again without them. What was played stays readable."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("match", type=int, nargs="+", metavar="MATCH", help="The numbers of the matches.")
        parser.add_argument("--rerun", action="store_true", help="Play each again, with a new seed.")

    def handle(self, *args: Any, **options: Any) -> None:
        matches = Match.objects.in_bulk(options["match"])
        if unknown := [str(pk) for pk in options["match"] if pk not in matches]:
            raise CommandError(f"There is no match {', '.join(unknown)}.")
        for match in matches.values():
            is_voided = void_match(match=match)
            self.stdout.write(f"Match {match.pk} is void{'' if is_voided else ' already'}.")
            if options["rerun"]:
                match.refresh_from_db()
                self.stdout.write(f"Match {rerun_match(match=match).pk} plays it again.")
