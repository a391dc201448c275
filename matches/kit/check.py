"""`check mybot.py`: what the arena's workers check, by the same code, in the same words."""

from __future__ import annotations

import argparse
import hashlib
import shlex
import sys
from collections.abc import Mapping
from typing import Any

from bots.packages import PackageError
from bots.sandbox.faults import SandboxError
from bots.sandbox.runtimes import Startable
from matches.checking import PACKAGE, QUALIFICATION, START, Rejected, qualify, read
from matches.local import CommandLine, UnknownBot, read_file
from matches.referee import InfrastructureFault

from . import reports
from . import table_options as table
from .about import command_line
from .main import print_line, writing
from .problems import NO, TROUBLE, Problem
from .table_options import FILE_HELP

_NAMES = {PACKAGE: "Package", START: "Start", QUALIFICATION: "Qualification"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bots", nargs="*", metavar="FILE", help=FILE_HELP)
    table.add_command(parser)
    table.add_sandbox(parser)


def run(options: argparse.Namespace) -> int:
    if len(options.bots) != 1:
        raise Problem(f"One bot is checked at a time, not {len(options.bots)}: name its file.")
    (bot,) = options.bots
    launcher = table.launcher_of(options)
    watcher = _Watcher()
    program: Startable
    try:
        if isinstance(bot, CommandLine):
            (entrant,) = table.entrants_of([bot])
            program, sha256 = entrant.program, entrant.sha256
        else:
            filename, content = read_file(bot)
            sha256 = hashlib.sha256(content).hexdigest()
            program = read(filename, content, launcher=launcher, watcher=watcher)
        qualify(program, sha256=sha256, launcher=launcher, watcher=watcher, command="")
    except UnknownBot as error:
        raise Problem(str(error)) from error
    except Rejected as rejected:
        for line in _rejection(rejected):
            print_line(line)
        return NO
    except (InfrastructureFault, SandboxError) as fault:
        raise Problem(f"The check broke off, and the bot is not to blame. {fault}", TROUBLE) from fault
    print_line("The arena would take this bot.")
    if not options.sandbox:
        print_line(
            "Not tried: that it needs no network, no files and no other processes, which the arena forbids."
        )
    if not isinstance(bot, CommandLine):
        print_line(f"Send it: {command_line()} submit {shlex.quote(bot)}")
    return 0


class _Watcher:
    """Prints the stages."""

    def begin(self, stage: str) -> None:
        if sys.stdout.isatty():
            with writing():
                sys.stdout.write(f"{_NAMES[stage]} …\r")
                sys.stdout.flush()

    def passed(self, stage: str, facts: Mapping[str, Any]) -> None:
        print_line(f"{_NAMES[stage]}: passed{_detail(stage, facts)}")

    def beat(self) -> None:
        """Nobody waits for it."""


def _detail(stage: str, facts: Mapping[str, Any]) -> str:
    if stage == PACKAGE:
        return f", {facts['n']} file{'' if facts['n'] == 1 else 's'}"
    if stage == QUALIFICATION:
        totals = ", ".join(map(str, facts["totals"]))
        return f", {facts['won']} of {facts['n']} games won against {facts['opponent']}; points: {totals}"
    return ""


def _rejection(rejected: Rejected) -> list[str]:
    """The sentence first, then what else there is to know."""
    cause = rejected.__cause__
    # The author's sentence may quote what the public one may not.
    sentence = cause.sentence if isinstance(cause, PackageError) else rejected.sentence
    return [
        f"{_NAMES[rejected.stage]}: failed",
        f"The arena would reject this bot. {sentence}",
        *reports.of_check(rejected.report),
    ]
