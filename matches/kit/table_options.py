"""What commands that play have in common: bots, rules, seed, limits, and where the bots run."""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bots.sandbox.launcher import BWRAP, Launcher, SandboxLauncher
from bots.sandbox.limits import Limits
from matches.engine import MAX_SEATS, MIN_SEATS, Rules, RulesError, parse_seed, rules_from
from matches.local import (
    CommandLine,
    Entrant,
    UnknownBot,
    find_entrants,
    local_launcher,
    measures_cpu_time,
)

from .main import whole_number
from .problems import Problem

FILE_HELP = "a bot's file: .py, .js, a static program, or a .zip with main.py, main.js or main"
BOTS_HELP = f"a house bot's name, or {FILE_HELP}"


@dataclass(frozen=True, slots=True)
class Table:
    """Who plays by which rules; `words` ask for the same table on a command line, but for the seed."""

    words: list[str]
    entrants: list[Entrant]
    preset: str
    rules: Rules
    seed: bytes
    limits: Limits

    @property
    def names(self) -> list[str]:
        return [entrant.name for entrant in self.entrants]


def add_bots(parser: argparse.ArgumentParser, n: str = "+") -> None:
    parser.add_argument("bots", nargs=n, metavar="BOT", help=BOTS_HELP)
    add_command(parser)


def add_command(parser: argparse.ArgumentParser) -> None:
    # `main.with_commands` has put each at its place among the bots before this is asked.
    parser.add_argument(
        "--cmd",
        metavar="COMMAND",
        default=argparse.SUPPRESS,
        help='in place of a bot: the command line that starts it, such as --cmd "./mybot"',
    )


def add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=_seed, help="a number, or 64 hex digits; otherwise one at random")
    parser.add_argument("--preset", default="official", metavar="NAME", help="the rules; default official")


def add_sandbox(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sandbox",
        action="store_true",
        help="run the bots in the arena's sandbox: on x86-64 Linux with bubblewrap alone",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    default = Limits()
    for option, value, meaning in (
        ("--start-ms", default.start_ms, "CPU time of a start, in ms"),
        ("--decision-ms", default.decision_ms, "CPU time of a decision, in ms"),
        ("--bank-ms", default.bank_ms, "CPU time of all decisions of a game, in ms"),
        ("--memory-mib", default.memory_mib, "memory of a bot, in MiB"),
    ):
        parser.add_argument(
            option, type=whole_number(10**6), default=value, metavar="N", help=f"{meaning}; default {value}"
        )


def limits_of(options: argparse.Namespace) -> Limits:
    return Limits(
        start_ms=options.start_ms,
        decision_ms=options.decision_ms,
        bank_ms=options.bank_ms,
        memory_mib=options.memory_mib,
    )


def table_of(options: argparse.Namespace) -> Table:
    """Raises Problem for what cannot play."""
    try:
        rules = rules_from(options.preset)
    except RulesError as error:
        raise Problem(str(error)) from error
    entrants = entrants_of(options.bots)
    if not MIN_SEATS <= len(entrants) <= MAX_SEATS:
        raise Problem(f"A match has {MIN_SEATS} to {MAX_SEATS} bots, not {len(entrants)}.")
    return Table(
        words=[*(word for bot in options.bots for word in words_of(bot)), *_words_beside(options)],
        entrants=entrants,
        preset=options.preset,
        rules=rules,
        seed=options.seed or secrets.token_bytes(32),
        limits=limits_of(options),
    )


def words_of(bot: str) -> list[str]:
    """How a command line names this bot."""
    return ["--cmd", str(bot)] if isinstance(bot, CommandLine) else [bot]


def _words_beside(options: argparse.Namespace) -> list[str]:
    """The options for rules, limits and sandbox that are no defaults."""
    default, limits = Limits().as_dict(), limits_of(options).as_dict()
    words = [] if options.preset == "official" else ["--preset", options.preset]
    for name, value in limits.items():
        if value != default[name]:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return [*words, "--sandbox"] if options.sandbox else words


def entrants_of(bots: Sequence[str]) -> list[Entrant]:
    try:
        return find_entrants(bots)
    except UnknownBot as error:
        raise Problem(str(error)) from error


def launcher_of(options: Any) -> Launcher:
    """Where the bots run; says so if that is no sandbox."""
    if options.sandbox:
        if any(isinstance(bot, CommandLine) for bot in options.bots):
            raise Problem("A bot that is given by --cmd cannot run in the sandbox: leave out --sandbox.")
        try:
            open(BWRAP).close()
        except OSError:
            raise Problem(
                f"The sandbox needs x86-64 Linux and {BWRAP} (bubblewrap). Leave out --sandbox to play without."
            ) from None
        return SandboxLauncher()
    note = "The bots run without the arena's sandbox: play only what you trust."
    if not measures_cpu_time():
        note += " This system does not tell their CPU time: the wall clock counts in its place."
    sys.stderr.write(f"{note}\n")
    return local_launcher()


def _seed(text: str) -> bytes:
    try:
        return parse_seed(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
