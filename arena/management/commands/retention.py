"""Forget what is older than the settings say."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from arena.services import retention


class Command(BaseCommand):
    help = (
        "Shows how much of each kind of data is older than the settings let it be kept; with --apply, forgets it. "
        "Results, replays, seeds, sources that have played and ratings are kept for ever."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--apply", action="store_true", help="Forget it, for good.")
        parser.add_argument(
            "--kind", choices=[kind.name for kind in retention.KINDS], help="This kind alone."
        )

    def handle(self, *args: Any, apply: bool, kind: str | None, **options: Any) -> None:
        for one in retention.KINDS:
            if kind in {None, one.name}:
                self.tell(one, apply=apply)
        if not apply:
            self.stdout.write("Nothing was forgotten. To do so: manage.py retention --apply")

    def tell(self, kind: retention.Kind, *, apply: bool) -> None:
        if kind.days == 0:
            self.stdout.write(f"{kind.name}: kept for ever ({kind.setting}=0)")
            return
        age = f"older than {kind.days} days ({kind.setting})" if kind.setting else "past their end"
        n = sum(retention.forget_due(kind)) if apply else retention.count_due(kind)
        self.stdout.write(f"{kind.name}: {n} {'forgotten' if apply else 'due'}, {age}: {kind.what}")
