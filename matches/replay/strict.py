"""Strict JSON from bytes that nobody vouches for: bounded in size, depth and number length.

`parse` accepts plain JSON and one gzip member around it. Whatever is wrong becomes a `ReplayError`.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import Any, NoReturn

from matches.engine.quoting import quoted

from .errors import ReplayError

MAX_BYTES = 16 * 1024 * 1024
"""Of the JSON text. The longest games of house bots expand to about 1 MiB."""

MAX_DEPTH = 16
MAX_DIGITS = 16
"""Enough for every number that a double keeps exactly; so no number costs more than its length."""

_GZIP_MAGIC = b"\x1f\x8b"
_STRING = re.compile(r'"[^"]*"?')
_NOT_BRACKET = re.compile(r"[^\[\]{}]+")


def parse(data: bytes, *, max_bytes: int = MAX_BYTES) -> Any:
    """The JSON value in `data`. Raises ReplayError."""
    if data.startswith(_GZIP_MAGIC):
        data = _gunzip(data, max_bytes)
    elif len(data) > max_bytes:
        raise ReplayError(f"the file is larger than {max_bytes:,} bytes")
    if not data.strip():
        raise ReplayError("the file is empty")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReplayError(f"the file is not UTF-8 (byte {error.start})") from None
    _check_depth(text)
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_refuse_number,
            parse_constant=_refuse_number,
        )
    except json.JSONDecodeError as error:
        raise ReplayError(
            f"the file is no JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        ) from None
    except RecursionError:
        raise ReplayError("the file is nested too deeply") from None


def canonical_json(value: object) -> bytes:
    """JSON with sorted names, no white space, ASCII only: one value has one text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def pack(value: object) -> bytes:
    """Canonical JSON in one gzip member without a time stamp: equal values give equal bytes."""
    return zlib.compress(canonical_json(value), 9, 31)


def _gunzip(data: bytes, max_bytes: int) -> bytes:
    stream = zlib.decompressobj(wbits=31)
    try:
        text = stream.decompress(data, max_bytes + 1)
    except zlib.error:
        raise ReplayError("the gzip data is damaged") from None
    if len(text) > max_bytes:
        raise ReplayError(f"the file unpacks to more than {max_bytes:,} bytes")
    if not stream.eof:
        raise ReplayError("the gzip data is truncated")
    if stream.unused_data:
        raise ReplayError("something follows the gzip data")
    return text


def _check_depth(text: str) -> None:
    """The parser recurses, so depth is bounded before it runs, in time linear in the text."""
    depth = 0
    unescaped = text.replace(r"\\", "").replace(r"\"", "")
    for bracket in _NOT_BRACKET.sub("", _STRING.sub("", unescaped)):
        if bracket in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ReplayError(f"the file is nested deeper than {MAX_DEPTH} levels")
        else:
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise ReplayError(f"the name {quoted(name)} appears twice in one object")
        members[name] = value
    return members


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ReplayError(f"a number has more than {MAX_DIGITS} digits")
    return int(digits)


def _refuse_number(text: str) -> NoReturn:
    raise ReplayError(f"{quoted(text)} is no integer")
