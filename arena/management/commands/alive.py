"""Says whether one part of the arena on this host is alive; containers ask it as their health check."""

from __future__ import annotations

import os
import socket
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from arena.models import Pulse
from arena.pulse import QUEUES, is_alive
from arena.serving.address import probe, read_address, site_name

# Every periodic job runs several times in this.
BEAT_WITHIN = timedelta(minutes=2)


class Command(BaseCommand):
    # Asked of every container every minute: looking through all pages first would take most of its time.
    requires_system_checks = []
    help = "Exit with status 0 if the named part of the arena is alive on this host."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("part", choices=["web", "beat", *QUEUES])

    def handle(self, *args: Any, part: str, **options: Any) -> None:
        if part == "web":
            address = read_address("127.0.0.1", os.environ.get("PORT", "8000"))
            # Whether the workers live is no matter of this part's.
            state = probe(address, site_name(address, settings.ALLOWED_HOSTS), path="/readyz")
            if not state.is_well:
                raise CommandError("; ".join(state.reasons))
        elif part == "beat":
            lately = timezone.now() - BEAT_WITHIN
            if not Pulse.objects.filter(kind=Pulse.Kind.JOB, seen_at__gte=lately).exists():
                raise CommandError("No periodic job has run lately.")
        elif not is_alive(queue=part, host=socket.gethostname()):
            raise CommandError(f"No worker of the queue “{part}” on this host has shown itself well lately.")
