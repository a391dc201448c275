"""Is one version better than another? A sequential test over duplicate pairs, which stops as soon as it is known.

A *pair* is one deal played twice by two versions, once from each seating; `matches.differences` says how five counts
hold all that the test needs.

The size of a difference is its *normalised Elo*. The test is the generalised sequential probability ratio test (X. Li,
J. Liu, Z. Ying, "Generalized sequential probability ratio test for separate families of hypotheses", 2014) of `nelo0`
against `nelo1`, with Wald's bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from matches.differences import NELO_PER_SIGMA, moments

# What an outcome never seen counts for in the test.
NEVER_SEEN = 1e-3


class Verdict(StrEnum):
    BETTER = "better"
    NOT_BETTER = "not_better"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """`nelo0` (not better) against `nelo1` (better), both in normalised Elo. At most a share `alpha` of versions that
    are no better than `nelo0` pass for better, and `beta` of those better by `nelo1` or more do not."""

    nelo0: float = 0.0
    nelo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    max_pairs: int = 20_000

    def __post_init__(self) -> None:
        if not self.nelo0 < self.nelo1:
            raise ValueError(f"nelo0 ({self.nelo0}) must be below nelo1 ({self.nelo1}).")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError(
                f"alpha ({self.alpha}) and beta ({self.beta}) must be above 0 and add to less than 1."
            )
        if self.max_pairs < 1:
            raise ValueError(f"max_pairs ({self.max_pairs}) must be at least 1.")

    @property
    def lower(self) -> float:
        """The log likelihood ratio at which the verdict is *not better*."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log likelihood ratio at which the verdict is *better*."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """The log likelihood ratio of *better* to *not better* given five counts of pairs, from worst to best.

        It is N pairs times `gain` at their signal, which is within 0.01 of the exact maximum and never fails.
        """
        if not sum(counts):
            return 0.0
        found = moments(counts, NEVER_SEEN)
        return found.half_games * self.gain(found.signal)

    def gain(self, signal: float) -> float:
        """What a pair adds to the ratio: ln((1 + (t - t0)²) / (1 + (t - t1)²)), t being the signal.

        That rises with t only while |t| is below about 1, and then falls again: a clean sweep fits neither hypothesis.
        It is held at its extremes there, so that winning more never counts for less.
        """
        low, high = self.nelo0 / NELO_PER_SIGMA, self.nelo1 / NELO_PER_SIGMA
        middle, reach = (low + high) / 2, math.sqrt(1 + (high - low) ** 2 / 4)
        held = min(max(signal, middle - reach), middle + reach)
        return math.log((1 + (held - low) ** 2) / (1 + (held - high) ** 2))

    def verdict(self, counts: Sequence[int]) -> Verdict | None:
        """None while the test goes on. Ask after each pair, in the order in which pairs were dealt out: to stop as
        soon as quick games suffice would favour whoever wins quickly."""
        ratio = self.llr(counts)
        if ratio >= self.upper:
            return Verdict.BETTER
        if ratio <= self.lower:
            return Verdict.NOT_BETTER
        return Verdict.UNDECIDED if sum(counts) >= self.max_pairs else None

    def games_left(self, counts: Sequence[int]) -> float:
        """Expected further games to a verdict, given five counts; 0 once there is one.

        The ratio is taken for a Brownian motion between its bounds. What the signal is, is itself known no better
        than the pairs so far allow (a variance of 1 / 2N), so the expectation is averaged over that.
        """
        if self.verdict(counts) is not None:
            return 0.0
        n_pairs = sum(counts)
        left = self.max_pairs - n_pairs
        ratio = self.llr(counts)
        signal = moments(counts, NEVER_SEEN).signal if n_pairs else 0.0
        spread = 1 / math.sqrt(2 * (n_pairs + 1))
        offsets = np.linspace(-3, 3, 61)
        weights = np.exp(-(offsets**2) / 2)
        pairs = [min(self.pairs_from(ratio, float(t)), left) for t in signal + spread * offsets]
        return 2 * float(np.average(pairs, weights=weights))

    def pairs_from(self, ratio: float, signal: float) -> float:
        """Expected pairs until the ratio, now at `ratio`, leaves its bounds, if the signal is truly `signal`: the mean
        exit time of a Brownian motion with the ratio's drift and variance a pair."""
        drift = self.gain(signal)
        variance = 2 * ((self.nelo1 - self.nelo0) / NELO_PER_SIGMA) ** 2
        below, above = ratio - self.lower, self.upper - ratio
        pull = 2 * drift / variance
        if abs(pull) * (below + above) < 1e-4:
            return below * above / variance
        # Mirrored, so that the exponentials below never overflow.
        if pull < 0:
            pull, drift, below, above = -pull, -drift, above, below
        up = math.expm1(-pull * below) / math.expm1(-pull * (below + above))
        return (up * above - (1 - up) * below) / drift
