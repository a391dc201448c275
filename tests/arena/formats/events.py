"""Events played with made-up results, and what must hold of every state on the way."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from arena.formats import Departure, Entry, Format, How, Leaving, Match, Result, SourceKind, State, Status

Play = Callable[[Match], Result]
LOT_SEED = "5eed"


def field(n: int) -> list[Entry]:
    """Entries with ids that are not their seeds, so that nothing can take the one for the other."""
    return [Entry(id=100 + 7 * seed % 997, seed=seed, name=f"Bot-{seed}") for seed in range(1, n + 1)]


def leave(
    entries: Sequence[Entry], who: int, stage: int, kind: Leaving = Leaving.WITHDRAWN, moment: int = 0
) -> list[Entry]:
    departure = Departure(kind, stage, moment)
    return [replace(entry, departure=departure) if entry.id == who else entry for entry in entries]


def departures(rng: random.Random, share: float) -> Callable[[State, list[Entry]], list[Entry]]:
    """A step of `play_out` before which one to three entries leave, with this chance."""
    moment = 0

    def step(state: State, now: list[Entry]) -> list[Entry]:
        nonlocal moment
        moment += 1
        live = [entry.id for entry in now if entry.departure is None]
        if live and rng.random() < share:
            for who in rng.sample(live, min(len(live), rng.randint(1, 3))):
                kind = rng.choice([Leaving.WITHDRAWN, Leaving.DISQUALIFIED])
                now = leave(now, who, state.stage, kind, moment)
        return now

    return step


def result(match: Match, scores: Sequence[float], *, faults: Sequence[int] | None = None) -> Result:
    """A result in which each won so large a share of its games against the others, points in the same order. Two
    entries: the scores are shares that sum to 1."""
    n = len(match.entries)
    games = match.deals * n
    pairs = []
    for i, j in combinations(range(n), 2):
        share = 0.5 if scores[i] == scores[j] else (scores[i] if n == 2 else float(scores[i] > scores[j]))
        pairs.append(round(2 * share * games) / 2)
    faulty = list(faults or [0] * n)
    clean = [games - found for found in faulty]
    totals = [round((60 - 20 * score) * each) for score, each in zip(scores, clean, strict=True)]
    return Result(match.key, match.entries, games, tuple(pairs), tuple(totals), tuple(clean), tuple(faulty))


def better_seed_wins(entries: Iterable[Entry]) -> Play:
    seeds = {entry.id: entry.seed for entry in entries}
    return lambda match: result(
        match,
        [0.9 if seeds[who] == min(map(seeds.get, match.entries)) else 0.1 for who in match.entries]  # type: ignore[type-var]
        if len(match.entries) == 2
        else [-float(seeds[who]) for who in match.entries],
    )


def by_chance(rng: random.Random, *, level: float = 0.15) -> Play:
    """Anybody beats anybody; so often two end level."""

    def play(match: Match) -> Result:
        if len(match.entries) == 2:
            share = 0.5 if rng.random() < level else rng.choice([0.3, 0.4, 0.6, 0.7])
            found = result(match, [share, 1 - share])
            # Points of their own, else everybody who wins by as much has the same mean difference.
            return replace(found, totals=tuple(total + rng.randint(0, 50) for total in found.totals))
        return result(match, [rng.choice([0.1, 0.2, 0.3, 0.4]) for _ in match.entries])

    return play


def play_out(
    format: Format,
    entries: list[Entry],
    settings: dict[str, Any],
    play: Play,
    *,
    step: Callable[[State, list[Entry]], list[Entry]] | None = None,
    check: Callable[[State, list[Entry]], None] | None = None,
    some: Callable[[Sequence[Match]], Sequence[Match]] = tuple,
) -> tuple[State, list[Entry], list[Result]]:
    """Play an event to its end. `step` may let entries leave between states, `some` chooses which matches are
    played next."""
    results: list[Result] = []
    state = format.state(entries, settings, results, LOT_SEED)
    while True:
        if check is not None:
            check(state, entries)
        if state.is_finished:
            return state, entries, results
        assert state.to_play, "an event that is not finished has something to play"
        if step is not None:
            changed = step(state, entries)
            if changed != entries:
                entries = changed
                state = format.state(entries, settings, results, LOT_SEED)
                continue
        results += [play(match) for match in some(state.to_play)]
        state = format.state(entries, settings, results, LOT_SEED)


def check_state(state: State, entries: Sequence[Entry]) -> None:
    """What holds of every state of every format."""
    left = {entry.id for entry in entries if entry.departure is not None}
    keys = [pairing.key for pairing in state.pairings]
    assert len(keys) == len(set(keys))
    for match in state.to_play:
        assert 2 <= len(match.entries) <= 8
        assert len(set(match.entries)) == len(match.entries)
        assert not set(match.entries) & left, "a match is between live entries"
        assert match.deals >= 1
    for pairing in state.pairings:
        present = pairing.entries
        assert len(set(present)) == len(present)
        if pairing.how is How.BYE:
            assert pairing.winner == present[0]
            assert [slot.source.kind for slot in pairing.slots].count(SourceKind.NOBODY) == 1
        if len(present) < 2:
            assert not pairing.matches
            assert not pairing.played, "nobody plays against nobody"
        if pairing.winner is not None and pairing.how is not How.NOT_NEEDED:
            assert pairing.winner in present, "a bye never wins"
        assert bool(pairing.matches) == (pairing.status is Status.PLAYING)
        assert (pairing.how is not None) == pairing.is_decided
    assert state.is_finished == all(pairing.is_decided for pairing in state.pairings) or not state.pairings
    assert not (state.is_finished and state.to_play)
    standing_ids = Counter(standing.entry for standing in state.standings)
    assert standing_ids == Counter(entry.id for entry in entries)
    for index, standing in enumerate(state.standings):
        assert standing.place <= index + 1 <= standing.place_to
        assert len(standing.values) == len(state.criteria)
    if state.winner is not None:
        assert state.is_finished
        assert state.standings[0].entry == state.winner
        assert state.standings[0].place_to == 1
