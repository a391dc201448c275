"""What a run of games came to, as lines for people and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Final

from bots.sandbox.faults import placed
from matches.local import FirstFault, Standing, Tally
from matches.local.runner import seed_of_match

from .about import command_line
from .reports import written

_HEADS: Final = (
    "bot", "games", "wins", "wins %", "placing", "points/game", "points/round", "faults", "ms/decision", "95 % below"
)  # fmt: skip


def table(standings: Sequence[Standing]) -> Iterator[str]:
    """The standings as lines, the best mean placing first."""
    rows = [
        [
            standing.name,
            str(standing.games),
            f"{standing.wins:.1f}".removesuffix(".0"),
            _shown(100 * standing.wins / standing.games if standing.games else None, 1),
            _shown(standing.placing, 2),
            _shown(standing.points_a_game, 1),
            _shown(standing.points_a_round, 1),
            str(standing.n_faults),
            _shown(standing.decision_ms, 3),
            _shown(standing.decision_p95_ms, 3),
        ]
        for standing in sorted(standings, key=lambda standing: standing.placing or 0)
    ]
    widths = [max(map(len, column)) for column in zip(_HEADS, *rows, strict=True)]
    for row in [_HEADS, *rows]:
        name, *numbers = (
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join([name, *numbers])


def differences(tally: Tally, names: Sequence[str]) -> Iterator[str]:
    """How far the first bot is ahead of each other one, and whether that is known."""
    for other in range(1, len(names)):
        found = tally.difference(0, other)
        if found is None:
            continue
        if not found.is_known:
            verdict = "too few deals to tell who is better"
        else:
            verdict = f"{names[0] if found.elo > 0 else names[other]} is better"
        yield (
            f"{names[0]} − {names[other]}: {signed(found.elo)} ± {found.elo_half_width:.0f} Elo "
            f"(95 %, {counted(tally.n_deals, 'deal')}): {verdict}"
        )


def told(first: FirstFault, words: Sequence[str], seed: bytes) -> Iterator[str]:
    """A bot's first fault, for its author, and how to have it again, at the table that these words make."""
    fault = first.fault
    yield f"{first.name}: first fault ({fault.kind}) in deal {first.deal}, seating {first.seating}"
    yield f"  {placed(fault.as_dict())}"
    yield f"  expected: {fault.expected}"
    yield from written(first.line, first.stderr)
    again = [*words, "--deals", str(first.deal + 1), "--seed", seed_of_match(seed, first.match).hex()]
    yield f"  again: {command_line()} play {shlex.join(again)}"


def report(tally: Tally, names: Sequence[str]) -> dict[str, Any]:
    """The same as JSON values."""
    found = {name: tally.difference(0, at) for at, name in enumerate(names) if at}
    return {
        "games": tally.n_games,
        "bots": [standing.as_dict() for standing in tally.standings()],
        "differences": [
            {
                "bot": names[0],
                "against": name,
                "deals": tally.n_deals,
                "score": round(each.score, 4),
                "elo": round(each.elo, 1),
                "half_width": round(each.elo_half_width, 1),
            }
            for name, each in found.items()
            if each is not None
        ],
        "first_faults": [
            {
                "name": first.name,
                "match": first.match,
                "deal": first.deal,
                "seating": first.seating,
                **first.fault.as_dict(),
                "line": first.line,
                "stderr": first.stderr,
            }
            for first in tally.first_faults
        ],
    }


def counted(n: int, noun: str) -> str:
    """So many of them."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def signed(value: float) -> str:
    """A whole number with its sign, a true minus."""
    return f"{value:+.0f}".replace("-", "−")


def _shown(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
