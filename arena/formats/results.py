"""Matches as formats ask for them, and the results that answer them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Self

from .entries import check_ids
from .errors import FormatError

EXTRA = "+"


@dataclass(frozen=True, slots=True)
class Match:
    """A match that is to be played now. `key` names it within the event together with its `entries`: should the
    event be drawn anew, the same key may come with others. `extra` counts the extra matches of a pairing from 1."""

    key: str
    pairing: str
    entries: tuple[int, ...]
    deals: int
    extra: int = 0


def match_key(pairing: str, extra: int) -> str:
    return f"{pairing}{EXTRA}{extra}" if extra else pairing


def pairing_of(match: str) -> str:
    return match.partition(EXTRA)[0]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match; all lists but `pairs` are by entry, in the order of `entries`.

    `pairs`: for each two entries i < j, in the order (0,1), (0,2), …, (1,2), …, the games in which i was placed
    before j, equal placings counting half. `clean`: games in which the entry had no fault; `totals`: its points in
    these. `faults`: games in which it had one. `forfeits`: who forfeits the match as a whole, by the organiser's
    decision; then no games are read. Raises `FormatError` for what no match can result in.
    """

    match: str
    entries: tuple[int, ...]
    games: int
    pairs: tuple[float, ...]
    totals: tuple[int, ...]
    clean: tuple[int, ...]
    faults: tuple[int, ...]
    forfeits: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.entries)
        check_ids(self.entries)
        if not set(self.forfeits) <= set(self.entries):
            raise FormatError(f"The result of {self.match} has forfeits of entries that are not in it.")
        if self.forfeits:
            return
        sizes = {len(self.totals), len(self.clean), len(self.faults)}
        if n < 2 or sizes != {n} or len(self.pairs) != n * (n - 1) // 2:
            raise FormatError(f"The result of {self.match} does not fit its {n} entries.")
        if self.games < 1 or not all(0 <= won <= self.games for won in self.pairs):
            raise FormatError(f"The result of {self.match} has more games won than played, or none played.")
        if any(a < 0 or b < 0 or a + b > self.games for a, b in zip(self.clean, self.faults, strict=True)):
            raise FormatError(f"The result of {self.match} has more faults than games.")

    @classmethod
    def of_tally(cls, match: str, tally: Mapping[str, Any], entry_of: Mapping[int, int]) -> Self:
        """From a stored tally (`matches.tally.Tally`) and the entry of each version in it."""
        return cls(
            match=match,
            entries=tuple(entry_of[version] for version in tally["versions"]),
            games=tally["games"],
            pairs=tuple(tally["pairs"]),
            totals=tuple(tally["totals"]),
            clean=tuple(tally["clean"]),
            faults=tuple(tally["faults"]),
        )

    @classmethod
    def forfeited(cls, match: str, entries: Sequence[int], forfeits: Collection[int]) -> Self:
        """The organiser's decision that these entries forfeit."""
        return cls(match, tuple(entries), 0, (), (), (), (), tuple(sorted(forfeits)))


class Sums:
    """What the matches of one pairing come to together, by entry and exactly. `won` counts half games: 2 for a
    game in which the first was placed before the second, 1 for equal placings."""

    def __init__(self, results: Iterable[Result]) -> None:
        self.games = 0
        self.won: dict[tuple[int, int], int] = {}
        self.totals: dict[int, int] = {}
        self.clean: dict[int, int] = {}
        self.faults: dict[int, int] = {}
        for result in results:
            if not result.forfeits:
                self.add(result)

    def add(self, result: Result) -> None:
        self.games += result.games
        for (one, two), won in zip(combinations(result.entries, 2), result.pairs, strict=True):
            halves = round(2 * won)
            self.won[one, two] = self.won.get((one, two), 0) + halves
            self.won[two, one] = self.won.get((two, one), 0) + 2 * result.games - halves
        for number, who in enumerate(result.entries):
            self.totals[who] = self.totals.get(who, 0) + result.totals[number]
            self.clean[who] = self.clean.get(who, 0) + result.clean[number]
            self.faults[who] = self.faults.get(who, 0) + result.faults[number]

    def share(self, who: int) -> Fraction | None:
        """The mean share of games won against the others, None without games."""
        won = [value for (one, _), value in self.won.items() if one == who]
        return Fraction(sum(won), 2 * len(won) * self.games) if won else None

    def mean_points(self, who: int) -> Fraction | None:
        """Points a game without own fault, None if there was none."""
        return Fraction(self.totals[who], self.clean[who]) if self.clean.get(who) else None

    def always_faulted(self, who: int) -> bool:
        """No game without an own fault. Those that a match of two seats leaves unplayed after the third fault are no
        faults of their own, and none without one either."""
        return bool(self.games) and not self.clean.get(who)

    def halves(self, one: int, two: int) -> int:
        """2 if the first was more often placed before the second than after it, 1 if as often, else 0; 0 both ways
        if neither had a game without fault."""
        if self.always_faulted(one) and self.always_faulted(two):
            return 0
        won, lost = self.won[one, two], self.won[two, one]
        return 1 + (won > lost) - (won < lost)


class Answers:
    """The results so far, in whatever order they came; remembers which ones were of use."""

    def __init__(self, results: Iterable[Result], known: Collection[int]) -> None:
        self.by_match: dict[str, list[Result]] = {}
        self.used: list[Result] = []
        seen: dict[tuple[str, frozenset[int]], Result] = {}
        for result in results:
            if not set(result.entries) <= set(known):
                raise FormatError(f"The result of {result.match} names entries that are not in the event.")
            same = (result.match, frozenset(result.entries))
            if seen.setdefault(same, result) is not result:
                raise FormatError(f"The match {result.match} has two results.")
            self.by_match.setdefault(result.match, []).append(result)

    def find(self, match: str, invited: Sequence[int], live: Collection[int]) -> Result | None:
        """The result of this match: between all who were invited to it, or without some who have left since."""
        fitting = [
            result
            for result in self.by_match.get(match, ())
            if set(live) <= set(result.entries) <= set(invited)
        ]
        if not fitting:
            return None
        found = max(fitting, key=lambda result: (len(result.entries), sorted(result.entries)))
        self.used.append(found)
        return found

    def unused(self) -> list[Result]:
        used = {(result.match, result.entries) for result in self.used}
        left = [r for results in self.by_match.values() for r in results if (r.match, r.entries) not in used]
        return sorted(left, key=lambda result: (result.match, result.entries))
