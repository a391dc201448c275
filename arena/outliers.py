"""Whether faults fall on one version, or on one host, more often than chance would have it.

Faults come in waves: a server restarts, and whatever runs just then fails. So chance is asked within each stratum (an
hour on a host, or an hour of everybody) how many of *its* faults fall on the suspect, whose share of the stratum is
known: given that `n` faults happened there, chance lays each of them on the suspect with probability `share`. The sum
over strata of such binomial numbers is what the suspect's count is compared with. A stratum that the suspect fills
alone says nothing.

An alarm that is asked for over and over is raised by chance sooner or later. Let F faults have happened in the window
and S suspects be looked at: a look can raise a new alarm only after a fault, so there were at most F looks at S
suspects, and by the union bound the chance of any false alarm in a window is at most F · S times the level of one
look. An alarm is therefore raised where the tail probability times F · S is at most `FALSE_ALARMS`, the number of
false alarms in a window that are put up with. docs/decisions/0016-who-stands-out.md has the reasons, and what this
finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, lgamma, log, log1p

import numpy as np

# One false alarm in a hundred windows (days); what it costs is a click of an operator.
FALSE_ALARMS = 0.01


@dataclass(frozen=True, slots=True)
class Stratum:
    """`n_faults` happened here, `n_own` of them the suspect's, which had this `share` of what could fail."""

    n_faults: int
    n_own: int
    share: float


@dataclass(frozen=True, slots=True)
class Outlier:
    """`n_own` faults of `n_faults` are the suspect's, where chance would lay `expected`; `chance` is of that many."""

    n_own: int
    n_faults: int
    expected: float
    chance: float


def outliers(suspects: Mapping[str, Iterable[Stratum]], n_faults: int) -> dict[str, Outlier]:
    """Those who stand out among all suspects, when `n_faults` were looked at in all."""
    found = {}
    for name, strata in suspects.items():
        given = [stratum for stratum in strata if stratum.n_faults]
        n_own = sum(stratum.n_own for stratum in given)
        chance = tail(n_own, given)
        if n_own and chance * len(suspects) * n_faults <= FALSE_ALARMS:
            expected = sum(stratum.n_faults * stratum.share for stratum in given)
            found[name] = Outlier(n_own, sum(stratum.n_faults for stratum in given), expected, chance)
    return found


def tail(n_own: int, strata: Iterable[Stratum]) -> float:
    """The probability that chance lays so many faults on the suspect, or more."""
    if n_own == 0:
        return 1.0
    spread = np.ones(1)
    for stratum in strata:
        spread = np.convolve(spread, _binomial(stratum.n_faults, stratum.share))
    return min(float(spread[n_own:].sum()), 1.0)


def _binomial(n: int, share: float) -> np.ndarray:
    """The probabilities of 0 to n."""
    if share >= 1.0 or share <= 0.0:
        spread = np.zeros(n + 1)
        spread[n if share >= 1.0 else 0] = 1.0
        return spread
    logs = [
        lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) + (n - k) * log1p(-share)
        for k in range(n + 1)
    ]
    return np.array([exp(value) for value in logs])
