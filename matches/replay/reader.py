"""Reads one JSON object of a foreign file: every access says what was expected, and where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from matches.engine.quoting import quoted

from .errors import ReplayError


class Reader:
    """Typed access to an object's members; every method raises ReplayError.

    `finish` refuses members that were never read.
    """

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise ReplayError(f"{where} must be an object, not {quoted(value)}")
        self._members: dict[str, Any] = value
        self._where = where
        self._read: set[str] = set()

    def value(self, name: str) -> Any:
        self._read.add(name)
        try:
            return self._members[name]
        except KeyError:
            raise ReplayError(f"{self.path(name)} is missing") from None

    def integer(self, name: str, least: int, most: int) -> int:
        value = self.value(name)
        if type(value) is not int or not least <= value <= most:
            raise self.error(name, f"must be an integer from {least} to {most}", value)
        return value

    def text(self, name: str, pattern: str, meaning: str) -> str:
        value = self.value(name)
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise self.error(name, f"must be {meaning}", value)
        return value

    def choice(self, name: str, choices: Sequence[str]) -> str:
        value = self.value(name)
        if not isinstance(value, str) or value not in choices:
            raise self.error(name, f"must be one of {', '.join(choices)}", value)
        return value

    def items(self, name: str, least: int, most: int) -> list[Any]:
        value = self.value(name)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self.error(name, f"must be a list of {least} to {most} items", value)
        return value

    def finish(self) -> None:
        if unknown := sorted(self._members.keys() - self._read):
            raise ReplayError(f"{quoted(unknown[0])} in {self._where or 'the file'} is no part of the format")

    def path(self, name: str) -> str:
        return f"{self._where}.{name}" if self._where else name

    def error(self, name: str, expected: str, value: object) -> ReplayError:
        return ReplayError(f"{self.path(name)} {expected}, not {quoted(value)}")
