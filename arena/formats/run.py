"""One reckoning of an event: what it is given, and what comes up on the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .entries import Entry, Leaving
from .notes import Note, listed, note
from .results import Answers, Match, Result, pairing_of
from .settings import Settings
from .state import Criterion, Part, Standing, State, Status, Unused
from .words import gettext_noop

WHY = {
    Leaving.WITHDRAWN: gettext_noop("has withdrawn"),
    Leaving.DISQUALIFIED: gettext_noop("is disqualified"),
}


class Run:
    """The event for the one time that its format reckons it from its beginning."""

    def __init__(
        self, entries: Sequence[Entry], settings: Settings, results: Iterable[Result], lot_seed: str
    ) -> None:
        self.entries = entries
        self.by_id = {entry.id: entry for entry in entries}
        self.settings = settings
        self.lot_seed = lot_seed
        self.answers = Answers(results, self.by_id)

    def name(self, who: int) -> str:
        entry = self.by_id[who]
        return entry.name or f"seed {entry.seed}"

    def names(self, ids: Iterable[int]) -> str:
        return listed([self.name(who) for who in ids])

    def seed(self, who: int) -> int:
        return self.by_id[who].seed

    def has_left(self, who: int) -> bool:
        return self.by_id[who].departure is not None

    def stays_after(self, who: int, stage: int) -> bool:
        """Whether the entry is drawn for the stage after this one."""
        departure = self.by_id[who].departure
        return departure is None or departure.stage > stage

    def still_there(self, ids: Iterable[int]) -> list[int]:
        """Those who have not left; if all have, the one who stayed longest, if there is one."""
        going = {who: self.by_id[who].departure for who in ids}
        live = [who for who, departure in going.items() if departure is None]
        moments = {who: departure.moment for who, departure in going.items() if departure is not None}
        last = [who for who, moment in moments.items() if moment == max(moments.values())]
        return live or (last if len(last) == 1 else [])

    def is_disqualified(self, who: int) -> bool:
        departure = self.by_id[who].departure
        return departure is not None and departure.kind is Leaving.DISQUALIFIED

    def why(self, who: int) -> str:
        """Why it does not play, to stand after its name."""
        departure = self.by_id[who].departure
        return gettext_noop("forfeits") if departure is None else WHY[departure.kind]

    def status(self, who: int) -> str:
        departure = self.by_id[who].departure
        return "entered" if departure is None else str(departure.kind)

    def state(
        self,
        *,
        format: str,
        stage: int,
        is_finished: bool,
        winner: int | None,
        parts: Sequence[Part],
        criteria: Sequence[Criterion],
        standings: Sequence[Standing],
        notes: Sequence[Note] = (),
    ) -> State:
        pairings = {p.key: p for part in parts for round in part.rounds for p in round.pairings}
        to_play: list[Match] = [match for pairing in pairings.values() for match in pairing.matches]
        ending: tuple[Note, ...] = ()
        if is_finished:
            ending = (note("finished", name=self.name(winner)) if winner is not None else note("no_winner"),)
        return State(
            format=format,
            stage=stage,
            is_finished=is_finished,
            winner=winner if is_finished else None,
            parts=tuple(parts),
            criteria=tuple(criteria),
            standings=tuple(standings),
            to_play=tuple(to_play),
            used=tuple(sorted((result.match, tuple(sorted(result.entries))) for result in self.answers.used)),
            unused=tuple(
                Unused(
                    result.match,
                    tuple(sorted(result.entries)),
                    self.reason(result, {key: (p.status, p.entries) for key, p in pairings.items()}),
                )
                for result in self.answers.unused()
            ),
            notes=(*notes, *ending),
        )

    def reason(self, result: Result, pairings: dict[str, tuple[Status, tuple[int, ...]]]) -> Note:
        """Why a result answers nothing."""
        found = pairings.get(pairing_of(result.match))
        if found is None:
            return note("unknown_match", match=result.match)
        status, entries = found
        if status is Status.WAITING or not entries:
            return note("waits", match=result.match)
        if not set(result.entries) <= set(entries):
            return note("other_entries", match=result.match, names=self.names(entries))
        return note("not_needed", match=result.match)
