"""Who plays a local match: house bots by name, bot files by path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bots.house import HOUSE, house_source
from bots.packages import MAX_UPLOAD_BYTES, PackageError, read_package, to_program
from bots.sandbox.faults import SandboxError, quote_line
from bots.sandbox.runtimes import Program

_SUFFIXES: Final = (".py", ".zip")


class UnknownBot(Exception):
    """A name or path that leads to no bot. Its text is one sentence for people."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a local match; `sha256` is its file's, as for an upload."""

    name: str
    program: Program
    sha256: str


def find_entrants(names: Sequence[str]) -> list[Entrant]:
    """The bots that these names mean, in their order; equal ones are told apart as NAME, NAME#2, …

    A name is a house bot's, or the path of a .py or .zip file. Raises UnknownBot.
    """
    seen: Counter[str] = Counter()
    entrants = []
    for name in names:
        entrant = _find(name)
        seen[entrant.name] += 1
        n = seen[entrant.name]
        entrants.append(entrant if n == 1 else replace(entrant, name=f"{entrant.name}#{n}"))
    return entrants


def _find(name: str) -> Entrant:
    if name in {bot.name for bot in HOUSE}:
        return _read(name, "main.py", house_source(name))
    try:
        path = Path(name)
        if path.is_file():
            if path.suffix not in _SUFFIXES:
                raise UnknownBot(
                    f"{_shown(name)} is no bot: a bot is a .py file, or a .zip with main.py in it."
                )
            with path.open("rb") as file:
                return _read(path.stem, path.name, file.read(MAX_UPLOAD_BYTES + 1))
        if path.is_dir():
            raise UnknownBot(f"{_shown(name)} is a folder: name a .py file, or a .zip with main.py in it.")
    except (OSError, ValueError) as error:
        raise UnknownBot(
            f"{_shown(name)} cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from error
    house = ", ".join(bot.name for bot in HOUSE)
    raise UnknownBot(f"There is no bot {_shown(name)}: it is no file, and the house bots are {house}.")


def _read(name: str, filename: str, content: bytes) -> Entrant:
    try:
        package = read_package(filename, content)
    except (PackageError, SandboxError) as error:
        raise UnknownBot(f"{_shown(name)} cannot play. {error}") from error
    return Entrant(quote_line(name.encode(errors="replace")), to_program(package), package.sha256)


def _shown(name: str) -> str:
    return f"“{quote_line(name.encode(errors='replace'))}”"
