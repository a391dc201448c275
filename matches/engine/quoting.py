"""Naming an untrusted value in an error text: always short, always printable, at a bounded cost."""

from __future__ import annotations

import json
from typing import Final

LONGEST: Final = 40


def quoted(value: object) -> str:
    """`value` as JSON would write it, cut to about forty characters; a container is named by its type and length."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return json.dumps(value if len(value) <= LONGEST else value[:LONGEST] + "…")
    if isinstance(value, int):
        return str(value) if value.bit_length() < 128 else "a huge integer"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object with {len(value)} keys"
    return f"a {type(value).__name__}"
