"""`manage.py transcript FILE…`: plays games whose cards are given and prints one JSON line for each file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from matches.engine.quoting import quoted
from matches.engine.transcript import MAX_BYTES, TranscriptError, play_transcript, read_transcript


class Command(BaseCommand):
    help = "Play games from elsewhere, their cards given, and print one JSON line for each file."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="a transcript as JSON")

    def handle(self, *args: Any, files: list[str], **options: Any) -> None:
        n_failed = 0
        for name in files:
            answer = _answer(name)
            n_failed += "error" in answer
            self.stdout.write(json.dumps(answer))
        if n_failed:
            raise CommandError(f"{n_failed} of {len(files)} files failed.")


def _answer(name: str) -> dict[str, Any]:
    try:
        with Path(name).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        return TranscriptError(f"The file {quoted(name)} cannot be read: {reason}.").as_dict()
    try:
        return play_transcript(read_transcript(data))
    except TranscriptError as error:
        return error.as_dict()
