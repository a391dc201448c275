"""Games from elsewhere: what a transcript may hold, and what is said of the first wrong thing."""

from __future__ import annotations

import copy
import json
import random

import pytest

from matches.engine import DECK, DRAW, PRESETS, flip
from matches.engine.transcript import MAX_BYTES, TranscriptError, play_transcript, read_transcript

from .scenarios import SCENARIOS
from .staging import GivenDeal, Staged, StagedDeal, new_game, pack, staged_action


class Written:
    """A deal that writes down what it deals."""

    def __init__(self, deal):
        self._deal = deal
        self.rounds = []

    def pack(self, round, /):
        self.rounds.append({"cards": self._deal.pack(round), "reshuffles": [], "decisions": []})
        return list(self.rounds[-1]["cards"])

    def reshuffle(self, round, k, pile, /):
        self.rounds[-1]["reshuffles"].append(self._deal.reshuffle(round, k, pile))
        return list(self.rounds[-1]["reshuffles"][-1])


def write(rules, seats, deal, decisions):
    """A game played by `decisions` (a function of the game, None to stop), and its transcript."""
    written = Written(deal)
    game = new_game(rules, seats, written)
    while game.outcome is None and (action := decisions(game)) is not None:
        written.rounds[len(game.rounds)]["decisions"].append([game.seat, action.as_json()])
        game.apply(action)
    if not written.rounds[-1]["decisions"] and len(written.rounds) > 1:
        written.rounds.pop()
    return game, json.loads(json.dumps({"rules": rules, "seats": seats, "rounds": written.rounds}))


def at_random(seed):
    rng = random.Random(seed)
    return lambda game: rng.choice(game.legal_actions())


STAGED = (Staged((29, 6), closer=1, starter=0), Staged((29, 6), closer=1, starter=1))


def short_game(n_rounds=2):
    """Two rounds to 50; the second ends it with 58 against 12."""
    rounds = STAGED[:n_rounds]
    return write(
        {"target": 50},
        2,
        StagedDeal(*rounds),
        lambda game: staged_action(game, rounds) if len(game.rounds) < n_rounds else None,
    )


def eight_seats():
    """A round of eight seats with a reshuffle, played to its end."""
    game, transcript = write(
        "official",
        8,
        GivenDeal(),
        lambda game: None if game.rounds else by_flipping(game),
    )
    assert transcript["rounds"][0]["reshuffles"]
    return game, transcript


def by_flipping(game):
    if game.phase == "place":
        return flip(game.current.hidden(game.seat)[0])
    return DRAW if game.phase == "draw" else game.legal_actions()[0]


def changed(transcript, path, value):
    """A copy of the transcript with one thing set, or left out where `value` is `...`."""
    transcript = copy.deepcopy(transcript)
    *way, last = path
    inner = transcript
    for step in way:
        inner = inner[step]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return transcript


def error_of(transcript):
    answer = play_transcript(transcript)
    assert list(answer) == ["error", "round", "decision"], answer
    assert len(answer["error"]) < 400
    assert answer["error"].endswith(".")
    return answer["error"], answer["round"], answer["decision"]


def test_a_finished_game():
    game, transcript = short_game()
    answer = play_transcript(transcript)
    assert list(answer) == ["finished", "totals", "placing", "rounds"]
    assert (answer["finished"], answer["totals"], answer["placing"]) == (True, [58, 12], [2, 1])
    first = answer["rounds"][0]
    assert list(first) == [
        "starter",
        "closer",
        "cut",
        "points_before",
        "points",
        "doubled",
        "columns",
        "grids",
        "discard",
    ]
    result = game.rounds[0]
    assert first == {
        "starter": 0,
        "closer": 1,
        "cut": False,
        "points_before": [29, 6],
        "points": [29, 6],
        "doubled": None,
        "columns": [],
        "grids": [list(grid) for grid in result.grids],
        "discard": list(result.discard),
    }
    assert json.loads(json.dumps(answer)) == answer


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seats", [2, 3, 8])
def test_any_game_comes_out_as_it_was_played(preset, seats):
    game, transcript = write(preset, seats, GivenDeal(deal=seats), at_random(seats))
    answer = play_transcript(transcript)
    assert (answer["finished"], tuple(answer["totals"])) == (True, game.outcome.totals)
    assert tuple(answer["placing"]) == game.outcome.placing
    for told, result in zip(answer["rounds"], game.rounds, strict=True):
        assert told["columns"] == [list(column) for column in result.columns]
        assert told["grids"] == [list(grid) for grid in result.grids]
        assert told["discard"] == list(result.discard)
        assert (told["starter"], told["closer"], told["cut"]) == (result.starter, result.closer, result.cut)
        assert (tuple(told["points"]), told["doubled"]) == (result.points, result.doubled)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_the_golden_games_can_be_given_as_transcripts(scenario):
    written = Written(scenario.deal)
    game = new_game(scenario.rules, scenario.seats, written)
    for action in scenario.decisions(game):
        written.rounds[len(game.rounds)]["decisions"].append([game.seat, action.as_json()])
        game.apply(action)
    answer = play_transcript({"rules": scenario.rules, "seats": scenario.seats, "rounds": written.rounds})
    assert answer["totals"] == game.totals
    assert len(answer["rounds"]) == len(game.rounds)


def test_cut_rounds_and_an_extra_round_are_told():
    rules = {"turn_cap": 1, "target": 1, "final_tie": "extra_round", "round_cap": 2}
    hands = [range(1, 13), range(1, 13), [*range(2, 13), 12]]
    _, transcript = write(rules, 3, GivenDeal([pack(hands)]), by_flipping)
    answer = play_transcript(transcript)
    assert answer["finished"] is True
    assert [(told["cut"], told["closer"]) for told in answer["rounds"]] == [(True, None)] * 2
    assert answer["rounds"][0]["points"] == [78, 78, 89]
    assert answer["rounds"][1]["grids"][2] == ["x"] * 12
    assert answer["rounds"][1]["points"][2] == 0
    assert answer["placing"][2] == 3


def test_an_unfinished_game_is_no_error():
    _, transcript = short_game()
    whole = transcript["rounds"][1]["decisions"]
    for n in range(0, len(whole), 5):
        answer = play_transcript(changed(transcript, ["rounds", 1, "decisions"], whole[:n]))
        assert (answer["finished"], answer["placing"], answer["totals"]) == (False, None, [29, 6])
        assert len(answer["rounds"]) == 1
    answer = play_transcript(changed(transcript, ["rounds"], transcript["rounds"][:1]))
    assert (answer["finished"], len(answer["rounds"])) == (False, 1)
    answer = play_transcript(changed(transcript, ["rounds"], []))
    assert answer == {"finished": False, "totals": [0, 0], "placing": None, "rounds": []}


def test_reshuffles_may_be_left_out_where_there_are_none():
    _, transcript = short_game()
    assert play_transcript(changed(transcript, ["rounds", 0, "reshuffles"], ...))["finished"]


def test_a_reshuffle_that_an_unfinished_round_has_not_come_to_is_no_error():
    _, transcript = eight_seats()
    answer = play_transcript(changed(transcript, ["rounds", 0, "decisions"], []))
    assert (answer["finished"], answer["rounds"]) == (False, [])


class TestTheWhole:
    @pytest.mark.parametrize(
        ("path", "value", "text"),
        [
            (["rules"], "oficial", 'There is no preset "oficial"'),
            (["rules"], {"goal": 3}, 'There is no flag "goal"'),
            (["rules"], {"target": 0}, "The flag target must be an integer"),
            (["rules"], None, "Rules are a preset's name or an object of flags"),
            (
                ["rules"],
                ...,
                "a transcript must be an object with the keys rules, seats, rounds; rules is missing.",
            ),
            (["seats"], 1, "A table has 2 to 8 seats, not 1."),
            (["seats"], 9, "not 9."),
            (["seats"], True, "not true."),
            (["seats"], "2", 'not "2".'),
            (["seats"], ..., "seats is missing."),
            (["rounds"], {}, "rounds must be a list, not an object with 0 keys."),
            (["rounds"], ..., "rounds is missing."),
            (["round"], [], 'remove "round".'),
        ],
    )
    def test_what_is_wrong_with_it_blames_no_round(self, path, value, text):
        error, round, decision = error_of(changed(short_game()[1], path, value))
        assert text in error
        assert (round, decision) == (None, None)

    @pytest.mark.parametrize("value", [None, [], "official", 7])
    def test_it_is_an_object(self, value):
        error, round, decision = error_of(value)
        assert error.startswith("a transcript must be an object with the keys rules, seats, rounds, not ")
        assert (round, decision) == (None, None)


class TestRounds:
    @pytest.mark.parametrize(
        ("number", "path", "value", "text"),
        [
            (0, ["cards"], list(DECK[:-1]), "rounds[0].cards must be the deck: it has 150 cards, not 149."),
            (1, ["cards"], [*DECK[:-1], 11], "the card 11 is in it 10 times, not 11."),
            (0, ["cards"], [*DECK[:-1], 13], "13 is no card; cards are the integers from -2 to 12."),
            (0, ["cards"], [*DECK[:-1], 12.0], "12.0 is no card"),
            (1, ["cards"], [*DECK[:-1], "12"], '"12" is no card'),
            (0, ["cards"], [True, *DECK[1:]], "true is no card"),
            (0, ["cards"], [10**40, *DECK[1:]], "a huge integer is no card"),
            (0, ["cards"], list(DECK) * 1000, "it has 150 cards, not 150000."),
            (0, ["cards"], "5 0 9", 'a list of 150 integers, not "5 0 9".'),
            (1, ["cards"], ..., "cards is missing."),
            (1, ["decisions"], ..., "decisions is missing."),
            (1, ["decisions"], {}, "rounds[1].decisions must be a list, not an object with 0 keys."),
            (0, ["reshuffles"], None, "rounds[0].reshuffles must be a list, not null."),
            (0, ["starter"], 0, 'remove "starter".'),
        ],
    )
    def test_what_is_wrong_with_one_blames_it(self, number, path, value, text):
        error, round, decision = error_of(changed(short_game()[1], ["rounds", number, *path], value))
        assert text in error
        assert error.startswith(f"rounds[{number}]")
        assert (round, decision) == (number, None)

    @pytest.mark.parametrize("value", [None, [], 3, "cards"])
    def test_a_round_is_an_object(self, value):
        error, round, decision = error_of(changed(short_game()[1], ["rounds", 1], value))
        assert error.startswith(
            "rounds[1] must be an object with the keys cards, decisions, reshuffles, not "
        )
        assert (round, decision) == (1, None)

    def test_none_comes_after_the_end(self):
        _, transcript = short_game()
        for extra in (transcript["rounds"][0], None):
            error, round, decision = error_of(changed(transcript, ["rounds"], [*transcript["rounds"], extra]))
            assert error == "rounds[2] comes after the end of the game; remove it."
            assert (round, decision) == (2, None)

    def test_an_unfinished_one_is_the_last(self):
        _, transcript = short_game()
        transcript["rounds"][0]["decisions"].pop()
        error, round, decision = error_of(transcript)
        assert error.startswith("rounds[0].decisions end before the round does, but rounds[1] follows; ")
        assert (round, decision) == (0, None)


class TestDecisions:
    @pytest.mark.parametrize(
        ("index", "value", "text"),
        [
            (0, [1, {"cells": [0, 1]}], "it is the turn of seat 0 (phase reveal), not of 1."),
            (1, [0, {"cells": [0, 1]}], "it is the turn of seat 1 (phase reveal), not of 0."),
            (2, [1, {"take": "draw"}], "it is the turn of seat 0 (phase draw), not of 1."),
            (2, [True, {"take": "draw"}], "not of true."),
            (2, [0.0, {"take": "draw"}], "not of 0.0."),
            (2, ["0", {"take": "draw"}], 'not of "0".'),
            (2, [0], "a decision is [seat, action], not a list of 1."),
            (2, [0, {"take": "draw"}, 1], "not a list of 3."),
            (2, {"seat": 0}, "a decision is [seat, action], not an object with 1 keys."),
            (2, None, "a decision is [seat, action], not null."),
            (2, [0, "draw"], '"draw" is no action. In phase draw answer {"take": "draw"}'),
            (2, [0, {"take": "draw", "note": "x"}], "is no action."),
            (2, [0, {"take": "discard", "cell": False}], "is no action."),
            (2, [0, {"take": "discard", "cell": 12}], "take 12 is illegal. There is no cell 12"),
            (
                2,
                [0, {"swap": 3}],
                "swap 3 is illegal. Take from the draw pile or from the discard pile first.",
            ),
            (3, [0, {"take": "draw"}], "draw is illegal. Swap the drawn card into the grid"),
            (3, [0, {"discard": True}], "discard is illegal. Under these rules"),
            (0, [0, {"cells": [4, 4]}], "reveal 4 4 is illegal. Reveal two different face-down cells."),
        ],
    )
    def test_what_is_wrong_with_one_blames_it(self, index, value, text):
        error, round, decision = error_of(changed(short_game()[1], ["rounds", 0, "decisions", index], value))
        assert text in error
        assert error.startswith(f"rounds[0].decisions[{index}]: ")
        assert (round, decision) == (0, index)

    def test_one_that_is_left_out_blames_the_next(self):
        _, transcript = short_game()
        del transcript["rounds"][1]["decisions"][17]
        assert error_of(transcript)[1:] == (1, 17)

    @pytest.mark.parametrize("number", [0, 1])
    @pytest.mark.parametrize("extra", [[0, {"take": "draw"}], None])
    def test_leftovers_blame_the_first_of_them(self, number, extra):
        _, transcript = short_game()
        decisions = transcript["rounds"][number]["decisions"]
        n = len(decisions)
        decisions += [extra, extra]
        error, round, decision = error_of(transcript)
        assert error.startswith(f"rounds[{number}].decisions[{n}]: the round is over; remove this decision")
        assert (round, decision) == (number, n)

    def test_the_first_wrong_thing_is_told(self):
        _, transcript = short_game()
        broken = changed(transcript, ["rounds", 1, "cards"], [])
        broken["rounds"][0]["decisions"][9] = None
        broken["rounds"][0]["decisions"][20] = "later"
        assert error_of(broken)[1:] == (0, 9)


class TestReshuffles:
    def needed(self, transcript):
        """The index of the first `take draw` that finds the draw pile empty."""
        draws = [i for i, (_, action) in enumerate(transcript["rounds"][0]["decisions"]) if "take" in action]
        return draws[53]

    @pytest.mark.parametrize(
        ("reshuffles", "text"),
        [
            ([], "rounds[0].reshuffles[0] is missing and must hold the 53 cards under the top discard"),
            ([[]], "rounds[0].reshuffles[0] must hold the 53 cards under the top discard"),
            ([None], "not null."),
            (["all"], 'not "all".'),
            ([list(DECK)], "not a list of 150."),
            ([[0] * 53], "not a list of 53."),
            ([[0.5] * 53], "not a list of 53."),
        ],
    )
    def test_a_missing_or_wrong_one_blames_the_draw_that_needed_it(self, reshuffles, text):
        _, transcript = eight_seats()
        error, round, decision = error_of(changed(transcript, ["rounds", 0, "reshuffles"], reshuffles))
        assert f"decisions[{decision}]: the draw pile is empty; rounds[0].reshuffles[0] " in error
        assert text in error
        assert (round, decision) == (0, self.needed(transcript))

    def test_one_with_a_bool_for_a_card_is_wrong(self):
        _, transcript = eight_seats()
        pile = transcript["rounds"][0]["reshuffles"][0]
        transcript["rounds"][0]["reshuffles"][0] = [True if card == 1 else card for card in pile]
        assert error_of(transcript)[1:] == (0, self.needed(transcript))

    def test_one_with_the_top_discard_in_it_is_wrong(self):
        _, transcript = eight_seats()
        transcript["rounds"][0]["reshuffles"][0].append(0)
        assert error_of(transcript)[1:] == (0, self.needed(transcript))

    def test_one_that_was_never_needed_blames_the_round(self):
        _, transcript = eight_seats()
        transcript["rounds"][0]["reshuffles"].append([])
        error, round, decision = error_of(transcript)
        assert error == "rounds[0].reshuffles[1] was never needed; remove it and those after it."
        assert (round, decision) == (0, None)


class TestReading:
    @pytest.mark.parametrize(
        ("data", "text"),
        [
            (b"", "The file is empty."),
            (b"?", "The file is not JSON: expecting value at line 1, column 1."),
            (b"{", "The file is not JSON: expecting property name"),
            (b'{"rules": NaN}', "The file holds NaN, which is no JSON."),
            (b"[-Infinity]", "holds -Infinity, which is no JSON."),
            (b'{"seats": 2, "seats": 3}', 'The file has a key twice in one object: "seats".'),
            (b'{"rounds": [{"a": {"b": 1, "c": 2, "b": 1}}]}', 'a key twice in one object: "b".'),
            (b"\xff\xfe{}", "The file is not UTF-8: byte 0 fits nowhere."),
            (b'{"rules": "\xe9"}', "not UTF-8: byte 11"),
            (b"\xef\xbb\xbf{}", "The file begins with a byte order mark."),
            (b"[" * 10**6, "The file is nested deeper than 16 levels."),
            (b'{"a":' * 10**5, "nested deeper than 16"),
            (b" " * (MAX_BYTES + 1), "A transcript is at most 16777216 bytes long"),
            (b"{} {}", "not JSON: extra data at line 1, column 4."),
        ],
    )
    def test_bytes_that_are_no_strict_json_are_refused(self, data, text):
        with pytest.raises(TranscriptError) as caught:
            read_transcript(data)
        assert text in str(caught.value)
        assert (caught.value.round, caught.value.decision) == (None, None)

    def test_huge_integers_cost_little_and_are_wrong_where_they_stand(self):
        _, transcript = short_game()
        text = json.dumps(transcript).replace('"seats": 2', f'"seats": {"9" * 10**6}')
        error, round, decision = error_of(read_transcript(text.encode()))
        assert (error, round, decision) == ("A table has 2 to 8 seats, not a huge integer.", None, None)
        text = json.dumps(changed(transcript, ["rounds", 1, "cards", 3], "HUGE")).replace(
            '"HUGE"', "-" + "9" * 5000
        )
        assert error_of(read_transcript(text.encode()))[1:] == (1, None)

    def test_numbers_that_overflow_are_wrong_where_they_stand(self):
        text = json.dumps(short_game()[1]).replace('"seats": 2', '"seats": 1e999')
        assert error_of(read_transcript(text.encode()))[0] == "A table has 2 to 8 seats, not inf."

    def test_an_error_never_repeats_hostile_text_at_length(self):
        _, transcript = short_game()
        for path in (["rules"], ["seats"], ["rounds"], ["rounds", 0], ["rounds", 0, "cards"]):
            error_of(changed(transcript, path, "\ud800\x00" * 10**5))
        error_of(changed(transcript, ["x" * 10**6], 1))
