"""The same questions of the real game: house bots and perturbed copies of them, thousands of full games in process.

All matches of a table size make a *bank*. The truth is the fit of the whole bank; ratings from parts of it are
compared with that. A part of share f misses the whole by √(1 - f) of what it misses the truth by, so that its
intervals are narrowed by that before they are counted.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.ratings.bradley_terry import Fit, chances, fit
from arena.ratings.sequential import NEVER_SEEN, SequentialTest
from arena.ratings.sums import Floats, Sums, Tables
from bots.house import HOUSE
from bots.kit.skyjo import Action, Bot, View, load_bot
from matches.differences import ELO_PER_NAT, difference, moments
from matches.engine import SeededDeal, parse_seed, rules_from
from tests.bench.rating_model import about_mean, coverage_row, published_errors, some
from tests.bench.rating_trials import even, run_trials
from tests.contract.driver import play_game

SEED = parse_seed("11")
# Of each table size: matches, and deals in each.
BANKS = {2: (1200, 5), 4: (600, 2), 8: (240, 1)}
PARTS, PART = 200, 0.2
NEAR_EQUALS = (("threshold", "threshold, low 2"), ("threshold", "collector"))
TWINS, BETTER = (
    ("threshold, 5 % at random", "threshold, 5 % at random"),
    ("threshold", "threshold, 10 % at random"),
)
TRIAL_DEALS = 1200
_SLICE = 25


@dataclass(frozen=True, slots=True)
class Copy:
    """A house bot with other constants, which at this rate does anything legal instead."""

    name: str
    house: str
    constants: tuple[tuple[str, int], ...] = ()
    at_random: float = 0.0

    def make(self) -> Bot:
        kind = load_bot(next(bot.path for bot in HOUSE if bot.name == self.house))
        # Each load is a module of its own, so that no other copy sees these.
        kind.draw.__globals__.update(self.constants)
        bot = kind()
        if self.at_random:
            bot.draw, bot.place = self.erring(bot.draw), self.erring(bot.place)  # type: ignore[method-assign]
        return bot

    def erring(self, choose: Callable[..., Action]) -> Callable[..., Action]:
        def err(view: View, *card: int) -> Action:
            action = choose(view, *card)
            return random.choice(view.legal_actions()) if random.random() < self.at_random else action

        return err


ROSTER = (
    Copy("greedy", "greedy"),
    Copy("greedy, 5 % at random", "greedy", at_random=0.05),
    Copy("threshold", "threshold"),
    Copy("threshold, low 2", "threshold", (("LOW", 2),)),
    Copy("threshold, low 5", "threshold", (("LOW", 5),)),
    Copy("threshold, high 5", "threshold", (("HIGH", 5),)),
    Copy("threshold, high 10", "threshold", (("HIGH", 10),)),
    Copy("threshold, bold", "threshold", (("TURN", -4),)),
    Copy("threshold, 5 % at random", "threshold", at_random=0.05),
    Copy("threshold, 10 % at random", "threshold", at_random=0.10),
    Copy("collector", "collector"),
    Copy("collector, low 5", "collector", (("LOW", 5),)),
    Copy("collector, left 6", "collector", (("LEFT", 6),)),
    Copy("collector, 10 % at random", "collector", at_random=0.10),
)
NAMES = [one.name for one in ROSTER]


@dataclass(frozen=True, slots=True)
class Bank:
    """Matches of one table size: `players`, seats by matches, ascending; `won`, by pair of players, match, deal and
    seating, 1, ½ or 0 for the first of the two."""

    players: NDArray[np.int64]
    won: Floats

    @property
    def tables(self) -> Tables:
        n_games = self.won.shape[2] * self.won.shape[3]
        return Tables(
            self.players, np.full(self.players.shape[1], n_games), self.won.sum(axis=(2, 3), dtype=np.float64)
        )

    @property
    def singles(self) -> Tables:
        """One game of each deal, as if none had been played twice."""
        seats, n_matches = self.players.shape
        n_deals = self.won.shape[2]
        turned = (np.arange(n_matches)[:, None] + np.arange(n_deals)) % seats
        won = np.take_along_axis(self.won, turned[None, :, :, None], axis=3)[..., 0]
        return Tables(
            np.repeat(self.players, n_deals, axis=1),
            np.ones(n_matches * n_deals, dtype=np.int64),
            won.reshape(len(won), -1),
        )


def rows() -> Iterator[dict[str, Any]]:
    banks = {seats: play_bank(seats) for seats in BANKS}
    sums = {seats: Sums(len(ROSTER), [bank.tables]) for seats, bank in banks.items()}
    fits = {seats: fit(sums[seats]) for seats in banks}
    for seats, bank in banks.items():
        yield row(f"{seats} seats, games played", bank.won[0].size, "games")
        yield row(f"{seats} seats, width of the field", round(fits[seats].prior_sd * ELO_PER_NAT, 1), "Elo")
        yield row(f"{seats} seats, comparisons that tie", round(float((bank.won == 0.5).mean()), 4), "share")
        misfit = pair_misfit(fits[seats], sums[seats])
        yield row(
            f"{seats} seats, chances of pairs missed by the fit, beyond luck", round(misfit, 4), "RMS share"
        )
        yield from duplicates(seats, bank)
        yield from parts(seats, bank, fits[seats])
    for seats in (4, 8):
        slope, correlation = scale(fits[2].strengths, fits[seats].strengths)
        yield row(f"strength at {seats} seats on that at 2", round(slope, 3), f"slope, r {correlation:.3f}")
    for first, second in NEAR_EQUALS:
        found = moments(five_counts(first, second), NEVER_SEEN)
        apart = found.mean * (1 - found.mean) / 2
        ratio = round((found.variance / apart) ** 0.5, 3)
        yield row(
            f"{first} against {second}, error of duplicate deals beside independent ones", ratio, "share"
        )
    yield from trials()


def row(name: str, value: Any, unit: str, goal: Any = None, ok: bool = True) -> dict[str, Any]:
    return {"name": f"real games, {name}", "value": value, "unit": unit, "goal": goal, "ok": ok}


def play_bank(seats: int) -> Bank:
    n_matches, n_deals = BANKS[seats]
    rng = random.Random(f"bank {seats}")
    players = [tuple(sorted(rng.sample(range(len(ROSTER)), seats))) for _ in range(n_matches)]
    jobs = [
        (players[start : start + _SLICE], n_deals, start * n_deals) for start in range(0, n_matches, _SLICE)
    ]
    won = np.concatenate(spread(play_matches, jobs), axis=1)
    return Bank(np.array(players).T, won)


def spread(work: Any, jobs: Sequence[tuple[Any, ...]]) -> list[Any]:
    """The same in as many fresh interpreters as there are processors."""
    with get_context("spawn").Pool(len(os.sched_getaffinity(0))) as pool:
        return pool.starmap(work, jobs, chunksize=1)


def play_matches(players: Sequence[tuple[int, ...]], n_deals: int, first_deal: int) -> NDArray[np.float64]:
    seats = len(players[0])
    bots = [[copy.make() for copy in ROSTER] for _ in range(2)]
    won = np.zeros((seats * (seats - 1) // 2, len(players), n_deals, seats))
    for match, seated in enumerate(players):
        for deal in range(n_deals):
            number = first_deal + match * n_deals + deal
            for turn in range(seats):
                won[:, match, deal, turn] = play(seated, turn, number, bots)
    return won


def play(seated: Sequence[int], turn: int, deal: int, bots: Sequence[Sequence[Bot]]) -> list[float]:
    """One game; by pair of players, 1, ½ or 0 for the first. Twins need two sets of bots."""
    n = len(seated)
    # Player p sits at seat (p + turn) mod n.
    order = [(seat - turn) % n for seat in range(n)]
    at_table = [bots[seated[player] in seated[:player]][seated[player]] for player in order]
    game = play_game(at_table, rules_from("official"), SeededDeal(SEED, deal), random_seed=deal * n + turn)
    assert game.outcome is not None
    placing = [game.outcome.placing[(player + turn) % n] for player in range(n)]
    return [
        (placing[one] < placing[two]) + 0.5 * (placing[one] == placing[two])
        for one, two in combinations(range(n), 2)
    ]


def pair_misfit(found: Fit, sums: Sums) -> float:
    """How far pairs' shares of wins are from those of the fit, root mean square, without what luck alone explains."""
    pairs = sums.pairs()
    expected = chances(found.strengths[pairs.low] - found.strengths[pairs.high])
    squares = (pairs.won / pairs.games - expected) ** 2 - expected * (1 - expected) / pairs.games
    return float(np.sqrt(max(np.average(squares, weights=pairs.games), 0.0)))


def duplicates(seats: int, bank: Bank) -> Iterator[dict[str, Any]]:
    """The standard error of duplicate matches beside that of as many independent games."""
    n = len(ROSTER)
    singles = bank.singles
    played = fit(Sums(n, [bank.tables])).sandwich_errors * np.sqrt(bank.won[0].size)
    alone = fit(Sums(n, [singles])).sandwich_errors * np.sqrt(len(singles.games))
    ratio = float(np.mean(played / alone))
    goal = 0.92 if seats in (2, 4) else None
    yield row(
        f"{seats} seats, error of duplicate deals beside independent ones",
        round(ratio, 3),
        "share",
        goal,
        goal is None or ratio <= goal,
    )


def parts(seats: int, bank: Bank, whole: Fit) -> Iterator[dict[str, Any]]:
    """What a part of the bank says about all of it."""
    rng = np.random.default_rng(seats)
    n, n_matches = len(ROSTER), bank.players.shape[1]
    tables, truth = bank.tables, about_mean(whole.strengths)
    covered, misses = 0, []
    for _ in range(PARTS):
        part = some(tables, rng.permutation(n_matches)[: round(PART * n_matches)])
        of_part = Sums(n, [part])
        found = fit(of_part)
        miss = about_mean(found.strengths) - truth
        misses.append(float((miss**2).mean()))
        covered += int(
            (np.abs(miss) <= 1.96 * published_errors(found, of_part, part) * np.sqrt(1 - PART)).sum()
        )
    yield coverage_row(f"real games, {seats} seats, 95 % intervals that hold the rating", covered, PARTS * n)
    n_each = PART * bank.won[0].size * seats / n
    error = ELO_PER_NAT * float(np.sqrt(np.mean(misses) / (1 - PART)))
    yield row(f"{seats} seats, RMSE after {n_each:.0f} games each", round(error, 1), "Elo")


def scale(one: Floats, other: Floats) -> tuple[float, float]:
    """The slope of the second on the first, and their correlation."""
    correlation = float(np.corrcoef(one, other)[0, 1])
    return correlation * float(other.std() / one.std()), correlation


def trials() -> Iterator[dict[str, Any]]:
    test = SequentialTest()
    twins = even(five_counts(*TWINS))
    found = run_trials(test, twins / twins.sum(), 1500, 3)
    yield row(
        "twins taken for better, trials at [0, 10]", round(found.better, 4), f"share ± {found.error:.4f}", 0.062,
        found.better <= 0.062,
    )  # fmt: skip
    yield row("games of a trial between twins", round(found.games), "games")
    counts = five_counts(*BETTER)
    shown = difference(counts)
    assert shown is not None
    found = run_trials(test, np.array(counts) / sum(counts), 500, 4)
    yield row(
        f"games of a trial, truly {shown.elo:+.0f} Elo",
        round(found.games),
        f"games, {found.better:.1%} better",
    )


def five_counts(first: str, second: str) -> list[int]:
    """Of many deals between two, how the first fared."""
    seated = (NAMES.index(first), NAMES.index(second))
    jobs = [(seated, range(start, start + 100)) for start in range(0, TRIAL_DEALS, 100)]
    scores = np.concatenate(spread(play_deals, jobs))
    return np.bincount((2 * scores).astype(np.int64), minlength=5).tolist()


def play_deals(seated: tuple[int, int], deals: range) -> list[float]:
    bots = [[copy.make() for copy in ROSTER] for _ in range(2)]
    # Beyond all deals of the banks.
    return [sum(play(seated, turn, 1_000_000 + deal, bots)[0] for turn in range(2)) for deal in deals]
