"""Runs what takes too long for `make test`: `python -m tests.soak [PART …] [-- ARGUMENT …]`, as `make soak` does.

A part is a program of its own that prints what it found and fails if anything broke. Parts run one after the other, the
later ones also when an earlier one has failed. Arguments after `--` go to the one part that is named.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scripts.test import on_signal

CHECKOUT = Path(__file__).resolve().parents[2]
STOP_WITHIN_S = 30.0


@dataclass(frozen=True)
class Part:
    """A program, as the words after `python`, and what it wants in its environment."""

    words: Sequence[str]
    environ: Mapping[str, str] = field(default_factory=dict)


PARTS: dict[str, Part] = {
    "formats": Part(("-m", "tests.soak.formats")),
    "fuzz": Part(
        ("-m", "scripts.test", "tests/arena/api/test_every_request.py", "tests/bots/packages/test_fuzz.py"),
        {"FUZZ_SEED": os.environ.get("FUZZ_SEED") or str(secrets.randbelow(10**9)), "FUZZ_TIMES": "20"},
    ),
    "kills": Part(("-m", "tests.soak.kills")),
    "kills-sqlite": Part(("-m", "tests.soak.kills", "--database", "sqlite", "--pause", "6")),
    "tournaments": Part(("-m", "scripts.test", "tests/e2e/test_tournament.py"), {"SOAK": "1"}),
    "trials": Part(("-m", "scripts.test", "tests/e2e/test_trial.py"), {"SOAK": "1"}),
}


def run(part: Part, arguments: Sequence[str]) -> int:
    """The exit status of a part, which ends with us when we are told to stop."""
    with subprocess.Popen(
        ["setpriv", "--pdeathsig", "TERM", sys.executable, *part.words, *arguments],
        cwd=CHECKOUT,
        env={**os.environ, **part.environ},
        stdin=subprocess.DEVNULL,
    ) as child:
        try:
            return child.wait()
        except SystemExit:
            child.terminate()
            try:
                child.wait(STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                child.kill()
            raise


def main(words: Sequence[str]) -> int:
    cut = words.index("--") if "--" in words else len(words)
    chosen, arguments = list(words[:cut]), words[cut + 1 :]
    unknown = [name for name in chosen if name not in PARTS]
    if unknown:
        print(f"There is no part {', '.join(unknown)}; there are: {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    if arguments and len(chosen) != 1:
        print("Arguments go to one part: name it.", file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    verdicts: dict[str, int] = {}
    for name in chosen or PARTS:
        print(f"--- {name}", flush=True)
        started = time.monotonic()
        verdicts[name] = run(PARTS[name], arguments)
        print(f"--- {name}: {time.monotonic() - started:.0f} s\n", flush=True)
    for name, status in verdicts.items():
        print(f"{name:<16}{f'FAILED (exit status {status})' if status else 'ok'}")
    return 1 if any(verdicts.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
