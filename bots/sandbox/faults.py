"""What can go wrong with a bot's process, and whose doing it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

BotFaultKind = Literal["timeout", "crash", "protocol", "memory", "output"]

QUOTED_LENGTH = 500


def gettext_noop(text: str) -> str:
    """Marks a text that doors translate, where there are any; nothing here knows a language but English."""
    return text


_USED: Final = gettext_noop("%(sentence)s It had used %(used)d ms.")
_PLACED: Final = gettext_noop("Round %(round)d, turn %(turn)d, phase %(phase)s: %(sentence)s")


def told(fault: Mapping[str, Any], gettext: Callable[[str], str] = str) -> str:
    """A bot fault's sentence, with what a time-out had used where that is not said yet."""
    sentence = str(fault.get("sentence", ""))
    used_ms = fault.get("cpu_ms")
    if fault.get("kind") != "timeout" or not used_ms or "used" in sentence:
        return sentence
    return gettext(_USED) % {"sentence": sentence, "used": math.ceil(used_ms)}


def placed(fault: Mapping[str, Any], gettext: Callable[[str], str] = str) -> str:
    """The same, with its place in the game where it has one."""
    if fault["phase"] == "start":
        return told(fault, gettext)
    return gettext(_PLACED) % {**fault, "sentence": told(fault, gettext)}


class SandboxError(Exception):
    """The arena's own failure: a sandbox could not start, or was ended from outside. Never held against a bot."""


class LaggedError(SandboxError):
    """The host kept the bot or us from running so long that a time-out would say nothing about the bot."""


class BotFault(Exception):
    """A bot's own doing, found at its process. The process is dead when this is raised.

    `sentence` says what happened, for the bot's owner. `limit` names the limit that tripped a time-out. `cpu_ms` and
    `wall_ms` were used since the last answer; `memory_mib` is the peak of resident memory. `exit_status` and
    `signal` (a name such as "SIGSEGV") are set where the process ended by itself; `line` is what it wrote, quoted.
    """

    def __init__(
        self,
        kind: BotFaultKind,
        sentence: str,
        *,
        limit: Literal["cpu", "wall"] | None = None,
        cpu_ms: float = 0.0,
        wall_ms: float = 0.0,
        memory_mib: float = 0.0,
        exit_status: int | None = None,
        signal: str | None = None,
        line: str | None = None,
    ) -> None:
        super().__init__(sentence)
        self.kind: BotFaultKind = kind
        self.sentence = sentence
        self.limit = limit
        self.cpu_ms = cpu_ms
        self.wall_ms = wall_ms
        self.memory_mib = memory_mib
        self.exit_status = exit_status
        self.signal = signal
        self.line = line


def quote_line(line: bytes) -> str:
    """What a bot wrote, made harmless to show: escapes for everything that does not print, cut at 500 characters."""
    text = line[: 4 * QUOTED_LENGTH].decode("utf-8", "backslashreplace")
    cut = len(text) > QUOTED_LENGTH or len(line) > 4 * QUOTED_LENGTH
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text[:QUOTED_LENGTH]
    )
    return f"{shown}… ({len(line)} bytes)" if cut else shown
