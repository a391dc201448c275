"""What may be wrong with what a format is given."""

from __future__ import annotations

from collections.abc import Mapping


class FormatError(ValueError):
    """Entries or results that no event can have; the text says which and why."""


class SettingsError(ValueError):
    """Settings that a format cannot have. `problems`: one sentence by the setting's name, "" for the entries."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__(" ".join(self.problems.values()))
