"""Who meets whom next on a ladder: spend each match where it teaches most, starve nobody, stop when all is known.

Every match is made for one version. Newcomers come first, three times in four, and meet those who tell most about
them. Else a mixture chooses, which keeps the error bars even and honest: mostly the least certain or least played
version, sometimes one that may be the best, sometimes any. Its opponents are drawn by how open the game would be,
p(1-p) at a draw from the ratings' errors, and by how seldom they have met. Chasing information everywhere would save
few matches and spoil the calibration of the errors.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from arena.pairing.field import Contender, Field, History
from arena.pairing.first import Reason, firsts
from arena.pairing.opponents import fill_table

# So many versions are tried in turn before one owner's share of somebody's matches is exceeded.
FIRSTS_TRIED = 8


@dataclass(frozen=True, slots=True)
class Table:
    """Versions, ascending, that are to play a match, the one it is made for, and why that one."""

    versions: tuple[int, ...]
    made_for: int
    reason: Reason


def pick_tables(
    contenders: Iterable[Contender],
    *,
    seats: int,
    n_tables: int,
    history: History,
    rng: random.Random,
) -> list[Table]:
    """At most `n_tables` tables of `seats` distinct versions; none when every rating is settled.

    At tables of more than two seats no two versions of one owner meet, house versions aside; the shares of owners
    (`arena.pairing.shares`) are kept wherever another table can be made. Fewer tables come back when none can be
    filled.
    """
    field = Field(contenders, history)
    tables: list[Table] = []
    while len(tables) < n_tables:
        table = pick_table(field, seats, rng)
        if table is None:
            break
        field.seat(field.contenders[version] for version in table.versions)
        tables.append(table)
    return tables


def pick_table(field: Field, seats: int, rng: random.Random) -> Table | None:
    tried: list[tuple[Contender, Reason]] = []
    for first, reason in firsts(field, rng):
        tried.append((first, reason))
        seated = fill_table(first, reason, field, seats, rng)
        if seated is not None:
            return Table(seated, first.version, reason)
        if len(tried) == FIRSTS_TRIED:
            break
    for first, reason in tried:
        seated = fill_table(first, reason, field, seats, rng, keeps_shares=False)
        if seated is not None:
            return Table(seated, first.version, reason)
    return None
