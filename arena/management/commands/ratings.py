"""Reckon the ratings of a ladder again."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.models import Ladder, Rating
from arena.ratings.compare import SURE_ERRORS
from arena.ratings.table import Row
from arena.services import RatingBusyError, rating_changes, recompute_ratings
from arena.services.rating import Change
from bots.models import Version


class Command(BaseCommand):
    help = "Reckons ratings from all results that count, as the periodic job does, and publishes them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        recompute = actions.add_parser("recompute", help="Fit all results again, and publish a new snapshot.")
        recompute.add_argument(
            "--ladder", required=True, metavar="SLUG", help="The ladder's name in its address."
        )
        recompute.add_argument(
            "--diff", action="store_true", help="Only show what would change; write nothing."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        ladder = Ladder.objects.filter(slug=options["ladder"]).first()
        if ladder is None:
            there_are = ", ".join(Ladder.objects.values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no ladder {options['ladder']!r}; there are: {there_are}.")
        if options["diff"]:
            self.show(rating_changes(ladder=ladder))
            return
        try:
            run = recompute_ratings(ladder=ladder)
        except RatingBusyError:
            raise CommandError("Another process is fitting this ladder now; try again in a moment.") from None
        self.stdout.write(
            f"Published ratings {run.pk} of {ladder.slug}: {run.n_matches} matches, {run.n_games} games, "
            f"input {run.input_sha256}."
        )

    def show(self, changes: list[Change]) -> None:
        if not changes:
            self.stdout.write("Nothing would change.")
            return
        named = Version.objects.select_related("bot").in_bulk([change.version for change in changes])
        lines = [("version", "published", "would be")]
        for change in changes:
            lines.append((str(named[change.version]), described(change.before), described(change.after)))
        widths = [max(len(line[column]) for line in lines) for column in range(3)]
        for line in lines:
            self.stdout.write(
                "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
            )


def described(row: Rating | Row | None) -> str:
    """All that distinguishes two rows of one version."""
    if row is None:
        return "absent"
    doubts = f", provisional ({', '.join(row.doubts)})" if row.doubts else ""
    return (
        f"{row.rank}. {row.elo:.2f} ± {SURE_ERRORS * row.standard_error:.2f}, {row.n_matches} matches, "
        f"{row.n_games} games, {row.n_faults} faults{doubts}"
    )
