"""A source on its page reads as Python reads it."""

from __future__ import annotations

import pytest

from arena.pages.listings import MAX_MARKS, MAX_SHOWN_BYTES, listings


def shown(source: str) -> str:
    (listing,) = listings({"main.py": source.encode()})
    assert listing.text is not None
    return listing.text


@pytest.mark.parametrize(
    "char",
    [
        "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\u200e", "\u200f",
        "\u061c", "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u00a0", "\u3164", "\u115f", "\u2028", "\x1b",
        "\x08", "\x85", "\U000e0041", "\ue000",
    ],
)  # fmt: skip
def test_what_hides_or_turns_text_is_written_as_its_number(char: str) -> None:
    text = shown(f"is_admin = {char}False\n")
    assert char not in text
    assert text == f"is_admin = <mark>U+{ord(char):04X}</mark>False\n"


def test_a_trojan_source_shows_what_it_does() -> None:
    text = shown('if level != "user\u202e \u2066# check\u2069 \u2066":\n')
    assert text.count("<mark>") == 4
    assert not any(ord(char) in range(0x202A, 0x206A) for char in text)


def test_a_carriage_return_alone_is_marked_and_that_of_windows_is_not() -> None:
    assert shown("x = 1\r\n\ty = 2\r\n") == "x = 1\n\ty = 2\n"
    assert shown("# safe\rimport os\n") == "# safe<mark>U+000D</mark>import os\n"


def test_ordinary_text_of_all_languages_is_left_alone() -> None:
    text = "x = 'Grüße, שלום, مرحبا, 日本語, 🃏'  # naïve\n"
    assert shown(text) == text.replace("'", "&#x27;")


def test_markup_is_text() -> None:
    assert shown("<b>&\u202e<script>") == "&lt;b&gt;&amp;<mark>U+202E</mark>&lt;script&gt;"


def test_more_than_a_browser_can_show_is_left_out() -> None:
    half = b"#" * (MAX_SHOWN_BYTES // 2)
    found = listings({"a.bin": b"\xff", "a.py": half, "b.py": half + b"#", "c.py": half, "d.py": b""})
    assert [listing.text is not None for listing in found] == [False, True, False, True, True]
    assert [listing.is_binary for listing in found] == [True, False, False, False, False]
    (flood,) = listings({"a.py": "\u202e".encode() * (MAX_MARKS + 1)})
    assert (flood.text, flood.n_marks) == (None, MAX_MARKS + 1)
