"""Attacks on duplicate play: who the opponent is, whether a deal was seen before, and word from one run to the next."""

from __future__ import annotations

import json

from tests.hostile.duels import Duels, hostile
from tests.matches.referee.tabling import Table, digest, seat_of


def told(game, participant):
    return game.private[seat_of(game, participant)].stderr


def messages(game, participant):
    """All that a diary was told in a game. What its clock said is left out: of each, only its fields."""
    return [json.loads(line)["message"] for line in told(game, participant).splitlines()]


def asked(game, participant):
    """The same up to its last decision: what comes after the game, a process may hear when its notes are closed."""
    found = messages(game, participant)
    while found and found[-1]["type"] in ("over", "bye"):
        found.pop()
    return found


def test_a_duplicate_deal_looks_like_a_fresh_one(launcher):
    """What a process of the second seating is told is, word for word, what the other bot's was in the first."""
    table = Table(launcher)
    diary = hostile("diary")
    games = {(game.deal, game.seating): game for game in table.play(diary, diary, deals=2).games}
    for deal in range(2):
        first, second = games[deal, 0], games[deal, 1]
        assert asked(first, 0)
        assert asked(first, 0) == asked(second, 1)
        assert asked(first, 1) == asked(second, 0)


def test_an_opponent_is_known_by_nothing_but_its_play(launcher):
    table = Table(launcher)
    against = [
        table.play(hostile("diary"), hostile(opponent)).games
        for opponent in ("plain", "thread_bomb", "long_lines", "quitter")
    ]
    for games in zip(*against, strict=True):
        # A fault of the opponent's shows at the end alone, in the placing that counts.
        *played, faulted = [messages(game, 0) for game in games]
        assert played[0] == played[1] == played[2]
        placings = [message.pop("placing") for message in faulted if message["type"] == "over"]
        for message in played[0]:
            message.pop("placing", None)
        assert faulted == played[0]
        assert len(placings) == 1
        for number in range(2):
            assert digest(number) not in told(games[0], 0)


def test_a_process_leaves_no_mark_for_the_one_of_its_next_seating(duels: Duels):
    first, second = (side.told for side in duels.play("leaves_a_mark"))
    assert first["found"] == second["found"]
    for said in (first, second):
        assert not said["changed"]
        marks = said["marks"]
        assert marks.pop("file") == marks.pop("unnamed file") == "EROFS"
        assert marks.pop("memory of a program") == marks.pop("socket") == "EACCES"
        assert marks.pop("load") == "OSError"
        assert marks.pop("merged memory") == marks.pop("push out of memory") == "EINVAL"
        assert marks == dict.fromkeys(marks, "EPERM")
