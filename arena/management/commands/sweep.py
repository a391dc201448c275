"""One sweep, by hand."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from arena.services import sweep


class Command(BaseCommand):
    help = "Returns what silent workers hold to the queue and rings for what waits, once; beat does so all the time."

    def handle(self, *args: Any, **options: Any) -> None:
        for name, n in sweep().items():
            self.stdout.write(f"{name}: {n}")
