"""How a table is ranked, in progress and at its end: tie-breaks, extra deals, lots, and where those stand who
left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from .lots import SHOWN_DIGITS, drawn, lot
from .notes import Note, note
from .pairings import Meeting, Turnout, met_in_table
from .run import Run
from .state import Criterion, Round, Standing, shown
from .tiebreaks import EXTRA, LOT, Ranking, Table, TieBreak
from .words import gettext_noop

MOST_IN_EXTRA_DEALS = 8
AMONG, MISSING, EXPELLED = range(3)
"""Who has left before playing everything stands behind everybody else, who is disqualified last."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """`order` is of those who may win, as far as it is decided: the groups that are still tied. `is_final`:
    nothing that concerns this table is to be played any more."""

    order: list[list[int]]
    extra: Round | None
    is_final: bool
    criteria: tuple[Criterion, ...]
    standings: tuple[Standing, ...]


def ranked(
    run: Run,
    table: Table,
    chain: Sequence[TieBreak],
    *,
    is_complete: bool,
    decided_places: int,
    prefix: str,
    at_one_table: bool = False,
    leaves: Callable[[int], bool],
    note_on: Callable[[int], tuple[Note, ...]],
) -> Ranked:
    """The standings of a table, its rounds being complete or not.

    When they are complete, entries that share one of the first `decided_places` play extra deals, each two of them or
    all `at_one_table`, and what is tied then is decided by lot. `leaves` tells who counts as having left here.
    """

    def standing_of(who: int) -> int:
        if not leaves(who):
            return AMONG
        if run.is_disqualified(who):
            return EXPELLED
        missed = any(turn.is_voluntary for turn in table.turns[who]) or not table.turns[who]
        return MISSING if missed or not is_complete else AMONG

    classes: dict[int, list[int]] = {AMONG: [], MISSING: [], EXPELLED: []}
    for who in table.turns:
        classes[standing_of(who)].append(who)
    rankings = {kind: Ranking(ids) for kind, ids in classes.items()}
    for ranking in rankings.values():
        ranking.by(table, chain)
    among = rankings[AMONG]
    extra, is_final = None, is_complete
    notes: dict[int, list[Note]] = {who: list(note_on(who)) for who in table.turns}
    shares: dict[int, float | None] = {}
    lots: dict[int, float | str | None] = {}
    if is_complete:
        extra, keys = extra_deals(run, among, decided_places, prefix, at_one_table, notes)
        is_final = extra is None or all(pairing.is_decided for pairing in extra.pairings)
        shares = {who: shown(share) for who, share in keys.items()}
        if is_final:
            among.split(EXTRA.name, keys)
            lots = draw_lots(run, among, prefix, notes)
    for kind, ranking in rankings.items():
        ranking.show(shares if kind == AMONG else {})
        ranking.show(lots if kind == AMONG else {})
    criteria = (*(tie_break.criterion for tie_break in chain), EXTRA, LOT)
    return Ranked(among.groups, extra, is_final, criteria, tuple(rows(run, list(rankings.values()), notes)))


def extra_deals(
    run: Run,
    among: Ranking,
    decided_places: int,
    prefix: str,
    at_one_table: bool,
    notes: dict[int, list[Note]],
) -> tuple[Round | None, dict[int, Fraction]]:
    """The round of extra deals, if anything is tied that deserves it, and the mean share of the games that each
    won."""
    meetings: list[Meeting] = []
    for place, group in among.tied:
        if place > decided_places or len(group) > MOST_IN_EXTRA_DEALS:
            continue
        tables = [group] if at_one_table else list(combinations(group, 2))
        why = note("tied_extra", names=run.names(group))
        for who in group:
            notes[who].append(why)
        for ids in tables:
            key = f"{prefix}X{place}-{len(meetings) + 1}"
            meetings.append(
                met_in_table(run, key, len(meetings) + 1, ids, run.settings["extra_deals"], why=[why])
            )
    if not meetings:
        return None, {}
    shares: dict[int, list[Fraction]] = {}
    for meeting in meetings:
        for who, share in meeting.share.items():
            shares.setdefault(who, []).append(share)
    means = {who: sum(found, Fraction(0)) / len(found) for who, found in shares.items()}
    pairings = tuple(meeting.pairing for meeting in meetings)
    return Round(f"{prefix}X", gettext_noop("Extra deals"), 1, pairings), means


def draw_lots(
    run: Run, among: Ranking, prefix: str, notes: dict[int, list[Note]]
) -> dict[int, float | str | None]:
    """A lot for each entry that is still tied; the ranking is split by them."""
    lots: dict[int, float | str | None] = {}
    keys: dict[int, Fraction | int] = {}
    for place, group in among.tied:
        purpose = f"{prefix}place {place}"
        why = note("tied_lot", names=run.names(group), seed=run.lot_seed, purpose=purpose)
        for number, who in enumerate(drawn(run.lot_seed, purpose, group)):
            keys[who] = -number
            lots[who] = lot(run.lot_seed, purpose, who)[:SHOWN_DIGITS]
            notes[who].append(why)
    among.split(LOT.name, keys)
    return lots


def rows(run: Run, rankings: Sequence[Ranking], notes: dict[int, list[Note]]) -> list[Standing]:
    found: list[Standing] = []
    for ranking in rankings:
        for group in ranking.groups:
            place = len(found) + 1
            for who in group:
                found.append(
                    Standing(
                        entry=who,
                        place=place,
                        place_to=place + len(group) - 1,
                        status=run.status(who),
                        values=tuple(ranking.values[who]),
                        split_by=ranking.split_by.get(who),
                        notes=tuple(notes[who]),
                    )
                )
    return found


def note_on_leaving(run: Run, who: int) -> tuple[Note, ...]:
    return (note("left", name=run.name(who), why=run.why(who)),) if run.has_left(who) else ()


def winner_of(order: Sequence[Sequence[int]]) -> int | None:
    """The one entry of the first place."""
    return order[0][0] if order and len(order[0]) == 1 else None


def add_absent(table: Table, ids: Sequence[int]) -> None:
    for who in ids:
        table.add_unpaired(who, Turnout.ABSENT, 0)
