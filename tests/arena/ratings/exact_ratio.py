"""The log likelihood ratio that the closed form stands for: both hypotheses' likeliest distributions, solved for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq, root


def exact_llr(counts: Sequence[int], elo0: float, elo1: float, model: str) -> float:
    """Of five counts of pairs or three of games, `elo0` and `elo1` being normalised or logistic Elo."""
    likeliest = with_signal if model == "normalized" else with_score
    shares = np.array(counts, dtype=float) / sum(counts)
    logs = np.log(likeliest(shares, elo1)) - np.log(likeliest(shares, elo0))
    return float(np.array(counts) @ logs)


def with_score(shares: np.ndarray, elo: float) -> np.ndarray:
    """The likeliest distribution whose mean score is that of a logistic Elo difference (Lagrange multiplier)."""
    away = np.linspace(0, 1, len(shares)) - 1 / (1 + 10 ** (-elo / 400))
    low, high = -1 / away.max(), -1 / away.min()
    edge = 1e-9 * (high - low)
    multiplier = brentq(lambda x: shares @ (away / (1 + x * away)), low + edge, high - edge, xtol=1e-15)
    return shares / (1 + multiplier * away)


def with_signal(shares: np.ndarray, nelo: float) -> np.ndarray:
    """The likeliest distribution whose (mean - ½) / σ of a game is that of a normalised Elo difference."""
    signal = nelo * math.log(10) / 800
    games_each = 2 if len(shares) == 5 else 1
    scores = np.linspace(0, 1, len(shares))

    def conditions(unknown: np.ndarray) -> np.ndarray:
        chances, total, tilt = unknown[:-2], unknown[-2], unknown[-1]
        mean = chances @ scores
        sigma = math.sqrt(games_each * (chances @ (scores - mean) ** 2))
        slope = scores - signal * games_each * (scores**2 - 2 * mean * scores) / (2 * sigma)
        stationary = shares - chances * (total + tilt * slope)
        return np.array([*stationary, chances.sum() - 1, mean - 0.5 - signal * sigma])

    solved = root(conditions, np.array([*shares, 1.0, 0.0]), tol=1e-14)
    assert np.abs(solved.fun).max() < 1e-10, solved.message
    return solved.x[:-2]
