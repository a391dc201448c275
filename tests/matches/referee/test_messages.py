"""What a bot is told, message by message, held against the game that was played."""

from __future__ import annotations

import pytest

from bots.kit.skyjo import KIT_VERSION
from bots.sandbox.limits import Limits
from matches.engine import bot_random_seed, event_json, parse_seed, rules_from
from matches.replay.codes import TABLES
from matches.replay.playing import new_game

from .tabling import PLAIN, logged_json, program, seat_of

DIARY = program(
    """
    def __getattribute__(self, name):
        if name in ("hello", "game", "act", "round", "over", "bye"):
            log(json.dumps(message))
        return object.__getattribute__(self, name)
    """
)
"""Logs every message that it gets."""


def told(record, seat, number):
    """The messages of a whole game to a seat, from the game played again; `number` is the first question's id."""
    game = new_game(record.core)
    placing = list(record.placing)
    mark = n_rounds = 0
    clock = None
    seed = bot_random_seed(record.core.seed, record.deal, seat)
    yield {"type": "game", "game": record.deal, "seats": game.seats, "seat": seat, "random_seed": seed}
    for character in record.core.decisions:
        if game.seat == seat:
            yield {
                "type": "act",
                "id": number,
                "phase": game.phase,
                "view": game.view(seat),
                "since": [event_json(event, seat) for event in game.events[mark:]],
                "clock": clock,
            }
            number += 1
            mark = len(game.events)
        game.apply(TABLES[game.phase][character])
        if len(game.rounds) > n_rounds:
            n_rounds += 1
            last = game.rounds[-1]
            yield {
                "type": "round",
                "round": last.number,
                "points": list(last.points),
                "doubled": last.doubled,
                "closer": last.closer,
                "totals": list(game.totals),
            }
    yield {"type": "over", "placing": placing, "totals": list(record.totals)}


@pytest.mark.parametrize(
    ("seats", "rules"),
    [(2, {"target": 20}), (3, {"target": 1}), (2, {"target": 1, "start_tie": "flip_more", "columns": False})],
)
def test_a_bot_is_told_exactly_what_the_protocol_says(table, seats, rules):
    record = table.play(DIARY, *[PLAIN] * (seats - 1), rules=rules, deals=2)
    for seating in range(seats):
        first, last = record.games[2 * seating : 2 * seating + 2]
        messages = logged_json(first, 0) + logged_json(last, 0)
        hello, bye = messages.pop(0), messages.pop()
        assert hello == {
            "type": "hello",
            "protocol": 1,
            "kit": KIT_VERSION,
            "python": table.launcher.python,
            "rules": rules_from(rules).as_dict(),
            "limits": Limits().as_dict(),
        }
        assert bye == {"type": "bye"}
        for message in messages:
            if message["type"] == "act":
                clock = message["clock"]
                assert set(clock) == {"bank_ms", "last_ms"}
                assert 0 <= clock["last_ms"] < 500
                assert 9000 < clock["bank_ms"] <= 10_000
                message["clock"] = None
        expected = list(told(first, seat_of(first, 0), 1))
        asked = sum(message["type"] == "act" for message in expected)
        expected += told(last, seat_of(last, 0), 1 + asked)
        assert messages == expected


def test_a_drawn_card_is_known_to_its_seat_alone_and_the_seed_to_none(table):
    record = table.play(DIARY, DIARY, seed="11")
    seed = parse_seed("11").hex()
    own = others = 0
    for game in record.games:
        for participant in (0, 1):
            assert seed not in game.private[participant].stderr
            seat = seat_of(game, participant)
            for message in logged_json(game, participant):
                for event in message.get("since", ()):
                    if event["event"] == "draw":
                        own += event["seat"] == seat
                        others += event["seat"] != seat
                        assert ("card" in event) == (event["seat"] == seat)
    assert own > 10
    assert others > 10
