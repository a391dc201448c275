"""Who plays a local match: house bots by name, bot files by path, other programs by their command line."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bots.house import HOUSE, house_source
from bots.packages import MAX_UPLOAD_BYTES, PackageError, read_package, to_program
from bots.sandbox.faults import SandboxError, quote_line
from bots.sandbox.launcher import runtime_problem
from bots.sandbox.runtimes import NODE, Command, Startable

_LONGEST_NAME: Final = 32
_FOLDER: Final = (
    "is a folder: name a .py, .js or .mjs file, a static program, or a .zip with one of these in it"
)


class CommandLine(str):
    """A bot that is named by the command line that starts it."""

    __slots__ = ()


class UnknownBot(Exception):
    """A name or path that leads to no bot. Its text is one sentence for people."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a local match; `sha256` is its file's, as for an upload, or that of its command line."""

    name: str
    program: Startable
    sha256: str


def find_entrants(names: Sequence[str]) -> list[Entrant]:
    """The bots that these names mean, in their order; equal ones are told apart as NAME, NAME#2, …

    A name is a house bot's, the path of a file that could be uploaded, or a CommandLine. Raises UnknownBot.
    """
    seen: Counter[str] = Counter()
    entrants = []
    for name in names:
        entrant = _find(name)
        seen[entrant.name] += 1
        n = seen[entrant.name]
        entrants.append(entrant if n == 1 else replace(entrant, name=f"{entrant.name}#{n}"))
    return entrants


def read_file(name: str) -> tuple[str, bytes]:
    """The name and the bytes of a bot's file, as an upload has them, one byte over the limit being enough.

    Raises UnknownBot where there is no such file or it is none of a bot's.
    """
    try:
        path = Path(name)
        if path.is_file():
            with path.open("rb") as file:
                return path.name, file.read(MAX_UPLOAD_BYTES + 1)
        if path.is_dir():
            raise UnknownBot(f"{_shown(name)} {_FOLDER}.")
    except (OSError, ValueError) as error:
        raise UnknownBot(
            f"{_shown(name)} cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from error
    raise UnknownBot(f"There is no file {_shown(name)}.")


def _find(name: str) -> Entrant:
    if isinstance(name, CommandLine):
        return _command(name)
    if name in {bot.name for bot in HOUSE}:
        return _read(name, "main.py", house_source(name))
    if not Path(name).suffix and not os.path.exists(name):
        house = ", ".join(bot.name for bot in HOUSE)
        raise UnknownBot(f"There is no bot {_shown(name)}: it is no file, and the house bots are {house}.")
    filename, content = read_file(name)
    return _read(Path(filename).stem, filename, content)


def _command(line: str) -> Entrant:
    try:
        argv = shlex.split(line, posix=os.name != "nt")
    except ValueError as error:
        raise UnknownBot(f"The command {_shown(line)} cannot be read: {error}.") from error
    if not argv:
        raise UnknownBot('--cmd wants the command line that starts a bot, such as --cmd "./mybot".')
    found = shutil.which(argv[0])
    if found is None:
        raise UnknownBot(f"The command {_shown(line)} cannot start: there is no program {_shown(argv[0])}.")
    name = quote_line(line.encode(errors="replace"))[:_LONGEST_NAME]
    command = Command((os.path.abspath(found), *argv[1:]), os.getcwd())
    return Entrant(name, command, hashlib.sha256(line.encode(errors="replace")).hexdigest())


def _read(name: str, filename: str, content: bytes) -> Entrant:
    try:
        package = read_package(filename, content)
    except (PackageError, SandboxError) as error:
        is_other = isinstance(error, PackageError) and error.code == "type"
        hint = ' Any other program plays as --cmd "COMMAND".' if is_other else ""
        raise UnknownBot(f"{_shown(name)} cannot play. {error}{hint}") from error
    if package.runtime == NODE and (problem := runtime_problem(NODE)):
        raise UnknownBot(
            f'{_shown(name)} cannot play. {problem} Where Node.js lies elsewhere: --cmd "node FILE".'
        )
    return Entrant(quote_line(name.encode(errors="replace")), to_program(package), package.sha256)


def _shown(name: str) -> str:
    return f"“{quote_line(name.encode(errors='replace'))}”"
