"""What a refit costs, beside what one cannot do without, and that it comes to what other solvers come to.

CPU seconds on one thread, the best of five, beside numpy's Cholesky factorisation of a matrix of as many rows. The
memory of a very large ladder is that of a process of its own: `python -m tests.bench.rating_speed`.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import choix
import numpy as np
from threadpoolctl import threadpool_limits

from arena.ratings.bradley_terry import Fit, fit
from arena.ratings.sequential import SequentialTest
from arena.ratings.sums import Floats, Sums, Tables
from matches.differences import ELO_PER_NAT, difference
from tests.bench.rating_model import logistic_games, some

N_BOTS, N_RESULTS, N_VERSIONS = 1000, 1_000_000, 10_000
COLD, WARM, MOST_MIB = 12.0, 4.0, 2048
DATA = Path(__file__).parents[1] / "data"
T = TypeVar("T")


def rows() -> Iterator[dict[str, Any]]:
    yield from refit()
    yield from agreement()
    peak = subprocess.run(
        [sys.executable, "-m", "tests.bench.rating_speed"], check=True, capture_output=True, text=True
    )
    mib = float(peak.stdout)
    yield {
        "name": f"peak memory, {N_VERSIONS:,} versions and {N_RESULTS:,} results",
        "value": round(mib),
        "unit": "MiB",
        "goal": MOST_MIB,
        "ok": mib <= MOST_MIB,
    }


def best_of_five(work: Callable[[], T]) -> tuple[float, T]:
    """Least CPU seconds, and the result."""
    took = []
    for _ in range(5):
        began = time.process_time()
        found = work()
        took.append(time.process_time() - began)
    return min(took), found


def refit() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(1)
    tables = logistic_games(rng, rng.normal(0, 150 / ELO_PER_NAT, N_BOTS), N_RESULTS)
    n_old = N_RESULTS * 99 // 100
    old, new = some(tables, slice(n_old)), some(tables, slice(n_old, None))
    sums = Sums(N_BOTS, [old])
    before = fit(sums)
    square = rng.random((N_BOTS, N_BOTS))
    square = square @ square.T + np.eye(N_BOTS)
    wins = np.zeros((N_BOTS, N_BOTS))
    (low, high), won = tables.players, tables.scores[0] > 0
    np.add.at(wins, (np.where(won, low, high), np.where(won, high, low)), 1)

    cholesky, _ = best_of_five(lambda: np.linalg.cholesky(square))

    def from_before() -> tuple[Floats, Floats]:
        """As it was is put back within the time that is measured; a millisecond's part."""
        sums.add([new])
        found = strengths_and_errors(fit(sums, start=before))
        sums.take_back([new])
        return found

    cold, whole = best_of_five(lambda: strengths_and_errors(fit(Sums(N_BOTS, [tables]))))
    warm, again = best_of_five(from_before)
    solver, _ = best_of_five(lambda: choix.ilsr_pairwise_dense(wins, alpha=0.01))
    yield {"name": f"numpy's Cholesky, {N_BOTS:,} rows", "value": round(1000 * cholesky, 1), "unit": "CPU ms"}
    size = f"{N_BOTS:,} bots, {N_RESULTS:,} results"
    for name, took, goal in (("cold", cold, COLD), ("warm, 1 % of the results new", warm, WARM)):
        yield {"name": f"refit with errors, {size}, {name}", "value": round(1000 * took, 1), "unit": "CPU ms"}
        yield {
            "name": f"the same beside Cholesky, {name}",
            "value": round(took / cholesky, 2),
            "unit": "times",
            "goal": goal,
            "ok": took <= goal * cholesky,
        }
    for what, ours, theirs in zip(("strengths", "errors"), whole, again, strict=True):
        apart = ELO_PER_NAT * float(np.abs(ours - theirs).max())
        yield {"name": f"{what} of both, farthest apart", "value": f"{apart:.1e}", "unit": "Elo"}
    yield {
        "name": "choix.ilsr_pairwise_dense, sums given, without errors",
        "value": round(1000 * solver, 1),
        "unit": "CPU ms",
    }
    yield {"name": "our cold refit beside it", "value": round(cold / solver, 2), "unit": "times"}


def strengths_and_errors(found: Fit) -> tuple[Floats, Floats]:
    """In nats."""
    return found.strengths, found.sandwich_errors


def agreement() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(2)
    n, sd = 50, 150 / ELO_PER_NAT
    tables = logistic_games(rng, rng.normal(0, sd, n), 20_000)
    (low, high), won = tables.players, tables.scores[0] > 0
    games = np.stack([np.where(won, low, high), np.where(won, high, low)], axis=1)
    # choix takes off alpha times the squares, we half their precision.
    theirs = choix.opt_pairwise(n, games.tolist(), alpha=1 / (2 * sd**2), method="Newton-CG", tol=1e-12)
    ours = fit(Sums(n, [tables]), prior_sd_elo=150).strengths
    apart = float(np.abs(ours - ours.mean() - (theirs - theirs.mean())).max())
    yield {
        "name": f"farthest from choix.opt_pairwise, {n} bots, 20,000 games",
        "value": f"{apart:.1e}",
        "unit": "nat",
        "goal": 1e-6,
        "ok": apart <= 1e-6,
    }
    checks = [bool(check) for check in (*fit_vectors(), *trial_vectors())]
    yield {
        "name": "vectors of other programs that come out the same",
        "value": sum(checks),
        "unit": f"of {len(checks)}",
        "goal": len(checks),
        "ok": all(checks),
    }


def fit_vectors() -> Iterator[bool]:
    given = json.loads((DATA / "bradley-terry.json").read_text())

    def strengths(pairs: list[Any], n: int, sd: float = 1e6) -> Any:
        pairs = [[a, b, games, won] if a < b else [b, a, games, games - won] for a, b, games, won in pairs]
        players = np.array([pair[:2] for pair in pairs]).T
        tables = Tables(players, np.array([p[2] for p in pairs]), np.array([[float(p[3]) for p in pairs]]))
        found = fit(Sums(n, [tables]), prior_sd_elo=sd).strengths
        return found - found.mean()

    won, games = given["pair"]["score"]
    high, low = ELO_PER_NAT * strengths([[0, 1, games, won]], 2)
    yield abs(high - low - given["pair"]["elo_difference"]) < 1e-4
    three = given["three"]
    yield bool(np.abs(ELO_PER_NAT * strengths(three["pairs"], 3) - three["elo_centred"]).max() < 1e-3)
    yield bool(np.abs(ELO_PER_NAT * strengths(three["pairs"], 3) - three["ordo"]).max() < 0.01)
    yield bool(
        np.abs(ELO_PER_NAT * strengths(three["pairs"], 3, 200) - three["map_prior_sd200"]).max() < 1e-3
    )
    choices = [[a, b, 1, 1] for a, b in given["choix"]["data"]]
    yield bool(np.abs(strengths(choices, 5) - given["choix"]["theta"]).max() < 1e-6)
    for vector in given["virtual_draws"]:
        high, low = strengths([[0, 1, vector["played"], vector["won"]]], 2)
        yield abs(high - low - vector["log_gamma"]) < 1e-6


def trial_vectors() -> Iterator[bool]:
    given = json.loads((DATA / "sequential-test.json").read_text())
    for vector in given["llr"]:
        if vector["model"] == "normalized":
            ratio = SequentialTest(vector["elo0"], vector["elo1"]).llr(vector["counts"])
            yield abs(ratio - vector["exact"]) <= 0.0101
    for vector in given["difference"]:
        found = difference(vector["counts"])
        yield found is not None and abs(found.elo - vector["elo"]) < 1e-9
        yield found is not None and abs(found.elo_half_width - vector["elo_half_width"]) < 0.006


def peak_mib() -> float:
    rng = np.random.default_rng(3)
    tables = logistic_games(rng, rng.normal(0, 150 / ELO_PER_NAT, N_VERSIONS), N_RESULTS)
    with threadpool_limits(limits=1, user_api="blas"):
        found = fit(Sums(N_VERSIONS, [tables]))
        assert np.isfinite(found.sandwich_errors).all()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.stdout.write(f"{peak_mib()}\n")
