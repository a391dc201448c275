"""The addresses to visit on a populated arena, a member's session, and what the database does that it should not, as
JSON: `tests.bench.web` asks this of a process that has the database."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from arena.finished import swept  # noqa: E402
from arena.models import Pulse  # noqa: E402
from tests.arena.crowd import visits  # noqa: E402
from tests.arena.crowd.plans import most_rows, watching  # noqa: E402

# /healthz is well, and takes its usual way, for so long after the last sign of life.
AHEAD = timedelta(hours=6)


def main() -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    known = visits.places()
    member = Client()
    member.force_login(visits.member(known))
    stranger = Client()
    for name, queues in (("matches@alder", ["matches"]), ("checks@alder", ["checks"])):
        detail = {"host": "alder", "queues": queues, "concurrency": 1, "problems": [], "canary": {}}
        sign(name, Pulse.Kind.WORKER, detail)
    sign("sweep", Pulse.Kind.JOB, swept())
    found = {
        "pages": visits.addresses(visits.PAGES, known),
        "members_pages": visits.addresses(visits.MEMBERS_PAGES, known),
        "lists": visits.addresses(visits.LISTS, known),
        "long_lists": visits.addresses(visits.LONG_LISTS, known),
        "members_lists": visits.addresses(visits.MEMBERS_LISTS, known),
    }
    problems = []
    for kind, paths in found.items():
        for path in paths:
            with watching(most_rows(path)) as seen:
                (member if kind.startswith("members") else stranger).get(path)
            problems += [f"{path}: {problem}" for problem in seen.problems]
    cookie = member.cookies["sessionid"].value
    print(json.dumps({**found, "cookie": cookie, "problems": problems}))


def sign(name: str, kind: str, detail: Mapping[str, object]) -> None:
    Pulse.objects.update_or_create(
        name=name,
        defaults={"kind": kind, "is_well": True, "detail": detail, "seen_at": timezone.now() + AHEAD},
    )


if __name__ == "__main__":
    main()
