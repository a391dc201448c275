"""Transcripts: games from anywhere, with their cards given, played by this engine and told as plain JSON.

A transcript is one JSON object:

    {"rules": a preset's name or an object of flags over `official`, "seats": 2 to 8, "rounds": [
        {"cards": [all 150 in the order in which they leave the pack],
         "reshuffles": [[a new draw pile from its top], …],   may be left out when there are none
         "decisions": [[seat, action], …]}, …]}               actions as in docs/protocol.md, reveals in seat
         order

It must hold exactly these keys. The answer tells how each completed round ended:

    {"finished": bool, "totals": […], "placing": […] or null, "rounds": [{"starter", "closer", "cut",
    "points_before", "points", "doubled", "columns": [[seat, column, value], …], "grids": [[12 × integer or
    "x"], …], "discard"}, …]}

or names the first wrong thing, `round` and `decision` counted from 0 and null where none is to blame:

    {"error": "…", "round": 1, "decision": 17}

Things are read in the order of play, so a later fault never hides an earlier one. What is to blame:

- the file, the rules, the number of seats, the list of rounds: neither round nor decision;
- a round of the wrong shape, a bad deck, a round after the end of the game: the round;
- a decision that is no decision, out of turn, malformed or illegal: that decision;
- a missing or wrong reshuffle: the `take draw` that needed it;
- decisions after the end of a round: the first of them;
- decisions that end early although another round follows, or a reshuffle left over when the round is over:
the round.

A game whose last round is unfinished, or that has no further round yet, is no error; a reshuffle that such a
round has not come to may still be needed.
"""

from __future__ import annotations

from typing import Any, Final

from .actions import action_from_json
from .cards import COPIES, DECK, VALUES, is_deck
from .game import Game
from .quoting import quoted
from .round import RoundResult
from .rules import RulesError, check_seats, rules_from
from .strict_json import StrictJSONError, read_json

MAX_BYTES: Final = 16 * 1024 * 1024
"""The longest transcript that is read."""


class TranscriptError(ValueError):
    """The first wrong thing in a transcript, with its round and decision where one is to blame."""

    def __init__(self, text: str, round: int | None = None, decision: int | None = None) -> None:
        super().__init__(text)
        self.round = round
        self.decision = decision

    def as_dict(self) -> dict[str, Any]:
        return {"error": str(self), "round": self.round, "decision": self.decision}


def read_transcript(data: bytes) -> object:
    """Decode the bytes of a file as strict JSON. Raises `TranscriptError` for anything else.

    What is wrong with a number is told in its place: so here any will do.
    """
    if len(data) > MAX_BYTES:
        raise TranscriptError(f"A transcript is at most {MAX_BYTES} bytes long; split it into several files.")
    try:
        return read_json(data, any_numbers=True)
    except StrictJSONError as error:
        raise TranscriptError(f"The file {error}.") from None


def play_transcript(value: object) -> dict[str, Any]:
    """The answer to a decoded transcript, as the module describes; never raises for what it holds."""
    try:
        return _play(value)
    except TranscriptError as error:
        return error.as_dict()


def _play(value: object) -> dict[str, Any]:
    transcript = _keys(value, "a transcript", ("rules", "seats", "rounds"))
    try:
        rules = rules_from(transcript["rules"])
        seats = check_seats(transcript["seats"])
    except RulesError as error:
        raise TranscriptError(str(error)) from None
    rounds = transcript["rounds"]
    if not isinstance(rounds, list):
        raise TranscriptError(f"rounds must be a list, not {quoted(rounds)}.")
    deal = _GivenDeal(rounds)
    game = Game(rules, seats, deal)
    for number, given in enumerate(rounds):
        if game.outcome is not None:
            raise TranscriptError(f"rounds[{number}] comes after the end of the game; remove it.", number)
        _play_round(game, number, given)
        if len(game.rounds) > number:
            deal.check_all_used(number)
        elif number + 1 < len(rounds):
            raise TranscriptError(
                f"rounds[{number}].decisions end before the round does, but rounds[{number + 1}] follows; "
                f"the next decision is that of seat {game.seat} in phase {game.phase}.",
                number,
            )
    return {
        "finished": game.outcome is not None,
        "totals": game.totals,
        "placing": None if game.outcome is None else list(game.outcome.placing),
        "rounds": [_told(result) for result in game.rounds],
    }


def _play_round(game: Game, number: int, value: object) -> None:
    where = f"rounds[{number}]"
    given = _keys(value, where, ("cards", "decisions"), ("reshuffles",), number)
    if not is_deck(given["cards"]):
        raise TranscriptError(f"{where}.cards must be the deck: {_why_no_deck(given['cards'])}", number)
    for key in ("decisions", "reshuffles"):
        if not isinstance(given.get(key, []), list):
            raise TranscriptError(f"{where}.{key} must be a list, not {quoted(given[key])}.", number)
    for index, decision in enumerate(given["decisions"]):
        try:
            if len(game.rounds) > number:
                raise TranscriptError("the round is over; remove this decision and those after it.")
            _decide(game, decision)
        except ValueError as error:
            text = f"{where}.decisions[{index}]: {error}"
            raise TranscriptError(text, number, index) from None


def _decide(game: Game, decision: object) -> None:
    """Apply one decision; raises ValueError that says what is wrong with it."""
    if not isinstance(decision, list) or len(decision) != 2:
        raise TranscriptError(f"a decision is [seat, action], not {quoted(decision)}.")
    seat, action = decision
    if type(seat) is not int or seat != game.seat:
        raise TranscriptError(
            f"it is the turn of seat {game.seat} (phase {game.phase}), not of {quoted(seat)}."
        )
    game.apply(action_from_json(game.phase, action))


class _GivenDeal:
    """The cards of a transcript's rounds."""

    def __init__(self, rounds: list[object]) -> None:
        self._rounds = rounds
        self._n_used = [0] * len(rounds)

    def pack(self, round: int, /) -> list[int]:
        # A game deals its next round at once. A round that is missing or bad gets a stand-in here; no decision is
        # ever applied to it.
        given = self._rounds[round - 1] if round <= len(self._rounds) else None
        cards = given.get("cards") if isinstance(given, dict) else None
        return list(cards) if is_deck(cards) else list(DECK)

    def reshuffle(self, round: int, k: int, pile: list[int], /) -> list[int]:
        number = round - 1
        given = self._rounds[number]
        reshuffles = given.get("reshuffles", []) if isinstance(given, dict) else []
        where = f"rounds[{number}].reshuffles[{k}]"
        wanted = f"the {len(pile)} cards under the top discard in their new order"
        if k >= len(reshuffles):
            raise TranscriptError(f"the draw pile is empty; {where} is missing and must hold {wanted}.")
        new = reshuffles[k]
        if (
            not isinstance(new, list)
            or len(new) != len(pile)
            or any(type(card) is not int for card in new)
            or sorted(new) != sorted(pile)
        ):
            raise TranscriptError(f"the draw pile is empty; {where} must hold {wanted}, not {quoted(new)}.")
        self._n_used[number] = k + 1
        return list(new)

    def check_all_used(self, number: int) -> None:
        given = self._rounds[number]
        used = self._n_used[number]
        if isinstance(given, dict) and len(given.get("reshuffles", [])) > used:
            raise TranscriptError(
                f"rounds[{number}].reshuffles[{used}] was never needed; remove it and those after it.", number
            )


def _keys(
    value: object,
    where: str,
    required: tuple[str, ...],
    optional: tuple[str, ...] = (),
    round: int | None = None,
) -> dict[str, Any]:
    """`value` itself if it is an object with these keys."""
    wanted = f"an object with the keys {', '.join((*required, *optional))}"
    if not isinstance(value, dict):
        raise TranscriptError(f"{where} must be {wanted}, not {quoted(value)}.", round)
    for key in required:
        if key not in value:
            raise TranscriptError(f"{where} must be {wanted}; {key} is missing.", round)
    for key in value:
        if key not in required and key not in optional:
            raise TranscriptError(f"{where} must be {wanted}; remove {quoted(key)}.", round)
    return value


def _why_no_deck(cards: object) -> str:
    if not isinstance(cards, list):
        return f"a list of {len(DECK)} integers, not {quoted(cards)}."
    for card in cards:
        if type(card) is not int or card not in COPIES:
            return f"{quoted(card)} is no card; cards are the integers from {VALUES[0]} to {VALUES[-1]}."
    if len(cards) != len(DECK):
        return f"it has {len(DECK)} cards, not {len(cards)}."
    value = next(value for value in VALUES if cards.count(value) != COPIES[value])
    return f"the card {value} is in it {COPIES[value]} times, not {cards.count(value)}."


def _told(result: RoundResult) -> dict[str, Any]:
    return {
        "starter": result.starter,
        "closer": result.closer,
        "cut": result.cut,
        "points_before": list(result.points_before),
        "points": list(result.points),
        "doubled": result.doubled,
        "columns": [list(column) for column in result.columns],
        "grids": [list(grid) for grid in result.grids],
        "discard": list(result.discard),
    }
