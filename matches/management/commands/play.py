"""`manage.py play A B …`: a match between house bots and bot files, in the terminal."""

from __future__ import annotations

import json
import secrets
import signal
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _
from tqdm import tqdm

from bots.sandbox.faults import quote_line
from bots.sandbox.launcher import BareLauncher, Launcher, SandboxLauncher
from bots.sandbox.limits import Limits
from matches.engine import MAX_SEATS, MIN_SEATS, Rules, RulesError, parse_seed, rules_from
from matches.local import Entrant, FirstFault, Standing, Tally, UnknownBot, find_entrants, play_local
from matches.referee import InfrastructureFault

MAX_DEALS = 100_000
STDERR_LINES = 6
BAD_ARGUMENTS = 2
INTERRUPTED = 130


class Command(BaseCommand):
    help = (
        "Play a match between house bots (by name) and bot files (.py, or .zip with main.py): every deal once from "
        "every seating, under the arena's rules and limits."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bots", nargs="+", metavar="BOT", help="a house bot's name, or a bot file")
        parser.add_argument("--deals", type=_number(MAX_DEALS), default=50, metavar="N", help="default 50")
        parser.add_argument("--seed", type=_seed, help="a number, or 64 hex digits; otherwise one at random")
        parser.add_argument(
            "--preset", default="official", metavar="NAME", help="the rules; default official"
        )
        parser.add_argument("--sandbox", action="store_true", help="run the bots in the arena's sandbox")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
        default = Limits()
        for option, value, meaning in (
            ("--start-ms", default.start_ms, "CPU time of a start"),
            ("--decision-ms", default.decision_ms, "CPU time of a decision"),
            ("--bank-ms", default.bank_ms, "CPU time of a game"),
            ("--memory-mib", default.memory_mib, "memory of a bot"),
        ):
            parser.add_argument(
                option, type=_number(10**6), default=value, metavar="N", help=f"{meaning}; default {value}"
            )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rules = rules_from(options["preset"])
            entrants = find_entrants(options["bots"])
        except (RulesError, UnknownBot) as error:
            raise CommandError(str(error), returncode=BAD_ARGUMENTS) from error
        if not MIN_SEATS <= len(entrants) <= MAX_SEATS:
            text = _("A match has %(low)d to %(high)d bots, not %(given)d.")
            given = {"low": MIN_SEATS, "high": MAX_SEATS, "given": len(entrants)}
            raise CommandError(text % given, returncode=BAD_ARGUMENTS)
        self._play(entrants, rules, options)

    def _play(self, entrants: Sequence[Entrant], rules: Rules, options: dict[str, Any]) -> None:
        seed = options["seed"] or secrets.token_bytes(32)
        limits = Limits(
            start_ms=options["start_ms"],
            decision_ms=options["decision_ms"],
            bank_ms=options["bank_ms"],
            memory_mib=options["memory_mib"],
        )
        launcher: Launcher = SandboxLauncher() if options["sandbox"] else BareLauncher()
        if not options["sandbox"]:
            warning = _("The bots run without a sandbox: play only what you trust, or add --sandbox.")
            self.stderr.write(warning, self.style.WARNING)
        tally = Tally([entrant.name for entrant in entrants])
        n_games = options["deals"] * len(entrants)
        ended_by: BaseException | None = None
        with tqdm(total=n_games, unit=_("game"), leave=False, dynamic_ncols=True) as bar, _interruptible():
            try:
                play_local(
                    entrants,
                    seed=seed,
                    rules=rules,
                    deals=options["deals"],
                    limits=limits,
                    launcher=launcher,
                    tally=tally,
                    on_game=lambda game: bar.update(),
                )
            except (KeyboardInterrupt, InfrastructureFault) as error:
                ended_by = error
        if options["json"]:
            self.stdout.write(json.dumps(_report(tally, options, seed, n_games), indent=2))
        else:
            self._print(tally, options, seed, n_games)
        if isinstance(ended_by, KeyboardInterrupt):
            self.stderr.write(_("Stopped."))
            sys.exit(INTERRUPTED)
        if ended_by is not None:
            raise CommandError(_("The match broke off, and no bot is to blame. %s") % ended_by)

    def _print(self, tally: Tally, options: dict[str, Any], seed: bytes, n_games: int) -> None:
        write = self.stdout.write
        write(
            _("%(preset)s, %(games)d of %(all)d games (%(deals)d deals from every seating), %(where)s")
            % {
                "preset": options["preset"],
                "games": tally.n_games,
                "all": n_games,
                "deals": options["deals"],
                "where": _("in the sandbox") if options["sandbox"] else _("without a sandbox"),
            }
        )
        write(_("seed %s") % seed.hex())
        write("")
        for line in _table(tally.standings()):
            write(line)
        for first in tally.first_faults:
            write("")
            for line in _told(first):
                write(line)


def _seed(text: str) -> bytes:
    try:
        return parse_seed(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error


def _number(highest: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= highest:
            return int(text)
        raise ArgumentTypeError(
            _("It must be a number from 1 to %(highest)d, not “%(text)s”.")
            % {"highest": highest, "text": quote_line(text.encode(errors="replace"))}
        )

    return number


@contextmanager
def _interruptible() -> Iterator[None]:
    """SIGTERM ends a match as Ctrl-C does: with what was played, and without leaving a process."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _table(standings: Sequence[Standing]) -> Iterator[str]:
    """The standings as lines, the best mean placing first."""
    heads = [
        _("bot"),
        _("games"),
        _("wins"),
        _("wins %"),
        _("placing"),
        _("points/game"),
        _("points/round"),
        _("faults"),
        _("ms/decision"),
        _("95 % below"),
    ]
    rows = [
        [
            standing.name,
            str(standing.games),
            f"{standing.wins:.1f}".removesuffix(".0"),
            _shown(100 * standing.wins / standing.games if standing.games else None, 1),
            _shown(standing.placing, 2),
            _shown(standing.points_a_game, 1),
            _shown(standing.points_a_round, 1),
            str(standing.n_faults),
            _shown(standing.decision_ms, 3),
            _shown(standing.decision_p95_ms, 3),
        ]
        for standing in sorted(standings, key=lambda standing: standing.placing or 0)
    ]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in [heads, *rows]:
        name, *numbers = (
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join([name, *numbers])


def _shown(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _told(first: FirstFault) -> Iterator[str]:
    """A bot's first fault, for its author."""
    fault = first.fault
    where = {"name": first.name, "kind": fault.kind, "deal": first.deal, "seating": first.seating}
    yield _("%(name)s: first fault (%(kind)s) in deal %(deal)d, seating %(seating)d") % where
    place = {"round": fault.round, "turn": fault.turn, "phase": fault.phase}
    yield "  " + (_("round %(round)d, turn %(turn)d, phase %(phase)s: ") % place) + fault.sentence
    yield "  " + _("expected: %s") % fault.expected
    if first.line is not None:
        yield "  " + _("it wrote: %s") % first.line
    for line in first.stderr.splitlines()[-STDERR_LINES:]:
        yield "  | " + quote_line(line.encode(errors="replace"))


def _report(tally: Tally, options: dict[str, Any], seed: bytes, n_games: int) -> dict[str, Any]:
    return {
        "preset": options["preset"],
        "seed": seed.hex(),
        "deals": options["deals"],
        "sandbox": options["sandbox"],
        "games": tally.n_games,
        "complete": tally.n_games == n_games,
        "bots": [standing.as_dict() for standing in tally.standings()],
        "first_faults": [
            {
                "name": first.name,
                "deal": first.deal,
                "seating": first.seating,
                **first.fault.as_dict(),
                "line": first.line,
                "stderr": first.stderr,
            }
            for first in tally.first_faults
        ],
    }
