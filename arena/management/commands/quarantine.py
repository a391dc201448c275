"""Keep worker hosts from playing, or let them play again."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.models import Host
from arena.services import quarantine_host, release_host


class Command(BaseCommand):
    help = (
        "Gives the hosts no more matches, or, with --lift, lets them play again and settles what was reported of them. "
        "Without a host: lists those that are known."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "host", nargs="*", metavar="HOST", help="What stands after the @ of a worker's name."
        )
        parser.add_argument("--lift", action="store_true", help="Let them play again.")

    def handle(self, *args: Any, **options: Any) -> None:
        names = options["host"]
        known = {host.name: host for host in Host.objects.order_by("name")}
        if not names:
            for host in known.values():
                self.stdout.write(f"{host.name}: {host.state}")
            return
        if unknown := [name for name in names if name not in known]:
            raise CommandError(f"No worker of the host {', '.join(unknown)} has ever shown itself.")
        for name in names:
            if options["lift"]:
                done = release_host(name=name)
                self.stdout.write(f"{name} plays{'' if done else ' already'}.")
            else:
                done = quarantine_host(name=name)
                self.stdout.write(f"{name} is quarantined{'' if done else ' already'}.")
