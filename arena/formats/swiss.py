"""Swiss for two seats: in every round equals meet, nobody meets anybody twice, nobody is out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .base import Format, bits
from .notes import Note, figure, note
from .pairings import POINT, Meeting, Turnout, met_in_table
from .run import Run
from .settings import DECIDED_PLACES, EXTRA_DEALS, Setting, Settings, deals
from .state import Part, PartKind, Round, State
from .swiss_draw import Draw, Drawn, draw_swiss
from .table import add_absent, note_on_leaving, ranked, winner_of
from .tiebreaks import LEVEL, SWISS_CHAIN, Table
from .words import ROUND, Template, gettext_noop

if TYPE_CHECKING:
    from .rehearsal import Rehearsal

HALF = POINT // 2
BYE_POINTS = {"win": POINT, "half": HALF, "nothing": 0}
MOST_ROUNDS = 20
TOO_MANY = Template(
    gettext_noop(
        "Rounds: {entries} entries can play at most {most} rounds without meeting again, not {wanted}."
    )
)
FEWEST_ROUNDS = 3

ROUNDS = Setting(
    "rounds",
    gettext_noop("Rounds"),
    gettext_noop(
        "0: enough to leave one without a loss, and one more. More rounds rank the middle of the field better."
    ),
    0,
    0,
    MOST_ROUNDS,
)
BYE = Setting(
    "bye",
    gettext_noop("A bye is worth"),
    gettext_noop(
        "With an odd number of entries one sits out each round. It plays nothing, and nothing of it is rated."
    ),
    "win",
    choices=(
        ("win", gettext_noop("1 point")),
        ("half", gettext_noop("½ point")),
        ("nothing", gettext_noop("nothing")),
    ),
)


def most_rounds(n: int) -> int:
    """So many rounds are possible without meeting again."""
    return n - 1 + n % 2


def rounds_for(settings: Settings, n: int) -> int:
    wanted: int = settings["rounds"] or max(FEWEST_ROUNDS, bits(n) + 1)
    return min(wanted, most_rounds(n))


class Swiss(Format):
    name = "swiss"
    title = gettext_noop("Swiss for two seats")
    summary = gettext_noop(
        "A fixed number of rounds; in each, entries of equal points meet, and nobody is out. Ranks a large field "
        "with few pairings, and one bot's withdrawal harms nobody else."
    )
    settings = (deals(25), ROUNDS, BYE, DECIDED_PLACES, EXTRA_DEALS)
    fewest_entries = 3

    def problems(self, settings: Settings, n_entries: int | None) -> dict[str, str]:
        if n_entries is None or settings["rounds"] <= most_rounds(n_entries):
            return {}
        most = most_rounds(n_entries)
        return {"rounds": TOO_MANY(entries=n_entries, most=most, wanted=settings["rounds"])}

    def play(self, run: Run) -> State:
        table = Table([entry.id for entry in run.entries], forfeits_are_games=False)
        field = {entry.id: Drawn(entry.id, entry.seed) for entry in run.entries}
        n_rounds = rounds_for(run.settings, len(field))
        rounds: list[Round] = []
        ending: tuple[Note, ...] = ()
        is_complete = True
        for number in range(1, n_rounds + 1):
            present = [who for who in field if run.stays_after(who, number - 1)]
            if len(present) < 2:
                ending = (note("too_few", rounds=number - 1),)
                break
            draw = draw_swiss([field[who] for who in present])
            meetings = self.meetings(run, number, draw, field)
            rounds.append(self.round(run, number, draw, meetings, field))
            table.start_round()
            for meeting in meetings:
                if meeting.pairing.is_decided:
                    table.add(meeting)
            if draw.bye is not None:
                table.add_unpaired(draw.bye, Turnout.BYE, BYE_POINTS[run.settings["bye"]])
            add_absent(table, [who for who in field if who not in present])
            if not all(meeting.pairing.is_decided for meeting in meetings):
                is_complete = False
                break
            remember(run, field, draw, meetings)
        found = ranked(
            run,
            table,
            SWISS_CHAIN,
            is_complete=is_complete,
            decided_places=run.settings["decided_places"],
            prefix="",
            leaves=run.has_left,
            note_on=lambda who: note_on_leaving(run, who),
        )
        extra = [] if found.extra is None else [found.extra]
        part = Part("S", gettext_noop("Swiss"), PartKind.ROUNDS, (*rounds, *extra))
        return run.state(
            format=self.name,
            stage=len(rounds) + len(extra),
            is_finished=found.is_final,
            winner=winner_of(found.order),
            parts=[part],
            criteria=found.criteria,
            standings=found.standings,
            notes=ending,
        )

    def meetings(self, run: Run, number: int, draw: Draw, field: dict[int, Drawn]) -> list[Meeting]:
        found = []
        for index, pair in enumerate(draw.pairs, 1):
            one, two = (field[who] for who in pair)
            why = []
            if one.points != two.points:
                why.append(
                    note(
                        "float",
                        one=run.name(one.id),
                        two=run.name(two.id),
                        more=figure(one.points / 2),
                        fewer=figure(two.points / 2),
                    )
                )
            if one.met[two.id]:
                why.append(note("rematch", one=run.name(one.id), two=run.name(two.id)))
            found.append(met_in_table(run, f"{number}-{index}", index, pair, run.settings["deals"], why=why))
        return found

    def round(
        self, run: Run, number: int, draw: Draw, meetings: Sequence[Meeting], field: dict[int, Drawn]
    ) -> Round:
        notes: list[Note] = []
        if draw.bye is not None:
            code = "bye_again" if field[draw.bye].byes else "bye_lowest"
            notes.append(note(code, name=run.name(draw.bye)))
        again = sum(field[one].met[two] > 0 for one, two in draw.pairs)
        if again:
            notes.append(note("rematches", n=again))
        return Round(
            str(number),
            ROUND(n=number),
            number,
            tuple(meeting.pairing for meeting in meetings),
            byes=() if draw.bye is None else (draw.bye,),
            notes=tuple(notes),
        )

    def rehearse(self, rehearsal: Rehearsal) -> int:
        n, rounds = rehearsal.n, rounds_for(rehearsal.settings, rehearsal.n)
        points, met = [0] * n, {(i, i) for i in range(n)}
        byes: set[int] = set()
        for _ in range(rounds):
            # Neighbours in the table who have not met stand for the draw of least cost.
            waiting = sorted(range(n), key=lambda i: (-points[i], rehearsal.seed_of[i]))
            if n % 2:
                bye = next((i for i in reversed(waiting) if i not in byes), waiting[-1])
                byes.add(bye)
                points[bye] += 1
                waiting.remove(bye)
            rehearsal.step(len(waiting) // 2, rehearsal.settings["deals"])
            while waiting:
                i = waiting.pop(0)
                j = next((other for other in waiting if (i, other) not in met), waiting[0])
                waiting.remove(j)
                met |= {(i, j), (j, i)}
                points[rehearsal.duel(i, j)] += 1
        opponents = [sum(points[j] for j in range(n) if i != j and (i, j) in met) for i in range(n)]
        return rehearsal.best({i: points[i] * n * n + opponents[i] for i in range(n)})


def remember(run: Run, field: dict[int, Drawn], draw: Draw, meetings: Sequence[Meeting]) -> None:
    """What the next draw has to know of this round."""
    before = {who: one.points for who, one in field.items()}
    for meeting in meetings:
        one, two = meeting.pairing.entries
        for who, other in ((one, two), (two, one)):
            mine = field[who]
            mine.points += meeting.halves[who, other]
            mine.floated = (before[who] > before[other]) - (before[who] < before[other])
            mine.met[other] += 1
            mine.forfeit_wins += meeting.turnout[who] is Turnout.WON_BY_FORFEIT
    if draw.bye is not None:
        field[draw.bye].byes += 1
        field[draw.bye].points += BYE_POINTS[run.settings["bye"]] // LEVEL
        field[draw.bye].floated = 0
