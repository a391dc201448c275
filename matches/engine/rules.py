"""The rule set of a game: flags over the publisher's sheet, and the published rule texts as named presets.

docs/rules.md says what each flag means and where the sources differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, NamedTuple

from .quoting import quoted

ENGINE_RULES: Final = 1
"""Rises only when a stored game would come out otherwise; every replay names it."""

MIN_SEATS: Final = 2
MAX_SEATS: Final = 8

LARGEST_NUMBER: Final = 2**53 - 1
"""Flags that are numbers stay within what every JSON reader keeps exactly."""

WORDS: Final = {
    "start_tie": ("lowest_seat", "flip_more"),
    "next_start": ("closer", "round_winner", "highest_sum"),
    "open_discard": ("before_reveal", "after_reveal"),
    "flip_after_discard": ("must", "may"),
    "final_tie": ("shared", "extra_round"),
}
"""The values of every flag that is a word, the default first."""


class RulesError(ValueError):
    """A preset or flag that does not exist, a value that a flag cannot have, or a table of the wrong size."""


@dataclass(frozen=True, slots=True)
class Rules:
    """A complete rule set, by default the publisher's sheet (preset `official`). Equal flags are equal rules.

    Raises `RulesError` for a value that its flag cannot have.
    """

    target: int = 100
    start_tie: str = "lowest_seat"
    next_start: str = "closer"
    open_discard: str = "before_reveal"
    columns: bool = True
    flip_after_discard: str = "must"
    tie_doubles: bool = True
    double_only_positive: bool = True
    final_tie: str = "shared"
    turn_cap: int = 100
    round_cap: int = 50

    def __post_init__(self) -> None:
        for flag in fields(self):
            _check(flag.name, flag.default, getattr(self, flag.name))

    @property
    def preset(self) -> str | None:
        """The name of the preset that has exactly these flags, or None."""
        return _NAMES.get(self)

    def as_dict(self) -> dict[str, Any]:
        """The preset's name (or None) and every flag: `hello.rules` of the protocol. `rules_from` reads it back."""
        return {"preset": self.preset, **asdict(self)}


def _check(name: str, default: object, value: object) -> None:
    if name in WORDS:
        if not isinstance(value, str) or value not in WORDS[name]:
            raise RulesError(f"The flag {name} must be {' or '.join(WORDS[name])}, not {quoted(value)}.")
    elif isinstance(default, bool):
        if not isinstance(value, bool):
            raise RulesError(f"The flag {name} must be true or false, not {quoted(value)}.")
    elif type(value) is not int or not 1 <= value <= LARGEST_NUMBER:
        raise RulesError(
            f"The flag {name} must be an integer from 1 to {LARGEST_NUMBER}, not {quoted(value)}."
        )


class Preset(NamedTuple):
    """A published rule text as data: its name here, its source, one sentence for people, and its rules."""

    name: str
    source: str
    summary: str
    rules: Rules


_MARQUOIR = "Marquoir, score-keeping site"
_GAMERULES = "gamerules.com, How to play Skyjo"

PRESETS: Final[Mapping[str, Preset]] = {
    preset.name: preset
    for preset in (
        Preset(
            "official",
            "Magilano, the publisher's instruction sheet SKYJO_ADCTNO20210331_V9",
            "The publisher's sheet: the closer starts the next round and doubles a positive score "
            "that is not alone the lowest.",
            Rules(),
        ),
        Preset(
            "guide-2026",
            "SKYJO Rules in English: Official Version & Complete Guide (2026)",
            "A tie for the start is broken by revealing more cards, a tie for the win by extra rounds; "
            "the closer doubles any score that another seat beats.",
            Rules(
                start_tie="flip_more", tie_doubles=False, double_only_positive=False, final_tie="extra_round"
            ),
        ),
        Preset(
            "skyjo-info",
            "skyjo.info, SKYJO Rules (29 June 2026)",
            "The discard pile is opened after the first cards are revealed; the closer doubles any score "
            "that is not alone the lowest, a negative one too.",
            Rules(open_discard="after_reveal", double_only_positive=False),
        ),
        Preset(
            "marquoir-50",
            f"{_MARQUOIR} (short game)",
            "The short game to 50 points; the discard pile is opened after the first cards are revealed.",
            Rules(target=50, open_discard="after_reveal"),
        ),
        Preset(
            "marquoir-100",
            f"{_MARQUOIR} (official target)",
            "To 100 points; the discard pile is opened after the first cards are revealed.",
            Rules(open_discard="after_reveal"),
        ),
        Preset(
            "marquoir-200",
            f"{_MARQUOIR} (long game)",
            "The long game to 200 points; the discard pile is opened after the first cards are revealed.",
            Rules(target=200, open_discard="after_reveal"),
        ),
        Preset(
            "gamerules",
            f"{_GAMERULES} (with its special rule)",
            "The winner of a round starts the next, a seat that discards need not turn over a card, "
            "and the closer doubles any score that another seat beats.",
            Rules(
                next_start="round_winner",
                flip_after_discard="may",
                tie_doubles=False,
                double_only_positive=False,
            ),
        ),
        Preset(
            "gamerules-plain",
            f"{_GAMERULES} (without its special rule)",
            "As gamerules, but equal cards in a column stay in the grid and count.",
            Rules(
                next_start="round_winner",
                columns=False,
                flip_after_discard="may",
                tie_doubles=False,
                double_only_positive=False,
            ),
        ),
    )
}
"""Every preset by its name, `official` first."""

_NAMES: Final = {preset.rules: preset.name for preset in PRESETS.values()}
_FLAGS: Final = tuple(flag.name for flag in fields(Rules))


def rules_from(value: object) -> Rules:
    """The rules that `value` names: a preset's name, or a mapping of flags over `official`.

    A mapping may also carry `preset`, as `Rules.as_dict` writes it; its flags must then be that preset's.
    Raises `RulesError`, which says what exists, for anything else.
    """
    if isinstance(value, str):
        return _preset(value).rules
    if not isinstance(value, Mapping):
        raise RulesError(f"Rules are a preset's name or an object of flags, not {quoted(value)}.")
    flags = dict(value)
    name = flags.pop("preset", None)
    for flag in flags:
        if flag not in _FLAGS:
            raise RulesError(f"There is no flag {quoted(flag)}. The flags are {', '.join(_FLAGS)}.")
    if name is None:
        return Rules(**flags)
    rules = _preset(name).rules
    for flag, given in flags.items():
        if (own := getattr(rules, flag)) != given or type(own) is not type(given):
            raise RulesError(f"The preset {name} has {flag} {quoted(own)}, not {quoted(given)}.")
    return rules


def _preset(name: object) -> Preset:
    if not isinstance(name, str) or name not in PRESETS:
        raise RulesError(f"There is no preset {quoted(name)}. The presets are {', '.join(PRESETS)}.")
    return PRESETS[name]


def check_seats(seats: object) -> int:
    """`seats` itself if it is a table size; raises `RulesError` otherwise."""
    if type(seats) is not int or not MIN_SEATS <= seats <= MAX_SEATS:
        raise RulesError(f"A table has {MIN_SEATS} to {MAX_SEATS} seats, not {quoted(seats)}.")
    return seats
