"""How far one bot is ahead of another, by the deals that both have played from every seat.

A *unit* is one deal, played once from each seating. In each of its games the first bot scores 0, ½ or 1 against the
second, so over g games a unit has 2g + 1 outcomes, and so many counts hold all that is needed. Their variance is
smaller than that of independent games, because the cards cancel.

Elo is logistic, by mean score. *Normalised Elo* is (800 / ln 10) (μ - ½) / σ, where μ is the mean score and σ the
standard deviation of a game, reckoned from that of units (M. Van den Bergh, "Normalized Elo").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

NELO_PER_SIGMA: Final = 800 / math.log(10)
ELO_PER_NAT: Final = 400 / math.log(10)
Z95: Final = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Moments:
    """Of units of `games_each` games: `mean` from 0 to 1, `variance` of a unit's mean, and `half_games`, the number
    of games halved."""

    mean: float
    variance: float
    half_games: float
    games_each: int

    @property
    def signal(self) -> float:
        """(μ - ½) / σ, σ being that of one game: normalised Elo over 800 / ln 10."""
        return (self.mean - 0.5) / math.sqrt(self.games_each * self.variance)


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the first bot is ahead, with half the widths of 95 % intervals."""

    score: float
    elo: float
    elo_half_width: float
    nelo: float
    nelo_half_width: float

    @property
    def is_known(self) -> bool:
        """Whether the interval has 0 outside it."""
        return abs(self.elo) > self.elo_half_width


def moments(counts: Sequence[int], never_seen: float) -> Moments:
    """Of units by outcome, from worst to best: three counts of games (lost, tied, won), five of pairs, 2g + 1 of g
    games each. What was never seen counts for `never_seen`, without which a variance may be nothing."""
    if len(counts) < 3 or not len(counts) % 2 or min(counts) < 0:
        raise ValueError(
            f"Counts are five of pairs, three of games, or 2g + 1, none negative; these are {list(counts)}."
        )
    seen = [count or never_seen for count in counts]
    n = math.fsum(seen)
    scores = [step / (len(counts) - 1) for step in range(len(counts))]
    mean = math.fsum(count * score for count, score in zip(seen, scores, strict=True)) / n
    spread = math.fsum(count * (score - mean) ** 2 for count, score in zip(seen, scores, strict=True)) / n
    games_each = len(counts) // 2
    return Moments(mean=mean, variance=spread, half_games=n * games_each / 2, games_each=games_each)


def difference(counts: Sequence[int]) -> Difference | None:
    """The difference that counts of units show; None without any.

    For Elo, an outcome never seen counts for half a unit of pairs, and in units of more games the half is shared
    between more outcomes, so that a clean sweep has a rating too; `score` is the plain mean. The Elo half-width is half
    the way between the ends of the score's interval, or where an end lies beyond 0 or 1, the width by the slope of the
    logistic curve.
    """
    if not sum(counts):
        return None
    found = moments(counts, min(0.5, 2.5 / len(counts)))
    n = 2 * found.half_games / found.games_each
    error = Z95 * math.sqrt(found.variance / n)
    low, high = found.mean - error, found.mean + error
    if low > 0 and high < 1:
        half_width = (elo_of(high) - elo_of(low)) / 2
    else:
        half_width = error * ELO_PER_NAT / (found.mean * (1 - found.mean))
    return Difference(
        score=sum(count * step for step, count in enumerate(counts)) / sum(counts) / (len(counts) - 1),
        elo=elo_of(found.mean),
        elo_half_width=half_width,
        nelo=NELO_PER_SIGMA * found.signal,
        nelo_half_width=Z95 * NELO_PER_SIGMA / math.sqrt(2 * found.half_games),
    )


def elo_of(score: float) -> float:
    """The logistic Elo difference at which this is the expected score."""
    return ELO_PER_NAT * math.log(score / (1 - score))
