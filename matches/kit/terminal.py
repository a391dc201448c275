"""What a terminal can show: colours of cards, and a bar for what takes its time."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TextIO


class Colours(NamedTuple):
    """Background and ink: red, green and blue, and their nearest of 256."""

    back: str
    ink: str
    back_256: int
    ink_256: int


# Of cards up to a value, as on the arena's pages, and of face-down ones.
_SCALE: Final = (
    (-1, Colours("53;84;184", "255;255;255", 26, 231)),
    (0, Colours("140;198;234", "11;39;57", 117, 16)),
    (4, Colours("47;125;78", "255;255;255", 29, 231)),
    (8, Colours("220;176;54", "43;31;0", 178, 16)),
    (12, Colours("185;58;49", "255;255;255", 131, 231)),
)
_BACK: Final = Colours("69;74;88", "184;188;200", 239, 250)
_BAR: Final = 24
_BAR_EVERY_S: Final = 0.1


class Paint:
    """Colours for a stream, or none: where it is no terminal, or NO_COLOR or TERM=dumb forbid them."""

    def __init__(self, stream: TextIO, environ: Mapping[str, str] = os.environ) -> None:
        self.is_on = stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
        self._has_all = environ.get("COLORTERM") in {"truecolor", "24bit"} or "WT_SESSION" in environ
        if self.is_on and os.name == "nt":
            os.system("")  # noqa: S605 - has the console take the codes

    def card(self, value: int, text: str) -> str:
        """The text in the colours of a card of this value."""
        for highest, colours in _SCALE:
            if value <= highest:
                return self._in(text, colours)
        return text

    def back(self, text: str) -> str:
        """The text in the colours of a card that lies face-down."""
        return self._in(text, _BACK)

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.is_on else text

    def faint(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self.is_on else text

    def _in(self, text: str, colours: Colours) -> str:
        if not self.is_on:
            return text
        if self._has_all:
            codes = f"48;2;{colours.back};38;2;{colours.ink}"
        else:
            codes = f"48;5;{colours.back_256};38;5;{colours.ink_256}"
        return f"\x1b[{codes}m{text}\x1b[0m"


class Bar:
    """How far something is, on standard error; nothing where that is no terminal."""

    def __init__(self, total: int, unit: str) -> None:
        self._total = total
        self._unit = unit
        self._done = 0
        self._began = self._shown = time.monotonic()
        self._is_on = sys.stderr.isatty()

    def step(self, words: Callable[[], str]) -> None:
        """One more is done; `words` say how it stands, and are asked for only when they are shown."""
        self._done += 1
        now = time.monotonic()
        if self._is_on and now - self._shown >= _BAR_EVERY_S:
            self._shown = now
            self._show(now - self._began, words())

    def clear(self) -> None:
        """Leave the line as it was."""
        if self._is_on:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _show(self, passed_s: float, words: str) -> None:
        share = self._done / self._total
        full = "█" * round(share * _BAR)
        left = duration(passed_s / share - passed_s)
        text = f"{full:·<{_BAR}} {self._done}/{self._total} {self._unit}, {left} left"
        if words:
            text += f"  {words}"
        self._write(text)

    @staticmethod
    def _write(text: str) -> None:
        """Over what stood in the line: by spaces, since not every terminal obeys codes."""
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r{text[:width]:<{width}}")
        sys.stderr.flush()


def duration(seconds: float) -> str:
    """Seconds, or minutes and seconds."""
    whole = max(0, round(seconds))
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def number(value: int) -> str:
    """With a true minus sign."""
    return str(value).replace("-", "−")
