"""Formats played by the ten thousand: `python -m tests.soak.formats [PART …] [--events N] [--start SEED] [--jobs N]`.

Parts: `swiss` (events of 5 to 64 entries with withdrawals, every draw checked by an oracle), `knockout` (single and
double elimination of 9 to 128 entries with random withdrawals), `patterns` (single and double elimination of 2 to 8:
every set of entries that leaves at once at every moment, in fields of up to 5 every way of leaving one after the
other, then random ways in larger ones), `pods` (20 to 100 entries, six rounds). By default all of them on all cores,
which takes some hours of one core; `--events` says how many events a part has. Ends at the first event that breaks a
rule, and names it. `pods` says how long the slowest event takes to be drawn and reckoned, six rounds in one go.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import product

from arena.formats import FORMATS, pod_draw
from tests.arena.formats.events import LOT_SEED, by_chance, check_state, field, play_out
from tests.arena.formats.knockouts import LIVES, play_with, subsets
from tests.arena.formats.swisses import fuzzed
from tests.arena.formats.tables import repeats_of

REPORT_S = 10.0
NEVER = 99
LATEST = 7
"""Steps in which all that can be played is played: so many has a double elimination of eight at most."""
MOST_IN_ANY_ORDER = 5


def swiss(seed: int) -> None:
    fuzzed(seed)


def knockout(seed: int) -> None:
    rng = random.Random(seed)
    name = rng.choice(["single-elimination", "double-elimination"])
    n = rng.randint(9, 128)
    going = rng.sample(range(1, n + 1), rng.randint(0, n // rng.choice([1, 2, 4, 8])))
    settings = (
        {"third_place": rng.random() < 0.5} if name == "single-elimination" else {"reset": rng.random() < 0.8}
    )
    play_with(name, n, {who: rng.randint(0, 12) for who in going}, rng, settings)


def leavings(n: int) -> Iterator[dict[int, int]]:
    """Who of n leaves after how many steps: every set at one moment, in small fields every one after the other too."""
    for going in subsets(n):
        yield from (dict.fromkeys(going, moment) for moment in range(LATEST if going else 1))
    if n <= MOST_IN_ANY_ORDER:
        for moments in product((*range(LATEST), NEVER), repeat=n):
            if len(set(moments) - {NEVER}) > 1:
                yield dict(enumerate(moments, 1))


@cache
def every_pattern() -> list[tuple[str, int, dict[int, int]]]:
    return [(name, n, going) for n in range(2, 9) for going in leavings(n) for name in LIVES]


def patterns(seed: int) -> None:
    """The pattern of this number; those beyond the last are random ones in fields of 6 to 8."""
    rng = random.Random(seed)
    if seed < len(every_pattern()):
        name, n, leaving = every_pattern()[seed]
    else:
        name, n = rng.choice(list(LIVES)), rng.randint(MOST_IN_ANY_ORDER + 1, 8)
        leaving = {who: rng.choice((*range(LATEST), NEVER)) for who in range(1, n + 1)}
    play_with(name, n, leaving, rng, {})


def pods(seed: int) -> float:
    """Gives the CPU seconds that all its draws take."""
    n = 20 + seed % 81
    format = FORMATS["pods"]
    state, entries, results = play_out(
        format, field(n), {}, by_chance(random.Random(seed)), check=check_state
    )
    assert repeats_of(state) == [0] * 6, f"{n} entries repeat meetings: {repeats_of(state)}"
    pod_draw._drawn.cache_clear()
    started = time.process_time()
    format.state(entries, {}, results, LOT_SEED)
    return time.process_time() - started


PARTS: dict[str, tuple[Callable[[int], float | None], int]] = {
    "swiss": (swiss, 10_000),
    "knockout": (knockout, 10_000),
    "patterns": (patterns, 100_000),
    "pods": (pods, 810),
}
"""Each part with how many events it has by default."""


def played(name: str, seed: int) -> float | None:
    try:
        play, _ = PARTS[name]
        return play(seed)
    except Exception as error:
        error.add_note(f"{name}, --start {seed}")
        raise


def soak(name: str, seeds: Sequence[int], jobs: int) -> Iterator[str]:
    started = reported = time.monotonic()
    slowest: float | None = None
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for number, took_s in enumerate(pool.imap(partial(played, name), seeds, chunksize=10), 1):
            slowest = max(slowest or 0.0, took_s) if took_s is not None else slowest
            now = time.monotonic()
            if now - reported > REPORT_S or number == len(seeds):
                reported = now
                yield f"{name}: {number:,} of {len(seeds):,} events, {now - started:.0f} s"
    if slowest is not None:
        yield f"{name}: the slowest event is drawn in {slowest:.2f} s of CPU"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART")
    parser.add_argument("--events", type=int)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    for name in chosen.parts or PARTS:
        _, events = PARTS[name]
        seeds = range(chosen.start, chosen.start + (chosen.events or events))
        for line in soak(name, seeds, chosen.jobs):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
