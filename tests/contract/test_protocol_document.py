"""docs/protocol.md says what happens: its examples run, and its exchange is what the referee really sends."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from bots.house import house_source
from bots.kit.skyjo import KIT_VERSION, Bot, View, load_bot
from bots.sandbox.launcher import BareLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
from matches.engine import SeededDeal, parse_seed, rules_from
from matches.engine.events import FIELDS
from matches.referee import MatchSpec, play_match
from matches.replay.core import FAULT_KINDS
from tests.bots.kit.bot_process import talk

from .driver import house_table, play_game

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "protocol.md").read_text()
SEED = parse_seed("7")
OFFICIAL = rules_from("official")

# Answers as the bot does, and writes down all that it reads and says.
TEE = """
import json
import os
import sys

# The kit keeps standard input and output to itself.
messages, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
from lowest import Lowest
from skyjo import View

bot = Lowest()
for line in messages:
    sys.stderr.write("> " + line)
    message = json.loads(line)
    if message["type"] == "hello":
        bot.rules = message["rules"]
        answer = '{"type":"ready"}'
    elif message["type"] == "act":
        view = View(message["view"], message["phase"], message["since"], message["clock"], bot.rules)
        answer = '{"id":%d,%s}' % (message["id"], bot.decide(view).body)
    else:
        continue
    sys.stderr.write("< " + answer + "\\n")
    print(answer, file=answers, flush=True)
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    [found] = re.findall(rf"^#+ {title}\n(.*?)(?=^#|\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    return found


def keys(title: str) -> set[str]:
    """The first column of the section's table."""
    return set(re.findall(r"^\| `(\w+)` \|", section(title), re.MULTILINE))


EXCHANGE = "".join(blocks("exchange")).splitlines()
EXAMPLE, WITHOUT_KIT = blocks("python")


@cache
def traffic() -> tuple[str, ...]:
    """All that the example bot hears and says in its match against greedy, in the game where it has seat 1."""
    spec = MatchSpec(SEED, OFFICIAL, 2, 1, Limits())
    programs = [
        Program("python", {"main.py": TEE.encode(), "lowest.py": EXAMPLE.encode()}, "main.py"),
        Program("python", {"main.py": house_source("greedy")}, "main.py"),
    ]
    record = play_match(spec, programs, BareLauncher(), sha256s=["0" * 64, "1" * 64])
    [game] = [game for game in record.games if game.participants == (1, 0)]
    assert game.faults == ()
    return tuple(game.private[1].stderr.splitlines())


def timeless(line: str) -> object:
    """The message, without what differs from run to run and host to host."""
    message = json.loads(line[2:])
    message.pop("clock", None)
    message.pop("python", None)
    return line[0], message


def test_the_documented_exchange_is_what_the_referee_sends_and_hears():
    heard = [timeless(line) for line in traffic() if line.startswith(("> {", "< {")) and line.endswith("}")]

    n_begin = len(blocks("exchange")[0].splitlines())
    assert [timeless(line) for line in EXCHANGE[:n_begin]] == heard[:n_begin]
    assert [timeless(line) for line in EXCHANGE[n_begin:]] == heard[-3:]


def test_the_example_bot_gives_the_documented_answers_as_a_process(tmp_path):
    spoken = talk(tmp_path, EXAMPLE, [line[2:] for line in EXCHANGE if line.startswith(">")])

    assert spoken.lines == [line[2:] for line in EXCHANGE if line.startswith("<")]
    assert (spoken.stderr, spoken.status) == ("", 0)


def test_the_example_bot_plays_whole_games(tmp_path):
    path = tmp_path / "lowest.py"
    path.write_text(EXAMPLE)
    game = play_game([load_bot(path)(), *house_table(["random"])], OFFICIAL, SeededDeal(SEED, 0))

    assert game.outcome.placing == (1, 2)


def test_the_bot_without_the_kit_is_the_template_and_gives_the_same_answers(tmp_path):
    template = (ROOT / "bots" / "kit" / "templates" / "no_kit.py").read_text()
    assert template.endswith(WITHOUT_KIT)

    spoken = talk(tmp_path, WITHOUT_KIT, [line[2:] for line in EXCHANGE if line.startswith(">")])
    assert [json.loads(line) for line in spoken.lines] == [
        {"type": "ready"},
        {"id": 1, "cells": [0, 1]},
        {"id": 2, "take": "draw"},
        {"id": 3, "swap": 0},
    ]


@pytest.mark.parametrize("kind", ["hello", "game", "act", "round", "over"])
def test_every_key_of_a_message_is_documented(kind):
    messages = [json.loads(line[2:]) for line in EXCHANGE if line.startswith(f'> {{"type":"{kind}"')]

    assert messages
    for message in messages:
        assert keys(kind) == set(message) - {"type"}


def test_every_key_of_the_view_is_documented():
    seen = [json.loads(line[2:])["view"] for line in EXCHANGE if '"type":"act"' in line]

    assert keys("The view") == set().union(*seen)


def test_the_documented_hello_has_this_kit_these_limits_and_every_flag():
    hello = json.loads(EXCHANGE[0][2:])

    assert hello["kit"] == KIT_VERSION
    assert hello["limits"] == Limits().as_dict()
    assert hello["rules"] == OFFICIAL.as_dict()


def test_every_kind_of_event_is_named():
    assert set(re.findall(r"`(\w+)`", section("Events"))) >= set(FIELDS)


def test_every_kind_of_bot_fault_is_documented():
    assert keys("Faults") == set(FAULT_KINDS)


def test_every_flag_and_view_helper_that_the_document_names_exists():
    kit = section("The Python kit")
    view = View(json.loads(EXCHANGE[3][2:])["view"], "reveal", rules=OFFICIAL.as_dict())

    for name in re.findall(r"view\.(\w+)", kit):
        assert hasattr(view, name), name
    for name in re.findall(r"`(\w+)\((?:result)?\)`", kit):
        assert hasattr(Bot, name) or name in {"run", "load_bot"}, name
    for flag in re.findall(r"`(\w+_\w+)` `\w+`", DOCUMENT):
        assert flag in OFFICIAL.as_dict(), flag
