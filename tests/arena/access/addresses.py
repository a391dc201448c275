"""Which addresses of the site the table of who gets what forgets; `make check` asks, so that none lands without."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterator

import django
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from tests.arena.access.table import READING, Line, lines


def missing() -> set[str]:
    """The routes that no line of the table leads to."""
    return set(routes(get_resolver().url_patterns)) - {route_of(line) for line in lines(READING)}


def route_of(line: Line) -> str:
    """The route of a line's address, whatever the scene puts into it."""
    address = line.at(defaultdict(lambda: "1"))
    return resolve(address.partition("?")[0]).route


def routes(found: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for each in found:
        # As `resolve` writes it.
        route = before + str(each.pattern).removeprefix("^" if before else "")
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, route)
        else:
            yield route


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
    django.setup()
    if forgotten := sorted(missing()):
        sys.exit("\n".join(["Say in tests/arena/access/table.py who gets what at:", *forgotten]))
