"""Reading one line that a bot wrote: strict JSON, in bounded time, whatever the line holds (docs/protocol.md)."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Final, NoReturn

from matches.engine import (
    CELLS,
    DISCARD,
    DRAW,
    Action,
    MalformedAction,
    action_from_json,
    flip,
    reveal,
    swap,
    take,
)

MAX_NOTE_CHARACTERS: Final = 200
MAX_INT_CHARACTERS: Final = 20


class BadAnswer(Exception):
    """A line that is no answer: a protocol fault.

    `sentence` may be shown to anyone and holds nothing that the bot wrote.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    obj = dict(pairs)
    if len(obj) != len(pairs):
        raise BadAnswer("A key occurs twice in one JSON object.")
    return obj


def _integer(text: str) -> int:
    # Python takes quadratic time over long integers; none that the protocol knows is longer than this.
    if len(text) > MAX_INT_CHARACTERS:
        raise BadAnswer(f"An integer has more than {MAX_INT_CHARACTERS} characters.")
    return int(text)


def _fraction(_text: str) -> NoReturn:
    raise BadAnswer("A number is written with a fraction or an exponent where only integers are meant.")


def _constant(text: str) -> NoReturn:
    raise BadAnswer(f"{text} is no JSON.")


_decode = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_integer, parse_float=_fraction, parse_constant=_constant
).decode


def _spelling(action: dict[str, object]) -> bytes:
    return json.dumps(action, separators=(",", ":"))[1:].encode()


_SPELLINGS: Final[dict[bytes, Action]] = {
    **{_spelling(action.as_json()): action for action in (DRAW, DISCARD)},
    **{_spelling(make(cell).as_json()): make(cell) for make in (take, swap, flip) for cell in range(CELLS)},
    **{
        _spelling({"cells": list(cells)}): reveal(*cells)
        for n in (1, 2)
        for cells in permutations(range(CELLS), n)
    },
}
"""Actions by what follows the id in their shortest spelling, which is the kit's: most answers need no parser."""


def parse_object(line: bytes) -> dict[str, object]:
    """The JSON object in `line` (without its line end). Numbers in it are integers, its keys are unique.

    Raises BadAnswer for anything else. The decoder's own recursion limit bounds the nesting, `MAX_LINE` of
    the sandbox the length.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadAnswer(f"The line is not UTF-8: byte {error.start} fits nowhere.") from None
    try:
        obj = _decode(text)
    except json.JSONDecodeError as error:
        if text.startswith("\ufeff"):
            raise BadAnswer("The line begins with a byte order mark.") from None
        if not text.strip(" \t\r\n"):
            raise BadAnswer("The line is empty.") from None
        raise BadAnswer(f"The line is not JSON: {error.msg.lower()} at character {error.pos}.") from None
    except RecursionError:
        raise BadAnswer("The JSON is nested too deeply.") from None
    if type(obj) is not dict:
        raise BadAnswer("The line is not a JSON object.")
    return obj


def parse_answer(line: bytes, number: int, phase: str) -> tuple[Action, str | None]:
    """The action that `line` answers to question `number`, asked in `phase`, and its note (cut) or None.

    Raises BadAnswer: not a JSON object, no or a wrong id, no action of the protocol, a note that is no text.
    """
    head = b'{"id":%d,' % number
    if line.startswith(head) and (action := _SPELLINGS.get(line[len(head) :])) is not None:
        return action, None
    obj = parse_object(line)
    answer_id = obj.pop("id", None)
    if answer_id != number or type(answer_id) is not int:
        if answer_id is None:
            raise BadAnswer("The answer has no id.")
        raise BadAnswer(f"The answer's id is not {number}.")
    note = _note(obj.pop("note")) if "note" in obj else None
    try:
        return action_from_json(phase, obj), note
    except MalformedAction:
        raise BadAnswer("The answer is JSON, but no action of the protocol.") from None


def _note(note: object) -> str:
    if type(note) is not str:
        raise BadAnswer("The note is not a string.")
    try:
        note.encode("utf-8")
    except UnicodeEncodeError:
        raise BadAnswer("The note holds a lone surrogate, which is no character.") from None
    return note[:MAX_NOTE_CHARACTERS]
