"""`new mybot.py`: a bot to start from."""

from __future__ import annotations

import argparse
import pkgutil
from pathlib import Path
from typing import Final

from bots.sandbox.launcher import KIT_NAME, kit_source

from .about import program_name
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
    source = pkgutil.get_data("bots.kit", f"templates/{options.template}.py") or b""
    written = [(path, source)]
    if options.library:
        written.append((path.with_name(KIT_NAME), kit_source()))
    for target, content in written:
        try:
            with target.open("xb") as file:
                file.write(content)
        except FileExistsError:
            raise Problem(
                f"“{target}” is there already and was left as it is: choose another name."
            ) from None
        except OSError as error:
            raise Problem(f"“{target}” cannot be written: {error.strerror}.") from error
    program = program_name()
    print_line(f"Wrote {' and '.join(str(target) for target, _ in written)}. Change what it does, then:")
    print_line()
    print_line(f"  python {program} play {path} greedy   play against a house bot")
    print_line(f"  python {program} watch {path} greedy  see one game")
    print_line(f"  python {program} check {path}         see whether the arena would take it")
    return 0
