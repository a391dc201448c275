"""JSON from bytes that nobody vouches for: read strictly, with nesting and numbers bounded, in time linear in them."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from .quoting import quoted

MAX_DEPTH: Final = 16
MAX_INTEGER_CHARACTERS: Final = 20
"""Enough for every integer of the formats; so no number costs more than its length."""

_STRING = re.compile(r'"[^"]*"?')
_NOT_BRACKET = re.compile(r"[^\[\]{}]+")
_WHITE_SPACE = " \t\r\n"


class StrictJSONError(ValueError):
    """Bytes that are no strict JSON.

    `predicate` says what is wrong and follows the name of what was read ("is not UTF-8: …"); it repeats nothing of
    it, so that it may be shown to anyone. `culprit` is the key or number to blame, quoted, where there is one.
    """

    def __init__(self, predicate: str, culprit: str | None = None) -> None:
        super().__init__(predicate if culprit is None else f"{predicate}: {culprit}")
        self.predicate = predicate
        self.culprit = culprit


def read_json(data: bytes, *, any_numbers: bool = False) -> Any:
    """The JSON value in `data`: UTF-8, no key twice in one object, integers alone. Raises StrictJSONError.

    With `any_numbers`, numbers with a fraction or an exponent, or too many digits, are left to the reader to refuse
    in their place: as floats, and as some other integer that is too long.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StrictJSONError(f"is not UTF-8: byte {error.start} fits nowhere") from None
    _check_depth(text)
    try:
        return (_decode_any_numbers if any_numbers else _decode)(text)
    except json.JSONDecodeError as error:
        if text.startswith("\ufeff"):
            raise StrictJSONError("begins with a byte order mark") from None
        if not text.strip(_WHITE_SPACE):
            raise StrictJSONError("is empty") from None
        where = f"at line {error.lineno}, column {error.colno}"
        raise StrictJSONError(f"is not JSON: {error.msg.lower().removesuffix(' at')} {where}") from None


def _check_depth(text: str) -> None:
    """The decoder recurses, so the depth is bounded before it runs."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    unescaped = text.replace(r"\\", "").replace(r"\"", "")
    for bracket in _NOT_BRACKET.sub("", _STRING.sub("", unescaped)):
        if bracket in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise StrictJSONError(f"is nested deeper than {MAX_DEPTH} levels")
        else:
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        left = set(members)
        for key, _ in pairs:
            if key not in left:
                raise StrictJSONError("has a key twice in one object", quoted(key))
            left.remove(key)
    return members


def _integer(text: str) -> int:
    if len(text) > MAX_INTEGER_CHARACTERS:
        raise StrictJSONError(f"holds an integer of more than {MAX_INTEGER_CHARACTERS} characters")
    return int(text)


def _any_integer(text: str) -> int:
    # Python takes quadratic time over long integers.
    return int(text[: 2 * MAX_INTEGER_CHARACTERS])


def _fraction(text: str) -> NoReturn:
    raise StrictJSONError(
        "holds a number with a fraction or an exponent where only integers are meant", quoted(text)
    )


def _constant(text: str) -> NoReturn:
    raise StrictJSONError(f"holds {text}, which is no JSON")


_decode = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_fraction, parse_constant=_constant
).decode
_decode_any_numbers = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_any_integer, parse_constant=_constant
).decode
