"""The games of a made-up crowd: house bots play them in this process, by the engine and without clocks."""

from __future__ import annotations

import os
import random
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context

from bots.house import HOUSE, house_source
from bots.kit.skyjo import Bot, View, load_bot
from bots.sandbox.limits import Limits
from matches.engine import Action, Game, SeededDeal, autopilot, rules_from
from matches.referee import Fault, GameRecord, MatchRecord, MatchSpec
from matches.replay import Exchange, PrivateSeat, Recorder, final_placing

# Which house bots play, and how often among the packages; `ev` thinks too long for so many games.
STRATEGIES = ("random", "greedy", "threshold", "collector", "greedy", "threshold", "collector", "threshold")
# At least as many as the rivals are, and not so many that hardly two bots have the same.
LEAST_PACKAGES, MOST_PACKAGES, BOTS_A_PACKAGE = 12, 64, 8
PRESET = "official"
# These meet again and again, as in trials: in every so many samples of two seats.
RIVALS = ((1, 2), (2, 3), (9, 10), (4, 11))
RIVALS_EVERY = 8
FAULT_SHARE = 0.01
FAULTS = {
    "timeout": "The answer took more than 500 ms of CPU time.",
    "illegal": "The cell is not there.",
    "crash": "The program ended by itself.",
}
DECISION_NS = 900_000
_SLICE = 20


@dataclass(frozen=True, slots=True)
class Sample:
    """A match as it was played: the packages by participant, as numbers, the seed, and what a referee would hand
    over."""

    packages: tuple[int, ...]
    seed: bytes
    record: MatchRecord


def package_sources(n_bots: int) -> list[tuple[str, bytes]]:
    """By a package's number: the house bot that it is, and its source. Further copies differ in their last line."""
    n_packages = min(max(n_bots // BOTS_A_PACKAGE, LEAST_PACKAGES), MOST_PACKAGES)
    names = [STRATEGIES[number % len(STRATEGIES)] for number in range(n_packages)]
    return [
        (name, house_source(name) + (f"\n# Copy {number}.\n".encode() if name in names[:number] else b""))
        for number, name in enumerate(names)
    ]


def play_samples(
    sha256s: Sequence[str], *, n: int, seats: int, seed: int, n_processes: int | None = None
) -> Iterator[Sample]:
    """Matches of one deal between different packages, whose SHA-256s are given by number; the same for equal seeds."""
    starts = range(0, n, _SLICE)
    play = partial(_play_slice, tuple(sha256s), n, seats, seed)
    n_processes = n_processes or len(os.sched_getaffinity(0))
    if n_processes == 1:
        for start in starts:
            yield from play(start)
        return
    # Forked, a child would hold our database connection; these begin afresh.
    with ProcessPoolExecutor(n_processes, mp_context=get_context("spawn")) as pool:
        for samples in pool.map(play, starts):
            yield from samples


def _play_slice(sha256s: Sequence[str], n: int, seats: int, seed: int, start: int) -> list[Sample]:
    return [_play_sample(sha256s, seats, seed, number) for number in range(start, min(start + _SLICE, n))]


def _play_sample(sha256s: Sequence[str], seats: int, seed: int, number: int) -> Sample:
    rng = random.Random(f"{seed} {seats} {number}")  # noqa: S311
    if seats == 2 and number % RIVALS_EVERY == 0:
        packages: tuple[int, ...] = RIVALS[number // RIVALS_EVERY % len(RIVALS)]
    else:
        packages = tuple(rng.sample(range(len(sha256s)), seats))
    spec = MatchSpec(rng.randbytes(32), rules_from(PRESET), seats, 1, Limits())
    return Sample(packages, spec.seed, played(spec, packages, [sha256s[one] for one in packages], rng))


def played(
    spec: MatchSpec, packages: Sequence[int], sha256s: Sequence[str], rng: random.Random
) -> MatchRecord:
    """The match between these packages, by participant."""
    games = tuple(
        _play_game(spec, deal, seating, packages, sha256s, rng)
        for seating in range(spec.seats)
        for deal in range(spec.deals)
    )
    cpu_ms = [0] * spec.seats
    for game in games:
        for participant, spent in zip(game.participants, game.cpu_ms, strict=True):
            cpu_ms[participant] += spent
    return MatchRecord(games, tuple(cpu_ms), 400 + sum(cpu_ms))


@cache
def _strategy(name: str) -> type[Bot]:
    return load_bot(next(bot.path for bot in HOUSE if bot.name == name))


def _play_game(
    spec: MatchSpec,
    deal: int,
    seating: int,
    packages: Sequence[int],
    sha256s: Sequence[str],
    rng: random.Random,
) -> GameRecord:
    participants = spec.participants(deal, seating)
    recorder = Recorder(spec.rules, spec.seed, deal, [sha256s[one] for one in participants])
    flags = spec.rules.as_dict()
    bots = [_strategy(STRATEGIES[packages[one] % len(STRATEGIES)])() for one in participants]
    # The house bot `random` draws from the module's own source of luck.
    random.seed(rng.random())
    for place, bot in enumerate(bots):
        bot.rules, bot.seats, bot.seat = flags, spec.seats, place
        bot.game_start()
    game = Game(spec.rules, spec.seats, SeededDeal(spec.seed, deal))
    fails_at = rng.randrange(10, 120) if rng.random() < FAULT_SHARE * spec.seats else None
    fault: Fault | None = None
    times_ns = tuple(array("q") for _ in participants)
    while (seat := game.seat) is not None:
        if fails_at is not None and fault is None and recorder.n_decisions >= fails_at:
            fault = _fault(game, seat, recorder.n_decisions, rng)
            recorder.fault(seat, fault.decision, fault.kind, cpu_ns=round(fault.cpu_ms * 1e6))
        if fault is not None and fault.seat == seat:
            action = autopilot(game)
            recorder.decision(seat, action, autopilot=True)
        else:
            answer = bots[seat].decide(View(game.view(seat), game.phase, (), None, flags))
            action = Action(answer.kind, tuple(sorted(answer.cells)))  # type: ignore[arg-type]
            times_ns[seat].append(int(rng.expovariate(1 / DECISION_NS)))
            recorder.decision(seat, action, cpu_ns=times_ns[seat][-1])
        game.apply(action)
    outcome = game.outcome
    assert outcome is not None  # noqa: S101 - the game is over
    faults = (fault,) if fault is not None else ()
    timing = recorder.timing()
    return GameRecord(
        deal=deal,
        seating=seating,
        participants=participants,
        placing=final_placing(outcome.placing, frozenset(one.seat for one in faults)),
        core=recorder.core(),
        timing=timing,
        totals=outcome.totals,
        rounds=tuple(game.rounds),
        faults=faults,
        private=tuple(_private(seat, fault) for seat in range(spec.seats)),
        cpu_ms=timing.seat_cpu_ms,
        times_ns=times_ns,
    )


def _fault(game: Game, seat: int, n_decisions: int, rng: random.Random) -> Fault:
    kind = rng.choice(list(FAULTS))
    return Fault(
        seat=seat,
        kind=kind,
        sentence=FAULTS[kind],
        decision=n_decisions,
        phase=game.phase,
        round=game.round,
        turn=game.turn,
        expected="a legal answer in time",
        cpu_ms=500.0 if kind == "timeout" else 1.0,
        wall_ms=620.0 if kind == "timeout" else 2.0,
        exit_status=1 if kind == "crash" else None,
    )


def _private(seat: int, fault: Fault | None) -> PrivateSeat:
    if fault is None or fault.seat != seat:
        return PrivateSeat()
    return PrivateSeat(
        stderr="Traceback (most recent call last):\nIndexError: list index out of range\n",
        offending='{"id": 1}',
        exchanges=(Exchange('{"type": "act"}', '{"id": 1}'),),
    )
