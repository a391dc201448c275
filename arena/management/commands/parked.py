"""What is parked, with the causes of every attempt side by side."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from arena.selectors.status import parked_matches
from bots.models import Version


class Command(BaseCommand):
    help = (
        "Lists parked matches and checks with what went wrong; see `requeue` and `void` for what may be done."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        for parked in parked_matches():
            versions = ", ".join(map(str, parked.versions))
            self.stdout.write(f"Match {parked.match}, {versions}:")
            for attempt in parked.attempts:
                lines = attempt.detail.strip().splitlines() or [""]
                words = (attempt.worker, attempt.outcome, attempt.cause, lines[-1][:120])
                self.stdout.write("  ".join([f"  {attempt.number:>3}", *filter(None, words)]))
        for version in Version.objects.filter(status=Version.Status.PARKED).select_related("bot"):
            lines = version.check_trouble.strip().splitlines() or [""]
            self.stdout.write(f"Check of {version}, after {version.check_attempts} tries: {lines[-1][:200]}")
