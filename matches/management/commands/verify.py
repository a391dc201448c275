"""Play replay files again and check that they come out as they say."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from matches.replay import MAX_BYTES, ReplayError, Verified, verify


class Command(BaseCommand):
    help = (
        "Plays each replay again and compares every value that follows from it. Takes compact and expanded files, "
        "plain or in gzip. Prints one line a file; the exit status is 1 if any file is no sound replay."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+")

    def handle(self, *args: Any, **options: Any) -> None:
        failed = False
        for name in options["files"]:
            try:
                with Path(name).open("rb") as file:
                    verified = verify(file.read(MAX_BYTES + 1))
            except OSError as error:
                failed = True
                self.stderr.write(f"{name}: {error.strerror}")
            except ReplayError as error:
                failed = True
                self.stderr.write(f"{name}: {error}")
            else:
                self.stdout.write(f"{name}: {_summary(verified)}")
        if failed:
            sys.exit(1)


def _summary(verified: Verified) -> str:
    core = verified.core
    parts = [
        f"sound, {len(core.seats)} seats, {verified.n_rounds} rounds, {len(core.decisions)} decisions",
        f"totals {_listed(verified.totals)}",
        f"placing {_listed(verified.placing)}",
    ]
    parts += [
        f"seat {fault.seat} faulted ({fault.kind}) at decision {fault.decision}" for fault in core.faults
    ]
    return "; ".join([*parts, f"core {verified.core_sha256}"])


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))
