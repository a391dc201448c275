"""Sources as a reader may trust them: what a page shows is what Python reads.

Characters that turn the direction of the text around them, or that cannot be seen, let a source read differently from
what it does (“Trojan Source”, CVE-2021-42574). They are no reason to refuse a bot, whose author is free in what its
strings hold; they are shown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

# What all files of one page may have together; a browser should be able to show it.
MAX_SHOWN_BYTES = 1024 * 1024
MAX_MARKS = 1000
# Letters to Unicode and to Python, and blank on every screen.
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


@dataclass(frozen=True, slots=True)
class Listing:
    """A file on the page. `text` is None where it `is_binary`, and then has a `sha256`, or where there is too much of
    it to show."""

    path: str
    n_bytes: int
    text: SafeString | None = None
    n_marks: int = 0
    is_binary: bool = False
    sha256: str = ""


def listings(files: Mapping[str, bytes]) -> list[Listing]:
    """The files by path."""
    shown = []
    left = MAX_SHOWN_BYTES
    for path, data in sorted(files.items()):
        listing = _listing(path, data) if len(data) <= left else Listing(path, len(data))
        if listing.text is not None:
            left -= len(data)
        shown.append(listing)
    return shown


def _listing(path: str, data: bytes) -> Listing:
    try:
        text = None if b"\0" in data else data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        text = None
    if text is None:
        return Listing(path, len(data), is_binary=True, sha256=hashlib.sha256(data).hexdigest())
    hidden = {char for char in set(text) if not char.isprintable()} - {"\n", "\t"} | _BLANK_LETTERS
    pieces = re.split(f"([{re.escape(''.join(hidden))}])", text)
    n_marks = len(pieces) // 2
    if n_marks > MAX_MARKS:
        return Listing(path, len(data), n_marks=n_marks)
    html = "".join(_mark(piece) if at % 2 else escape(piece) for at, piece in enumerate(pieces))
    return Listing(path, len(data), mark_safe(html), n_marks)  # noqa: S308 - escaped piece by piece


def _mark(char: str) -> SafeString:
    return format_html("<mark>U+{}</mark>", f"{ord(char):04X}")
