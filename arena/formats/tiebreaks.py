"""Points and tie-breaks of a table: round robin, Swiss, pods.

The rules are FIDE's (Handbook C.07, in force from 1 March 2026): direct encounter (article 6), Buchholz (8.1) and
its median (14.3), Sonneborn-Berger (9.1), unplayed rounds (15.2 and 16). docs/formats.md says what of them was
established and how pods, which FIDE does not know, are read: an entry's round at a table is one round against the
mean of the others there.

All sums are whole numbers, so that equal means equal. Points count in `POINT`ths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from .pairings import POINT, Meeting, Turnout
from .state import Criterion, shown
from .words import gettext_noop

LEVEL = POINT // 2
# Contributions count in POINTths of POINTths, results in halves.
SQUARE = POINT * POINT


@dataclass(slots=True)
class Turn:
    """One round of one entry. `faced` has the half wins (2, 1, 0) against each one it was drawn with, `met` those
    of them who played with it."""

    turnout: Turnout
    points: int
    faced: dict[int, int] = field(default_factory=dict)
    met: frozenset[int] = frozenset()

    @property
    def is_voluntary(self) -> bool:
        """A round not played by the entry's own doing (C.07, 16.1.2)."""
        return self.turnout in (Turnout.FORFEITED, Turnout.ABSENT)


class Table:
    """What everybody's rounds come to. `forfeits_are_games`: as in a round robin (15.2), where everybody is to meet
    everybody; in a Swiss a round that was not played is reckoned by article 16."""

    def __init__(self, entries: Iterable[int], *, forfeits_are_games: bool) -> None:
        self.turns: dict[int, list[Turn]] = {who: [] for who in entries}
        self.better: dict[int, list[Fraction]] = {who: [] for who in self.turns}
        self.forfeits_are_games = forfeits_are_games
        self.rounds = 0

    def start_round(self) -> None:
        self.rounds += 1

    def add(self, meeting: Meeting) -> None:
        entries = meeting.pairing.entries
        for who, turnout in meeting.turnout.items():
            faced = {other: meeting.halves[who, other] for other in entries if other != who}
            present = turnout is Turnout.PLAYED
            met = frozenset(o for o in faced if present and meeting.turnout[o] is Turnout.PLAYED)
            self.turns[who].append(Turn(turnout, meeting.points[who], faced, met))
        for who, mean in meeting.better.items():
            self.better[who].append(mean)

    def add_unpaired(self, who: int, turnout: Turnout, points: int) -> None:
        self.turns[who].append(Turn(turnout, points))

    @cached_property
    def points(self) -> dict[int, int]:
        return {who: sum(turn.points for turn in turns) for who, turns in self.turns.items()}

    @cached_property
    def adjusted(self) -> dict[int, int]:
        """Points as they count for opponents (16.3): rounds after an entry has left for good count as level."""
        return {
            who: sum(LEVEL if turn.turnout is Turnout.ABSENT else turn.points for turn in turns)
            for who, turns in self.turns.items()
        }

    def counts_as_game(self, turn: Turn) -> bool:
        return turn.turnout is Turnout.PLAYED or (self.forfeits_are_games and bool(turn.faced))

    def dummy(self, who: int, turn: Turn) -> int:
        """The points of the dummy against which an unplayed round counts (16.4): the entry's own, but no more than
        the opponents it was drawn with came to (forfeits), or than level results in all rounds (byes, absence)."""
        if turn.faced:
            return min(POINT * self.points[who], self.mean_adjusted(turn))
        return POINT * min(self.points[who], LEVEL * self.rounds)

    def mean_adjusted(self, turn: Turn) -> int:
        return POINT // len(turn.faced) * sum(self.adjusted[other] for other in turn.faced)

    def contributions(self, who: int) -> list[tuple[int, bool]]:
        """For each round the points of the opponent in `SQUARE`ths, and whether the round was voluntarily
        unplayed."""
        return [
            (self.mean_adjusted(turn), False)
            if self.counts_as_game(turn)
            else (self.dummy(who, turn), turn.is_voluntary)
            for turn in self.turns[who]
        ]

    def buchholz(self, who: int) -> int:
        return sum(value for value, _ in self.contributions(who))

    def median_buchholz(self, who: int) -> int:
        """Without the least contribution, of which a voluntarily unplayed round is cut first (16.5), and then
        without the greatest. Fewer than three rounds stay whole."""
        values = sorted(self.contributions(who))
        if len(values) < 3:
            return sum(value for value, _ in values)
        voluntary = [item for item in values if item[1]]
        values.remove(voluntary[0] if voluntary else values[0])
        return sum(value for value, _ in values[:-1])

    def sonneborn_berger(self, who: int) -> int:
        """In halves of `SQUARE`ths."""
        total = 0
        for turn in self.turns[who]:
            if self.counts_as_game(turn):
                share = POINT // len(turn.faced)
                total += share * sum(self.adjusted[other] * halves for other, halves in turn.faced.items())
            else:
                total += self.dummy(who, turn) * turn.points // LEVEL
        return total

    def mean_better(self, who: int) -> Fraction | None:
        means = self.better[who]
        return sum(means, Fraction(0)) / len(means) if means else None

    @cached_property
    def met(self) -> dict[tuple[int, int], list[int]]:
        """The half wins of each against each in the rounds that count as games between them."""
        met: dict[tuple[int, int], list[int]] = {}
        for who, turns in self.turns.items():
            for turn in turns:
                for other in turn.faced if self.forfeits_are_games else turn.met:
                    met.setdefault((who, other), []).append(turn.faced[other])
        return met


Keys = Mapping[int, tuple[Fraction | int, float | None]]
"""What a criterion says of tied entries: by entry a number, of which more is better, and the value that is shown."""


@dataclass(frozen=True, slots=True)
class TieBreak:
    """`keys` gives nothing for entries of which the criterion says nothing."""

    criterion: Criterion
    keys: Callable[[Table, Sequence[int]], Keys]


def _each(name: str, title: str, explanation: str, value: Callable[[Table, int], int], unit: int) -> TieBreak:
    def keys(table: Table, tied: Sequence[int]) -> Keys:
        found = {who: value(table, who) for who in tied}
        return {who: (number, shown(Fraction(number, unit))) for who, number in found.items()}

    return TieBreak(Criterion(name, title, explanation), keys)


def _mean_points(table: Table, tied: Sequence[int]) -> Keys:
    lowest = Fraction(-(10**9))
    means = {who: table.mean_better(who) for who in tied}
    return {who: (lowest if mean is None else mean, shown(mean)) for who, mean in means.items()}


def _direct_encounter(table: Table, tied: Sequence[int]) -> Keys:
    """Article 6: the results that the tied entries had among themselves; those who are still tied then are looked
    at among themselves again. If not all have met (6.3), an entry is ahead that would be so whatever the results
    that are missing."""
    if len(tied) < 2:
        return {}
    placed = {who: -place for place, group in enumerate(_encountered(table, tied)) for who in group}
    mutual = _mutual(table, tied)
    if not any((who, other) in table.met for who in tied for other in tied):
        return {}
    return {who: (placed[who], shown(mutual[who] / 2)) for who in tied}


def _mutual(table: Table, tied: Sequence[int]) -> dict[int, Fraction]:
    """Half wins among these; who met more than once counts the mean of these meetings."""
    return {
        who: sum(
            (Fraction(sum(halves), len(halves)) for other in tied if (halves := table.met.get((who, other)))),
            Fraction(0),
        )
        for who in tied
    }


def _encountered(table: Table, tied: Sequence[int]) -> list[list[int]]:
    """The tied entries in groups, the best first."""
    if len(tied) < 2:
        return [list(tied)]
    mutual = _mutual(table, tied)
    if all((one, two) in table.met for one, two in combinations(tied, 2)):
        groups = grouped(tied, mutual)
        if len(groups) == 1:
            return groups
        return [smaller for group in groups for smaller in _encountered(table, group)]
    missing = {who: sum((who, other) not in table.met for other in tied) - 1 for who in tied}
    for who in tied:
        if all(mutual[who] > mutual[other] + 2 * missing[other] for other in tied if other != who):
            return [[who], *_encountered(table, [other for other in tied if other != who])]
    return [list(tied)]


def grouped(ids: Sequence[int], keys: Mapping[int, Fraction | int]) -> list[list[int]]:
    """The ids with equal keys together, the greatest key first; the order within a group stays."""
    groups: dict[Fraction | int, list[int]] = {}
    for who in ids:
        groups.setdefault(keys[who], []).append(who)
    return [groups[key] for key in sorted(groups, reverse=True)]


POINTS = _each(
    "points",
    gettext_noop("Points"),
    gettext_noop(
        "1 for a win, ½ for a level result; at a table of more, the share of the others that were beaten."
    ),
    lambda table, who: table.points[who],
    POINT,
)
DIRECT_ENCOUNTER = TieBreak(
    Criterion(
        "direct_encounter",
        gettext_noop("Direct encounter"),
        gettext_noop(
            "Points from the matches of the tied entries among themselves. Decides if all of them have met, or for "
            "one who would be ahead whatever the missing results."
        ),
    ),
    _direct_encounter,
)
BUCHHOLZ = _each(
    "buchholz",
    gettext_noop("Buchholz"),
    gettext_noop("The sum of the opponents' points: who met stronger ones is ahead."),
    Table.buchholz,
    SQUARE,
)
MEDIAN_BUCHHOLZ = _each(
    "median_buchholz",
    gettext_noop("Median Buchholz"),
    gettext_noop("Buchholz without the weakest and the strongest opponent."),
    Table.median_buchholz,
    SQUARE,
)
SONNEBORN_BERGER = _each(
    "sonneborn_berger",
    gettext_noop("Sonneborn-Berger"),
    gettext_noop("The points of the opponents that were beaten and half of those that were met level."),
    Table.sonneborn_berger,
    2 * SQUARE,
)
MEAN_POINTS = TieBreak(
    Criterion(
        "mean_points",
        gettext_noop("Mean points difference"),
        gettext_noop(
            "How many points fewer than its opponents the entry had in the mean, a game; games with an own fault do "
            "not count."
        ),
    ),
    _mean_points,
)
EXTRA = Criterion(
    "extra_deals",
    gettext_noop("Extra deals"),
    gettext_noop("The share of games won in the extra deals for a tied place."),
)
LOT = Criterion("lot", gettext_noop("Lot"), gettext_noop("Drawn from the published seed; the smallest wins."))

SWISS_CHAIN = (POINTS, DIRECT_ENCOUNTER, BUCHHOLZ, MEDIAN_BUCHHOLZ, SONNEBORN_BERGER, MEAN_POINTS)
# Where all meet all, Buchholz says nothing that the points do not say (C.07, article 8).
ROUND_ROBIN_CHAIN = (POINTS, DIRECT_ENCOUNTER, SONNEBORN_BERGER, MEAN_POINTS)


class Ranking:
    """Entries that are split by one criterion after the other into ever smaller groups, the best first."""

    def __init__(self, ids: Sequence[int]) -> None:
        self.groups: list[list[int]] = [list(ids)] if ids else []
        self.values: dict[int, list[float | str | None]] = {who: [] for who in ids}
        self.split_by: dict[int, str] = {}

    def split(self, name: str, keys: Mapping[int, Fraction | int]) -> None:
        """Split every tied group of which all have keys."""
        groups: list[list[int]] = []
        for group in self.groups:
            parts = grouped(group, keys) if all(who in keys for who in group) else [group]
            for part in parts[1:]:
                self.split_by.update(dict.fromkeys(part, name))
            groups += parts
        self.groups = groups

    def show(self, values: Mapping[int, float | str | None]) -> None:
        for who, shown_values in self.values.items():
            shown_values.append(values.get(who))

    def by(self, table: Table, chain: Iterable[TieBreak]) -> None:
        for tie_break in chain:
            keys: dict[int, tuple[Fraction | int, float | None]] = {}
            for group in self.groups:
                keys.update(tie_break.keys(table, group))
            self.split(tie_break.criterion.name, {who: key for who, (key, _) in keys.items()})
            self.show({who: value for who, (_, value) in keys.items()})

    @property
    def tied(self) -> list[tuple[int, list[int]]]:
        """The groups of more than one, each with the first place that it shares."""
        found, place = [], 1
        for group in self.groups:
            if len(group) > 1:
                found.append((place, group))
            place += len(group)
        return found
