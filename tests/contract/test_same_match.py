"""A match can be played again exactly: by the referee with processes, and by the engine with the bots in process."""

from __future__ import annotations

from bots.house import house_source
from bots.sandbox.launcher import BareLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
from matches.engine import SeededDeal, bot_random_seed, parse_seed, rules_from
from matches.referee import MatchSpec, play_match

from .driver import house_table, play_game

SEED = parse_seed("13")
OFFICIAL = rules_from("official")
NAMES = ("random", "ev", "collector")


def test_house_bots_play_the_same_match_in_processes_and_in_this_one():
    spec = MatchSpec(SEED, OFFICIAL, len(NAMES), 2, Limits())
    programs = [Program("python", {"main.py": house_source(name)}, "main.py") for name in NAMES]
    first, second = (
        play_match(spec, programs, BareLauncher(), sha256s=[digit * 64 for digit in "123"]) for _ in range(2)
    )

    assert [game.core for game in first.games] == [game.core for game in second.games]
    for record in first.games:
        assert record.faults == ()
        names = [NAMES[participant] for participant in record.participants]
        luck = bot_random_seed(SEED, record.deal, names.index("random"))
        game = play_game(house_table(names), OFFICIAL, SeededDeal(SEED, record.deal), random_seed=luck)
        assert tuple(game.rounds) == record.rounds
        assert game.n_decisions == record.n_decisions
