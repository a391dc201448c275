"""From the words of a command line to a command."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Final, NoReturn, Protocol

from matches.local.entrants import CommandLine

from .about import command_line, version_line
from .problems import INTERRUPTED, TROUBLE, Problem

COMMANDS: Final = {
    "new": "write a bot to start from",
    "play": "let bots play, every deal from every seat, and say who is better",
    "watch": "see a game in the terminal",
    "check": "what the arena checks before a bot may play",
    "submit": "send a bot to the arena, and follow its check",
    "reproduce": "play a recorded game again with your bot in a seat",
    "verify": "play replays again, and say whether they come out so",
}

WELCOME: Final = """\
{version}: write bots for the card game Skyjo, and let them play.

  {program} new mybot.py            {new}
  {program} play mybot.py greedy    {play}
  {program} submit mybot.py         {submit}

More commands, each with --help:

{more}

House bots to play against, weakest first: {house}."""


class Command(Protocol):
    """A module of a command: what it takes, and what it does; its exit status."""

    def arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> int: ...


class _Parser(argparse.ArgumentParser):
    """Says in one sentence what is wrong."""

    def print_help(self, file: object = None) -> None:
        print_line(self.format_help().rstrip("\n"))

    def error(self, message: str) -> NoReturn:
        sentence = message[0].upper() + message[1:].rstrip(".")
        raise Problem(f"{sentence}. Help: {self.prog} --help")


def main(words: Sequence[str]) -> int:
    """Carry out a command line; its exit status."""
    _prepare_streams()
    try:
        return _carried_out(words)
    except Problem as problem:
        sys.stderr.write(f"{problem.sentence}\n")
        return problem.status
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped.\n")
        return INTERRUPTED
    except _SeenEnough:
        return INTERRUPTED


def _carried_out(words: Sequence[str]) -> int:
    if not words or words[0] in {"-h", "--help", "help"}:
        print_line(welcome())
        return 0
    if words[0] in {"-V", "--version", "version"}:
        print_line(version_line())
        return 0
    name = words[0]
    if name not in COMMANDS:
        known = ", ".join(COMMANDS)
        raise Problem(f"There is no command “{name}”. There are: {known}.")
    command: Command = import_module(f".{name}", __package__)
    parser = _Parser(
        prog=f"{command_line()} {name}",
        description=f"{COMMANDS[name][0].upper()}{COMMANDS[name][1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        # A shortened --cmd would be no bot.
        allow_abbrev=False,
    )
    command.arguments(parser)
    with interruptible():
        return command.run(parser.parse_intermixed_args(with_commands(words[1:])))


def welcome() -> str:
    """What a newcomer needs to know first."""
    from bots.house import HOUSE

    first = ("new", "play", "submit")
    more = "\n".join(f"  {name:<10} {COMMANDS[name]}" for name in COMMANDS if name not in first)
    return WELCOME.format(
        version=version_line(),
        program=command_line(),
        more=more,
        house=", ".join(bot.name for bot in HOUSE),
        **{name: COMMANDS[name] for name in first},
    )


def with_commands(words: Sequence[str]) -> list[str]:
    """The words, in which each `--cmd COMMAND` is one bot, at its place among the others."""
    found: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--cmd":
            line = next(left, None)
            if line is None:
                raise Problem('--cmd wants the command line that starts a bot, such as --cmd "./mybot".')
            found.append(CommandLine(line))
        elif word.startswith("--cmd="):
            found.append(CommandLine(word.removeprefix("--cmd=")))
        else:
            found.append(word)
    return found


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGTERM, and a terminal that is closed, end a command as Ctrl-C does: with what was done, and without leaving a
    process. What is ignored, as by nohup, stays so."""
    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {number: signal.getsignal(number) for number in numbers}
    heeded = [number for number in numbers if before[number] is not signal.SIG_IGN]
    for number in heeded:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in heeded:
            signal.signal(number, before[number])


def _prepare_streams() -> None:
    """Whatever they are, there is something to write to that takes every character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - for as long as we run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _SeenEnough(Exception):
    """Whoever read our output reads no more of it."""


@contextmanager
def writing() -> Iterator[None]:
    """Around all that writes to standard output: what cannot be written ends the command."""
    try:
        yield
    except OSError as error:
        # What is left of it cannot be written as Python ends, either.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise _SeenEnough from error
        raise Problem(f"The output cannot be written: {error.strerror or error}.", TROUBLE) from error


def print_line(text: str = "") -> None:
    """At once, also where nobody looks on: what takes its time is told as it goes."""
    with writing():
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def whole_number(highest: int, lowest: int = 1) -> Callable[[str], int]:
    """What reads an argument that is a number."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= 9 and lowest <= int(text) <= highest:
            return int(text)
        raise argparse.ArgumentTypeError(f"it must be a number from {lowest} to {highest}, not “{text}”")

    return read
