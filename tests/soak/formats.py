"""Formats played by the ten thousand: `python -m tests.soak.formats [PART …] [--events N] [--start SEED]`.

Parts: `swiss` (events of 5 to 64 entries with withdrawals, every draw checked by an oracle), `knockout` (single and
double elimination of 9 to 128 entries with random withdrawals), `patterns` (withdrawals one after the other in fields
of 5 and 6; 62,500 are all there are), `pods` (20 to 100 entries, six rounds). By default all of them with 10,000 events
each, which takes about half an hour of one core; `--events` shortens every part. Ends at the first event that breaks a
rule, and names it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from arena.formats import FORMATS
from tests.arena.formats.events import by_chance, check_state, field, play_out
from tests.arena.formats.knockouts import play_with
from tests.arena.formats.swisses import fuzzed
from tests.arena.formats.tables import repeats_of

REPORT_S = 10.0


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


def patterns(seed: int) -> None:
    """The pattern of this number, counted through single and double elimination of five and six."""
    every = [(name, n) for name in ("single-elimination", "double-elimination") for n in (5, 6)]
    name, n = every[seed % len(every)]
    moments = (0, 1, 2, 99) if name == "single-elimination" else (0, 1, 2, 4, 99)
    number = seed // len(every)
    leaving = {who: moments[number // len(moments) ** (who - 1) % len(moments)] for who in range(1, n + 1)}
    play_with(name, n, leaving, random.Random(seed), {})


def pods(seed: int) -> None:
    n = 20 + seed % 81
    state, _, _ = play_out(FORMATS["pods"], field(n), {}, by_chance(random.Random(seed)), check=check_state)
    assert repeats_of(state) == [0] * 6, f"{n} entries repeat meetings: {repeats_of(state)}"


PARTS: dict[str, Callable[[int], None]] = {
    "swiss": swiss,
    "knockout": knockout,
    "patterns": patterns,
    "pods": pods,
}


def soak(name: str, seeds: Sequence[int]) -> Iterator[str]:
    started = reported = time.monotonic()
    for number, seed in enumerate(seeds, 1):
        try:
            PARTS[name](seed)
        except Exception as error:
            error.add_note(f"{name}, --start {seed}")
            raise
        now = time.monotonic()
        if now - reported > REPORT_S or number == len(seeds):
            reported = now
            yield f"{name}: {number:,} of {len(seeds):,} events, {now - started:.0f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART")
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=0)
    chosen = parser.parse_args()
    for name in chosen.parts or PARTS:
        for line in soak(name, range(chosen.start, chosen.start + chosen.events)):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
