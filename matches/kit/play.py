"""`play mybot.py ev`: every deal from every seating, and who is better."""

from __future__ import annotations

import argparse
import json
import os
import sys

from matches.local import Tally, match_specs, play_local
from matches.referee import GameRecord, InfrastructureFault

from . import table_options as table
from .main import print_line, whole_number
from .problems import INTERRUPTED, TROUBLE, Problem
from .results import counted, differences, report, told
from .results import table as result_table
from .terminal import Bar

MAX_DEALS = 100_000


def arguments(parser: argparse.ArgumentParser) -> None:
    table.add_bots(parser)
    parser.add_argument(
        "--deals",
        type=whole_number(MAX_DEALS),
        default=50,
        metavar="N",
        help="each from every seat; default 50",
    )
    parser.add_argument(
        "--jobs",
        type=whole_number(256),
        default=1,
        metavar="N",
        help="how many matches are played at once; changes no result; default 1",
    )
    table.add_rules(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    table.add_sandbox(parser)
    table.add_limits(parser)


def run(options: argparse.Namespace) -> int:
    chosen = table.table_of(options)
    launcher = table.launcher_of(options)
    jobs = min(options.jobs, os.cpu_count() or 1)
    if jobs < options.jobs:
        sys.stderr.write(f"This machine has {jobs} processors, so {jobs} matches are played at once.\n")
    specs = match_specs(chosen.seed, chosen.rules, len(chosen.entrants), options.deals, chosen.limits)
    tally = Tally(chosen.names)
    n_games = sum(spec.n_games for spec in specs)
    bar = Bar(n_games, "games")

    def on_game(match: int, game: GameRecord) -> None:
        tally.add(game, match)
        bar.step(lambda: _so_far(tally))

    ended_by: BaseException | None = None
    try:
        play_local(chosen.entrants, specs, launcher=launcher, on_game=on_game, jobs=jobs)
    except (KeyboardInterrupt, InfrastructureFault) as error:
        ended_by = error
    finally:
        bar.clear()
    if options.json:
        print_line(json.dumps(_json(tally, chosen, options, n_games), indent=2))
    else:
        _print(tally, chosen, options, n_games)
    if isinstance(ended_by, KeyboardInterrupt):
        sys.stderr.write("Stopped.\n")
        return INTERRUPTED
    if ended_by is not None:
        raise Problem(f"The match broke off, and no bot is to blame. {ended_by}", TROUBLE)
    return 0


def _so_far(tally: Tally) -> str:
    return "  ".join(f"{name} {100 * wins / tally.n_games:.0f} %" for name, wins in tally.wins())


def _print(tally: Tally, chosen: table.Table, options: argparse.Namespace, n_games: int) -> None:
    where = "in the sandbox" if options.sandbox else "without the sandbox"
    print_line(
        f"{chosen.preset}, {tally.n_games} of {n_games} games "
        f"({counted(options.deals, 'deal')} from every seating), {where}"
    )
    print_line(f"seed {chosen.seed.hex()}")
    print_line()
    for line in result_table(tally.standings()):
        print_line(line)
    for at, line in enumerate(differences(tally, chosen.names)):
        print_line(("" if at else "\n") + line)
    for first in tally.first_faults:
        print_line()
        for line in told(first, chosen.words, chosen.seed):
            print_line(line)


def _json(tally: Tally, chosen: table.Table, options: argparse.Namespace, n_games: int) -> dict[str, object]:
    return {
        "preset": chosen.preset,
        "seed": chosen.seed.hex(),
        "deals": options.deals,
        "sandbox": options.sandbox,
        "complete": tally.n_games == n_games,
        **report(tally, chosen.names),
    }
