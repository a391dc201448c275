"""The kit's templates: bots to start from, as the submit page offers them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache

from django.conf import settings

FOLDER = settings.BASE_DIR / "bots" / "kit" / "templates"


@dataclass(frozen=True, slots=True)
class Starter:
    """A template's name, the first line of its docstring, and its code."""

    name: str
    summary: str
    source: str


@cache
def starters() -> tuple[Starter, ...]:
    return tuple(
        Starter(path.stem, _summary(source), source)
        for path in sorted(FOLDER.glob("*.py"))
        if not path.stem.startswith("_")
        for source in [path.read_text(encoding="utf-8")]
    )


def _summary(source: str) -> str:
    docstring = ast.get_docstring(ast.parse(source)) or ""
    return docstring.partition("\n")[0]


def starter(name: str) -> Starter:
    """Raises KeyError if there is none of this name."""
    return {each.name: each for each in starters()}[name]
