"""The settings of a format as data, so that a form, an API and a test can be made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .errors import SettingsError
from .words import Template, gettext_noop

NO_SWITCH = Template(gettext_noop("{title}: must be true or false, not {value}."))
NO_NUMBER = Template(gettext_noop("{title}: must be a whole number from {least} to {most}, not {value}."))
NO_CHOICE = Template(gettext_noop("{title}: must be one of {choices}, not {value}."))
UNKNOWN = Template(gettext_noop("There is no setting {name}."))


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. The type of its default is its own: a switch (bool), a number from `minimum` to `maximum` (int),
    or one of `choices` (str; each a value and what it means)."""

    name: str
    title: str
    explanation: str
    default: bool | int | str
    minimum: int = 0
    maximum: int = 0
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def kind(self) -> str:
        """ "switch", "number" or "choice"."""
        return {bool: "switch", int: "number", str: "choice"}[type(self.default)]

    def problem(self, value: object) -> str | None:
        """What is wrong with this value, in a sentence, or None."""
        is_other = type(value) is not type(self.default)
        if self.kind == "switch" and is_other:
            return NO_SWITCH(title=self.title, value=repr(value))
        if self.kind == "number" and (is_other or not self.minimum <= int(str(value)) <= self.maximum):
            return NO_NUMBER(title=self.title, least=self.minimum, most=self.maximum, value=repr(value))
        if self.kind == "choice" and (is_other or value not in dict(self.choices)):
            known = ", ".join(name for name, _ in self.choices)
            return NO_CHOICE(title=self.title, choices=known, value=repr(value))
        return None


Settings = Mapping[str, Any]


def complete(settings: Iterable[Setting], given: Settings) -> dict[str, Any]:
    """Every setting, those not given by default. Raises `SettingsError` with all that is wrong."""
    known = {setting.name: setting for setting in settings}
    problems = {name: UNKNOWN(name=name) for name in given if name not in known}
    values = {name: given.get(name, setting.default) for name, setting in known.items()}
    for name, setting in known.items():
        problem = setting.problem(values[name])
        if problem is not None:
            problems[name] = problem
    if problems:
        raise SettingsError(problems)
    return values


def deals(default: int) -> Setting:
    return Setting(
        "deals",
        gettext_noop("Deals a pairing"),
        gettext_noop(
            "Every deal is played once from each seating. More deals let the better bot win more often; games and "
            "time grow with them."
        ),
        default,
        1,
        200,
    )


EXTRA_DEALS: Final = Setting(
    "extra_deals",
    gettext_noop("Deals of an extra match"),
    gettext_noop("When something must be decided and is level, extra matches of so many deals are played."),
    5,
    1,
    100,
)
DECIDED_PLACES: Final = Setting(
    "decided_places",
    gettext_noop("Places that extra deals decide"),
    gettext_noop(
        "Entries that share one of the first places when all tie-breaks are exhausted play extra deals for it. Places "
        "further down, and ties of more than eight entries, go straight to the lot."
    ),
    1,
    0,
    8,
)
FINAL_DEALS: Final = Setting(
    "final_deals",
    gettext_noop("Deals of the final"),
    gettext_noop("The final alone decides the title, so it deserves more deals than other pairings."),
    100,
    1,
    200,
)
EXTRA_MATCHES: Final = Setting(
    "extra_matches",
    gettext_noop("Extra matches at most"),
    gettext_noop(
        "A knock-out pairing that ends level plays so many extra matches at most; then mean points, faults and at "
        "last a lot decide."
    ),
    5,
    0,
    10,
)
SCORING: Final = Setting(
    "scoring",
    gettext_noop("Points count"),
    gettext_noop(
        "Wins: a pairing gives a whole point to who won more games, however narrowly. Games: the point is shared as "
        "the games were, which finds the best more often."
    ),
    "wins",
    choices=(("wins", gettext_noop("wins")), ("games", gettext_noop("games"))),
)
THIRD_PLACE: Final = Setting(
    "third_place",
    gettext_noop("Match for the third place"),
    gettext_noop("The losers of the semi-finals play for the third place instead of sharing it."),
    False,
)
TWICE: Final = Setting(
    "twice",
    gettext_noop("Double round robin"),
    gettext_noop("Everybody meets everybody twice. Deals a pairing do the same for less waiting."),
    False,
)
