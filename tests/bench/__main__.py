"""Runs the benches: `python -m tests.bench [PART …]`, as `make bench` does.

Each part is a module beside this one whose `rows()` gives dicts with `name`, `value`, `unit`, and where there is one a
`goal` with `ok`, whether it is reached. A bench never fails for being slow; it fails when something breaks.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PARTS = ("engine", "start", "referee", "strength", "service", "fair", "ratings", "web")
CHECKOUT = Path(__file__).resolve().parents[2]


def plain(part: str, found: Any) -> dict[str, Any]:
    """The row as it is written, with its part before its name."""
    given = found if isinstance(found, Mapping) else vars(found)
    name = str(given["name"])
    return {
        "name": name if name.startswith(part) else f"{part}: {name}",
        "value": given["value"],
        "unit": given["unit"],
        "goal": given.get("goal"),
        "ok": bool(given.get("ok", True)),
    }


def figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def line(entry: Mapping[str, Any]) -> str:
    goal = "" if entry["goal"] is None else f"goal {figure(entry['goal'])}"
    verdict = "" if entry["goal"] is None else ("ok" if entry["ok"] else "MISSED")
    return f"  {entry['name']:<64}{figure(entry['value']):>12} {entry['unit']:<16}{goal:<22}{verdict}"


def main(chosen: Sequence[str]) -> int:
    unknown = [part for part in chosen if part not in PARTS]
    if unknown:
        print(f"There is no part {', '.join(unknown)}; there are: {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    # Some parts talk to Django; none may touch the data of an arena that runs here.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
    entries = []
    for part in chosen or PARTS:
        started = time.monotonic()
        print(f"{part} …", flush=True)
        for found in importlib.import_module(f"tests.bench.{part}").rows():
            entries.append(plain(part, found))
            print(line(entries[-1]), flush=True)
        print(f"  ({time.monotonic() - started:.0f} s)\n", flush=True)
    folder = CHECKOUT / "var" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{'-'.join(chosen) or 'bench'}.json"
    target.write_text(json.dumps({"rows": entries}, indent=2) + "\n")
    missed = sum(not entry["ok"] for entry in entries)
    print(f"{len(entries)} rows, {missed} goals missed; written to {target.relative_to(CHECKOUT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
