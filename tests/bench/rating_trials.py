"""The sequential test over many simulated trials: how often it errs, and how many games it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.ratings.sequential import NEVER_SEEN, SequentialTest, Verdict
from matches.differences import NELO_PER_SIGMA

SCORES = np.linspace(0, 1, 5)


@dataclass(frozen=True, slots=True)
class Trials:
    """Of many trials: the share that ended *better* with the standard error of that, and mean games of each."""

    better: float
    error: float
    games: float


def even(chances: Sequence[float]) -> NDArray[np.float64]:
    """The five chances with both sides put together, so that neither is better."""
    given = np.array(chances, dtype=np.float64)
    return (given + given[::-1]) / 2


def dealt_chances(chance: float, mirrored: float) -> NDArray[np.float64]:
    """The five chances of a deal's two games, each won with this chance, if the second has the luck of the first for
    the other side as often as `mirrored` says, and is independent otherwise."""
    both, neither = max(2 * chance - 1, 0.0), max(1 - 2 * chance, 0.0)
    opposed = np.array([neither, 0, 1 - both - neither, 0, both])
    free = np.array([(1 - chance) ** 2, 0, 2 * chance * (1 - chance), 0, chance**2])
    return mirrored * opposed + (1 - mirrored) * free


def run_trials(test: SequentialTest, chances: NDArray[np.float64], n_trials: int, seed: int) -> Trials:
    """Trials whose pairs come out with these five chances."""
    rng = np.random.default_rng(seed)
    better, games = 0, 0
    for _ in range(n_trials):
        outcomes = rng.choice(5, size=test.max_pairs, p=chances)
        counts = np.cumsum(outcomes[:, None] == np.arange(5), axis=0)
        over = np.abs(ratios(test, counts)) >= test.upper
        last = int(over.argmax()) if over.any() else test.max_pairs - 1
        verdict = test.verdict(counts[last].tolist())
        # The test itself has the last word: over here, and not yet a pair before.
        assert verdict is not None
        assert last == 0 or test.verdict(counts[last - 1].tolist()) is None
        better += verdict is Verdict.BETTER
        games += 2 * (last + 1)
    share = better / n_trials
    return Trials(share, (share * (1 - share) / n_trials) ** 0.5, games / n_trials)


def ratios(test: SequentialTest, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The test's ratio after each pair, of all at once."""
    seen = np.where(counts, counts, NEVER_SEEN)
    n = seen.sum(axis=1)
    mean = seen @ SCORES / n
    variance = seen @ SCORES**2 / n - mean**2
    low, high = test.nelo0 / NELO_PER_SIGMA, test.nelo1 / NELO_PER_SIGMA
    middle, reach = (low + high) / 2, (1 + (high - low) ** 2 / 4) ** 0.5
    signal = np.clip((mean - 0.5) / np.sqrt(2 * variance), middle - reach, middle + reach)
    return n * np.log((1 + (signal - low) ** 2) / (1 + (signal - high) ** 2))
