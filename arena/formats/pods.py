"""Swiss in pods: in every round tables of equals, and as far as possible nobody meets anybody twice."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from .base import Format
from .notes import Note, note
from .pairings import POINT, Meeting, Turnout, met_in_table
from .pod_draw import FEWEST_SEATS, MOST_SEATS, cut, dealt, draw_pods, mended, spread, table_sizes
from .pod_plans import Tables, is_tight, planned
from .run import Run
from .settings import DECIDED_PLACES, EXTRA_DEALS, SCORING, Setting, deals
from .state import Part, PartKind, Round, State
from .table import add_absent, note_on_leaving, ranked, winner_of
from .tiebreaks import SWISS_CHAIN, Table
from .words import ROUND, gettext_noop

if TYPE_CHECKING:
    from .rehearsal import Rehearsal

COARSE = POINT // 12
"""Points this near are equal for the draw."""

SEATS = Setting(
    "seats",
    gettext_noop("Seats at a table"),
    gettext_noop(
        "As many tables of this size as possible; the others have one seat fewer, or one more where less than three "
        "would sit at one."
    ),
    4,
    FEWEST_SEATS,
    MOST_SEATS,
)
ROUNDS = Setting(
    "rounds",
    gettext_noop("Rounds"),
    gettext_noop("In each round everybody sits at one table. More rounds rank the field better."),
    6,
    1,
    20,
)


class Pods(Format):
    name = "pods"
    title = gettext_noop("Swiss in pods")
    summary = gettext_noop(
        "Tables of three to eight. In each round equals sit together, and points count the others that were beaten, "
        "so that tables of different size compare."
    )
    settings = (deals(5), SEATS, ROUNDS, SCORING, DECIDED_PLACES, EXTRA_DEALS)
    fewest_entries = 3

    def play(self, run: Run) -> State:
        ids = [entry.id for entry in run.entries]
        table = Table(ids, forfeits_are_games=False)
        pool = Pool(run, ids)
        rounds: list[Round] = []
        ending: tuple[Note, ...] = ()
        is_complete = True
        for number in range(1, run.settings["rounds"] + 1):
            present = [who for who in ids if run.stays_after(who, number - 1)]
            if len(present) < 2:
                ending = (note("too_few", rounds=number - 1),)
                break
            tables, repeats = pool.draw(number, present)
            meetings = [
                met_in_table(
                    run,
                    f"{number}-{index}",
                    index,
                    pod,
                    run.settings["deals"],
                    by_games=run.settings["scoring"] == "games",
                )
                for index, pod in enumerate(tables, 1)
            ]
            notes = (note("repeats", n=repeats),) if repeats else ()
            pairings = tuple(meeting.pairing for meeting in meetings)
            rounds.append(Round(str(number), ROUND(n=number), number, pairings, notes=notes))
            table.start_round()
            for meeting in meetings:
                if meeting.pairing.is_decided:
                    table.add(meeting)
            add_absent(table, [who for who in ids if who not in present])
            if not all(pairing.is_decided for pairing in pairings):
                is_complete = False
                break
            pool.remember(meetings)
        found = ranked(
            run,
            table,
            SWISS_CHAIN,
            is_complete=is_complete,
            decided_places=run.settings["decided_places"],
            prefix="",
            at_one_table=True,
            leaves=run.has_left,
            note_on=lambda who: note_on_leaving(run, who),
        )
        extra = [] if found.extra is None else [found.extra]
        return run.state(
            format=self.name,
            stage=len(rounds) + len(extra),
            is_finished=found.is_final,
            winner=winner_of(found.order),
            parts=[Part("P", gettext_noop("Pods"), PartKind.ROUNDS, (*rounds, *extra))],
            criteria=found.criteria,
            standings=found.standings,
            notes=ending,
        )

    def rehearse(self, rehearsal: Rehearsal) -> int:
        n = rehearsal.n
        points = dict.fromkeys(range(n), 0.0)
        sizes = table_sizes(n, rehearsal.settings["seats"])
        for number in range(rehearsal.settings["rounds"]):
            order = sorted(range(n), key=lambda i: (-points[i], rehearsal.seed_of[i]))
            tables = cut(order, sizes) if number else dealt(order, sizes)
            rehearsal.tables(sizes, rehearsal.settings["deals"])
            for pod in tables:
                for who, share in rehearsal.pod(pod, rehearsal.settings["deals"]).items():
                    points[who] += share
        return rehearsal.best(points)


class Pool:
    """What the draws have to know. Entries are numbers here, in the order of their seeds."""

    def __init__(self, run: Run, ids: list[int]) -> None:
        n, seats, rounds = len(ids), run.settings["seats"], run.settings["rounds"]
        self.run, self.ids = run, ids
        self.number_of = {who: number for number, who in enumerate(ids)}
        self.met = [[0] * n for _ in ids]
        self.points = [0] * n
        self.plan = (planned(n, seats, rounds) or []) if is_tight(n, seats, rounds) else []

    def draw(self, round_number: int, present: list[int]) -> tuple[list[list[int]], int]:
        """The tables of a round, those of most points first, and the repeated meetings at them."""
        numbers = [self.number_of[who] for who in present]
        coarse = [points // COARSE for points in self.points]
        start = self.next_planned(numbers, coarse) if self.plan else self.by_points(round_number, numbers)
        tables, repeats = draw_pods(
            start, self.met, coarse, f"{self.run.lot_seed}:{round_number}", is_planned=bool(self.plan)
        )
        ordered = [sorted(table, key=lambda i: (-self.points[i], i)) for table in tables]
        ordered.sort(key=lambda table: (-sum(self.points[i] for i in table) / len(table), table))
        return [[self.ids[i] for i in table] for table in ordered], repeats

    def by_points(self, round_number: int, numbers: list[int]) -> Tables:
        sizes = table_sizes(len(numbers), self.run.settings["seats"])
        order = sorted(numbers, key=lambda i: (-self.points[i], i))
        return dealt(order, sizes) if round_number == 1 else cut(order, sizes)

    def next_planned(self, numbers: list[int], coarse: list[int]) -> Tables:
        """Of the rounds of the plan that are left the one at which equals sit together best."""
        here = set(numbers)
        left = [[[i for i in table if i in here] for table in tables] for tables in self.plan]
        chosen = min(range(len(left)), key=lambda index: spread(left[index], coarse))
        del self.plan[chosen]
        return mended(left[chosen])

    def remember(self, meetings: list[Meeting]) -> None:
        for meeting in meetings:
            played = [w for w, turnout in meeting.turnout.items() if turnout is Turnout.PLAYED]
            for one, two in combinations(played, 2):
                i, j = self.number_of[one], self.number_of[two]
                self.met[i][j] += 1
                self.met[j][i] += 1
            for who, points in meeting.points.items():
                self.points[self.number_of[who]] += points
