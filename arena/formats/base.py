"""What every format is: settings, and a pure function from results to a state."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from .entries import Entry, by_seed
from .errors import SettingsError
from .results import Result
from .run import Run
from .settings import Setting, Settings, complete
from .state import State
from .words import Template, gettext_noop

if TYPE_CHECKING:
    from .rehearsal import Rehearsal

MOST_ENTRIES = 128
NOT_SO_MANY = Template(gettext_noop("{title}: from {least} to {most} entries can play, not {entries}."))


class Format(ABC):
    """To make a format, copy one, change its name, settings, `play` and `rehearse`, and register it in `registry.py`.

    The draws of a format are part of its name: a change that would draw a running event otherwise is a new format.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    settings: ClassVar[tuple[Setting, ...]]
    fewest_entries: ClassVar[int] = 2
    most_entries: ClassVar[int] = MOST_ENTRIES

    def checked(self, given: Settings, n_entries: int | None = None) -> dict[str, Any]:
        """All settings, those not given by default. Raises `SettingsError`, also for what does not go together or
        does not suit so many entries."""
        settings = complete(self.settings, given)
        problems = dict(self.problems(settings, n_entries))
        if n_entries is not None and not self.fewest_entries <= n_entries <= self.most_entries:
            problems[""] = NOT_SO_MANY(
                title=self.title, least=self.fewest_entries, most=self.most_entries, entries=n_entries
            )
        if problems:
            raise SettingsError(problems)
        return settings

    def problems(self, settings: Settings, n_entries: int | None) -> dict[str, str]:
        """What is wrong with valid settings together, or for so many entries: a sentence by setting."""
        return {}

    def state(
        self,
        entries: Iterable[Entry],
        settings: Settings,
        results: Iterable[Result] = (),
        lot_seed: str = "",
    ) -> State:
        """The event as it stands, reckoned from its beginning; `results` come in any order, voided ones are left out.

        Raises `FormatError` for entries and results that cannot be, `SettingsError` for such settings.
        """
        ordered = by_seed(entries)
        return self.play(Run(ordered, self.checked(settings, len(ordered)), results, lot_seed))

    @abstractmethod
    def play(self, run: Run) -> State: ...

    @abstractmethod
    def rehearse(self, rehearsal: Rehearsal) -> int:
        """Play the event once in short, for the estimate; gives who won, by index of strength."""


def bits(n: int) -> int:
    """How often n must be halved, rounded up, to come to one."""
    return math.ceil(math.log2(n)) if n > 1 else 0
