"""Reading one line that a bot wrote: strict JSON, in bounded time, whatever the line holds (docs/protocol.md)."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Final

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
from matches.engine.strict_json import StrictJSONError, read_json

MAX_NOTE_CHARACTERS: Final = 200


class BadAnswer(Exception):
    """A line that is no answer: a protocol fault.

    `sentence` may be shown to anyone and holds nothing that the bot wrote.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


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
    """The JSON object in `line` (without its line end), strictly read; numbers in it are integers.

    Raises BadAnswer for anything else.
    """
    try:
        obj = read_json(line)
    except StrictJSONError as error:
        raise BadAnswer(f"The line {error.predicate}.") from None
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
    return note.replace("\0", r"\x00")[:MAX_NOTE_CHARACTERS]  # some databases and pages know no NUL
