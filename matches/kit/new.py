"""`new mybot.py`: a bot to start from."""

from __future__ import annotations

import argparse
import pkgutil
import shlex
from pathlib import Path
from typing import Final

from bots.sandbox.launcher import KIT_NAME, kit_source

from .about import command_line
from .main import print_line
from .problems import Problem

TEMPLATES: Final = {
    "smallest": "the smallest bot that plays",
    "columns": "a start with columns, counted cards, and a look at the others",
    "no_kit": "the bare protocol, as in another language",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what to call the bot's file, such as mybot.py")
    parser.add_argument(
        "--template",
        choices=TEMPLATES,
        default="smallest",
        help="; ".join(f"{name}: {meaning}" for name, meaning in TEMPLATES.items()) + " (default smallest)",
    )
    parser.add_argument(
        "--library",
        action="store_true",
        help=f"also write {KIT_NAME} beside it, for your editor and your own tests",
    )


def run(options: argparse.Namespace) -> int:
    path = Path(options.file)
    if path.suffix != ".py":
        raise Problem(f"“{path}” does not end in .py: call it, for example, mybot.py.")
    if path.name == KIT_NAME:
        raise Problem(f"{KIT_NAME} is the library's own name, which a bot imports: choose another.")
    library = path.with_name(KIT_NAME)
    if options.library and library.exists() and not _is_library(library):
        raise Problem(
            f"“{library}” is there already and is another file than this kit's library: move it away, or leave out "
            "--library."
        )
    _write(path, pkgutil.get_data("bots.kit", f"templates/{options.template}.py") or b"")
    written = str(path)
    if options.library and not library.exists():
        _write(library, kit_source())
        written += f" and {library}"
    program, bot = command_line(), shlex.quote(str(path))
    print_line(f"Wrote {written}. Change what it does, then:")
    print_line()
    print_line(f"  {program} play {bot} greedy   play against a house bot")
    print_line(f"  {program} watch {bot} greedy  see one game")
    print_line(f"  {program} check {bot}         see whether the arena would take it")
    return 0


def _is_library(path: Path) -> bool:
    try:
        return path.read_bytes() == kit_source()
    except OSError:
        return False


def _write(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise Problem(f"“{path}” is there already and was left as it is: choose another name.") from None
    except OSError as error:
        raise Problem(f"“{path}” cannot be written: {error.strerror}.") from error
