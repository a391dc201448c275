"""Make what every arena has: standing ladders and house bots."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from arena.services import seed_arena


class Command(BaseCommand):
    help = "Makes the standing ladders and the house bots where they are missing or their source has changed."

    def handle(self, *args: Any, **options: Any) -> None:
        done = seed_arena() or ["Nothing to do."]
        if options["verbosity"] > 0:
            self.stdout.write("\n".join(done))
