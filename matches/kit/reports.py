"""What there is to know about a bot's fault beside its sentence, as lines for its author."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bots.sandbox.faults import quote_line
from bots.sandbox.limits import Limits

_STDERR_LINES: Final = 6


def of_check(report: Mapping[str, Any]) -> Iterator[str]:
    """The report of a check that a fault ended, ours or the arena's (see `matches.checking`); nothing of any other."""
    if "fault" not in report:
        return
    fault, limits = report["fault"], Limits()
    yield f"  kind: {fault['kind']}; expected: {fault['expected']}"
    yield (
        f"  used: {math.ceil(fault['cpu_ms'])} ms of CPU time, limits {limits.decision_ms} ms a decision, "
        f"{limits.start_ms} ms to start"
    )
    for one in report["exchange"]:
        yield f"  it was sent: {_cut(one['to'])}"
    yield from written(report["offending"], report["stderr"])


def written(line: str | None, stderr: str) -> Iterator[str]:
    """What the bot wrote: the line that was the fault, where there is one, quoted; and the end of standard error, with
    whatever a terminal would obey made visible."""
    if line is not None:
        yield f"  it wrote: {line}"
    for text in stderr.splitlines()[-_STDERR_LINES:]:
        yield "  | " + quote_line(text.encode(errors="replace"))


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"
