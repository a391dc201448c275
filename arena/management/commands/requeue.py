"""Have parked matches tried again."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.services import requeue_match
from matches.models import Match


class Command(BaseCommand):
    help = "Has matches that were parked after too many failed attempts tried again, with the same seed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("match", type=int, nargs="*", metavar="MATCH", help="The numbers of the matches.")
        parser.add_argument("--all", action="store_true", help="All that are parked.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["all"] == bool(options["match"]):
            raise CommandError("Name matches, or give --all.")
        numbers = options["match"] or list(
            Match.objects.filter(status=Match.Status.PARKED).values_list("pk", flat=True)
        )
        matches = Match.objects.in_bulk(numbers)
        for pk in numbers:
            if pk not in matches or not requeue_match(match=matches[pk]):
                raise CommandError(f"Match {pk} is not parked.")
            self.stdout.write(f"Match {pk} is queued.")
