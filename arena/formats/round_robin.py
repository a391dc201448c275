"""Round robin: everybody meets everybody, in the order of the Berger tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .base import Format
from .berger import berger_rounds
from .notes import Note, note
from .pairings import Meeting, met_in_table
from .run import Run
from .settings import DECIDED_PLACES, EXTRA_DEALS, SCORING, TWICE, deals
from .state import How, Pairing, Part, PartKind, Round, State
from .table import Ranked, note_on_leaving, ranked, winner_of
from .tiebreaks import ROUND_ROBIN_CHAIN, Table
from .words import ROUND, gettext_noop

if TYPE_CHECKING:
    from .rehearsal import Rehearsal


class RoundRobin(Format):
    name = "round-robin"
    title = gettext_noop("Round robin")
    summary = gettext_noop(
        "Everybody meets everybody. The surest way to find the best; the number of pairings grows with the "
        "square of the entries."
    )
    settings = (deals(25), SCORING, TWICE, DECIDED_PLACES, EXTRA_DEALS)
    fewest_entries = 2
    most_entries = 64

    def play(self, run: Run) -> State:
        circle = all_play_all(
            run,
            [entry.id for entry in run.entries],
            prefix="R",
            title=gettext_noop("Round robin"),
            decided_places=run.settings["decided_places"],
            leaves=run.has_left,
        )
        found = circle.ranked
        return run.state(
            format=self.name,
            stage=1,
            is_finished=found.is_final,
            winner=winner_of(found.order),
            parts=[circle.part],
            criteria=found.criteria,
            standings=found.standings,
        )

    def rehearse(self, rehearsal: Rehearsal) -> int:
        return rehearsal.best(rehearsal.circle(range(rehearsal.n)))


@dataclass(frozen=True, slots=True)
class Circle:
    """A round robin as it stands, by itself or as a group of something greater."""

    part: Part
    ranked: Ranked


def all_play_all(
    run: Run,
    ids: Sequence[int],
    *,
    prefix: str,
    title: str,
    decided_places: int,
    leaves: Callable[[int], bool],
) -> Circle:
    """All rounds may be played at once. Who leaves before half of its matches are played is annulled: its results
    stand but count for nobody. Later, what it still had to play is forfeited."""
    meetings: dict[str, Meeting] = {}
    rounds: list[tuple[str, int, list[str], list[int]]] = []
    cycle = berger_rounds(len(ids))
    for number, drawn in enumerate(cycle * (2 if run.settings["twice"] else 1), 1):
        keys, free = [], []
        for index, pair in enumerate(drawn, 1):
            present = [ids[place - 1] for place in pair if place <= len(ids)]
            if len(present) < 2:
                free += present
                continue
            key = f"{prefix}{number}-{index}"
            meetings[key] = met_in_table(
                run, key, index, present, run.settings["deals"], by_games=run.settings["scoring"] == "games"
            )
            keys.append(key)
        rounds.append((f"{prefix}{number}", number, keys, free))
    annulled = annulled_entries(ids, list(meetings.values()), leaves)
    table = Table(ids, forfeits_are_games=True)
    for meeting in meetings.values():
        if meeting.pairing.is_decided and not set(meeting.pairing.entries) & annulled:
            table.add(meeting)

    def note_on(who: int) -> tuple[Note, ...]:
        if who in annulled:
            return (note("left_annulled", name=run.name(who), why=run.why(who)),)
        return note_on_leaving(run, who) if leaves(who) else ()

    found = ranked(
        run,
        table,
        ROUND_ROBIN_CHAIN,
        is_complete=all(meeting.pairing.is_decided for meeting in meetings.values()),
        decided_places=decided_places,
        prefix=prefix,
        leaves=leaves,
        note_on=note_on,
    )
    shown = tuple(
        Round(
            key,
            ROUND(n=number),
            number,
            tuple(annul(run, meetings[one].pairing, annulled) for one in keys),
            byes=tuple(free),
            notes=tuple(note("free", name=run.name(who)) for who in free),
        )
        for key, number, keys, free in rounds
    )
    extra = () if found.extra is None else (found.extra,)
    part = Part(prefix, title, PartKind.ROUNDS, shown + extra, found.criteria, found.standings)
    return Circle(part, found)


def annulled_entries(
    ids: Sequence[int], meetings: Sequence[Meeting], leaves: Callable[[int], bool]
) -> set[int]:
    """Who has left with fewer than half of its matches played."""
    annulled = set()
    for who in ids:
        if leaves(who):
            mine = [meeting.pairing for meeting in meetings if who in meeting.pairing.entries]
            if 2 * sum(bool(pairing.played) for pairing in mine) < len(mine):
                annulled.add(who)
    return annulled


def annul(run: Run, pairing: Pairing, annulled: set[int]) -> Pairing:
    gone = [who for who in pairing.entries if who in annulled]
    if not gone:
        return pairing
    slots = tuple(replace(slot, points=None, placing=None) for slot in pairing.slots)
    why = tuple(note("annulled", name=run.name(who), why=run.why(who)) for who in gone)
    return replace(pairing, slots=slots, how=How.ANNULLED, winner=None, notes=why)
