"""Strict JSON from files that nobody vouches for, of bounded size; and the one text that a value has.

`parse` accepts plain JSON and one gzip member around it. Whatever is wrong becomes a `ReplayError`.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from matches.engine.strict_json import StrictJSONError, read_json

from .errors import ReplayError

MAX_BYTES = 16 * 1024 * 1024
"""Of the JSON text. The longest games of house bots expand to about 1 MiB."""

_GZIP_MAGIC = b"\x1f\x8b"


def parse(data: bytes, *, max_bytes: int = MAX_BYTES) -> Any:
    """The JSON value in `data`. Raises ReplayError."""
    if data.startswith(_GZIP_MAGIC):
        data = _gunzip(data, max_bytes)
    elif len(data) > max_bytes:
        raise ReplayError(f"the file is larger than {max_bytes:,} bytes")
    try:
        return read_json(data)
    except StrictJSONError as error:
        raise ReplayError(f"the file {error}") from None


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
