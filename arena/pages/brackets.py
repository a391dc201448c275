"""An event's state, as `arena.formats.as_json` writes it, as pages draw it: parts, columns and cells, with their words.

A bracket is drawn as columns of rows of equal height: a column has half the rows of the one before, or as many in every
second round of a second bracket, so that each pairing stands between those that its entries come from. A large one is
cut across into sections, each a bracket of its own, whose winners meet in what is left of the tree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.formats import How, PartKind, SourceKind, Status
from arena.tournaments.words import said, words

Json = dict[str, Any]

HOW = {
    How.GAMES: gettext_lazy("games"),
    How.EXTRA: gettext_lazy("extra deals"),
    How.MEAN_POINTS: gettext_lazy("mean points"),
    How.FAULTS: gettext_lazy("fewer faults"),
    How.LOT: gettext_lazy("lot"),
    How.LEVEL: gettext_lazy("level"),
    How.FORFEIT: gettext_lazy("forfeit"),
    How.DOUBLE_FORFEIT: gettext_lazy("double forfeit"),
    How.BYE: gettext_lazy("bye"),
    How.WALK_OVER: gettext_lazy("walk-over"),
    How.EMPTY: gettext_lazy("empty"),
    How.ANNULLED: gettext_lazy("annulled"),
    How.NOT_NEEDED: gettext_lazy("not needed"),
}
SHORT = {"Grand final, second match": gettext_lazy("Second match")}
UNPLAYED = {How.BYE, How.WALK_OVER, How.EMPTY, How.NOT_NEEDED}
# So many rows are seen at a glance; a taller bracket is cut into sections of SECTION_ROWS.
TALLEST = 16
SECTION_ROWS = 8
# A longer table shows FIRST_ROWS, and the others when asked.
LONGEST = 24
FIRST_ROWS = 16
LEFT = {"withdrawn": gettext_lazy("withdrawn"), "disqualified": gettext_lazy("disqualified")}


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entry of the event as pages name it. `version` is the number of the frozen version, None before."""

    id: int
    name: str
    seed: int | None = None
    version: int | None = None
    is_known: bool = True
    """Whether the reader may know its bot, and so finds it among the entries."""


@dataclass(frozen=True, slots=True)
class Link:
    """A match that belongs to a pairing; `extra` counts its extra matches from 1."""

    pk: int
    status: str
    extra: int = 0
    key: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A slot of a pairing: who, or in words where it is not known, and what the pairing came to for it."""

    entrant: Entrant | None
    words: str
    slot: Json
    is_winner: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A pairing. `is_quiet`: nothing is or was to be played."""

    key: str
    number: int
    lines: tuple[Line, ...]
    status: str
    how: str
    """In words; `is_plain`: by the games of its match, as most are."""
    is_plain: bool
    notes: tuple[str, ...]
    matches: tuple[Link, ...]
    is_quiet: bool
    is_pod: bool
    is_fed: bool
    """Somebody comes, or came, out of another pairing of this part."""

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(line.entrant.id for line in self.lines if line.entrant)

    @property
    def is_waiting(self) -> bool:
        """Everything is known, and no worker has begun."""
        return self.status == Status.PLAYING and not any(link.status == "running" for link in self.matches)


@dataclass(frozen=True, slots=True)
class Column:
    """A round. None among the cells is a place of the bracket without a pairing."""

    key: str
    title: str
    cells: tuple[Cell | None, ...]
    byes: tuple[Entrant, ...]
    notes: tuple[str, ...]
    is_now: bool
    is_straight: bool
    """The next column has as many rows."""

    @property
    def pairings(self) -> list[Cell]:
        return [cell for cell in self.cells if cell is not None]

    @property
    def has_notes(self) -> bool:
        return bool(self.notes) or any(cell.notes for cell in self.pairings)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a large bracket from which one entry comes: `winner` once it is known."""

    number: int
    columns: tuple[Column, ...]
    winner: Entrant | None
    n_decided: int
    n_pairings: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row of standings. `place` is a range where it is one; `values`: text, whether it split the entry from the row
    above, and whether it is a number."""

    entrant: Entrant
    place: str
    values: tuple[tuple[str, bool, bool], ...]
    notes: tuple[str, ...]
    status: str


@dataclass(frozen=True, slots=True)
class Table:
    criteria: tuple[tuple[str, str, bool], ...]
    """Title and explanation of each, and whether its values are numbers."""
    rows: tuple[Row, ...]

    @property
    def first(self) -> tuple[Row, ...]:
        return self.rows if len(self.rows) <= LONGEST else self.rows[:FIRST_ROWS]

    @property
    def others(self) -> tuple[Row, ...]:
        return self.rows[len(self.first) :]

    def only(self, entry: int) -> Table:
        """The table with the row of this entry alone."""
        return replace(self, rows=tuple(row for row in self.rows if row.entrant.id == entry))


@dataclass(frozen=True, slots=True)
class Drawing:
    """A part. `is_bracket`: drawn as a tree; `is_second`: every second round has as many rows as the one before.
    `tree` is what is left of the columns behind the `sections` of a large bracket."""

    key: str
    title: str
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    tree: tuple[Column, ...]
    is_bracket: bool
    is_second: bool
    table: Table | None

    @property
    def has_notes(self) -> bool:
        return any(column.has_notes for column in self.columns)


@dataclass(frozen=True, slots=True)
class Appearance:
    """Where an entry is in a round: at a pairing, or with a bye. `drawing` is the part's title."""

    drawing: str
    column: Column
    cell: Cell | None


def course(found: Sequence[Drawing], entry: int) -> list[Appearance]:
    """Every round in which this entry appears, in order."""
    return [
        Appearance(drawing.title, column, cell)
        for drawing in found
        for column in drawing.columns
        for cell in (
            *(cell for cell in column.pairings if entry in cell.entries),
            *(None for entrant in column.byes if entrant.id == entry),
        )
    ]


def drawings(
    state: Json, entrants: Mapping[int, Entrant], links: Mapping[str, Sequence[Link]]
) -> list[Drawing]:
    """Every part of the event; `links` are the matches by the key of their pairing."""
    return [_drawing(part, entrants, links, _titles(state["parts"], part)) for part in state["parts"]]


def _titles(parts: Sequence[Json], here: Json) -> dict[str, str]:
    """How cells of the part `here` name every pairing."""
    titles = {}
    for part in parts:
        for round in part["rounds"]:
            title = _short(round, part) if part is here else words(round["title"])
            is_alone = len(round["pairings"]) == 1
            for pairing in round["pairings"]:
                titles[pairing["key"]] = title if is_alone else f"{title} · {pairing['number']}"
    return titles


def standings(state: Json, entrants: Mapping[int, Entrant]) -> Table:
    return _table(state["criteria"], state["standings"], entrants)


def _drawing(
    part: Json,
    entrants: Mapping[int, Entrant],
    links: Mapping[str, Sequence[Link]],
    titles: Mapping[str, str],
) -> Drawing:
    now = next(
        (
            round["key"]
            for round in part["rounds"]
            if not all(p["status"] == Status.DECIDED for p in round["pairings"])
        ),
        None,
    )
    keys = {pairing["key"] for round in part["rounds"] for pairing in round["pairings"]}
    columns = []
    heights = rows(part)
    for index, (round, n_rows) in enumerate(zip(part["rounds"], heights, strict=True)):
        found = {
            pairing["number"]: _cell(pairing, entrants, links.get(pairing["key"], ()), titles, keys)
            for pairing in round["pairings"]
        }
        numbers = range(1, n_rows + 1) if n_rows else sorted(found)
        columns.append(
            Column(
                key=round["key"],
                title=_short(round, part),
                cells=tuple(found.get(number) for number in numbers),
                byes=tuple(entrants[who] for who in round["byes"]),
                notes=tuple(said(note) for note in round["notes"]),
                is_now=round["key"] == now,
                is_straight=heights[index + 1 : index + 2] == [n_rows],
            )
        )
    is_bracket = part["kind"] != PartKind.ROUNDS
    sections, tree = cut(columns) if is_bracket else ((), tuple(columns))
    return Drawing(
        key=part["key"],
        title=words(part["title"]),
        columns=tuple(columns),
        sections=sections,
        tree=tree,
        is_bracket=is_bracket,
        is_second=part["kind"] == PartKind.SECOND,
        table=_table(part["criteria"], part["standings"], entrants) if part["criteria"] else None,
    )


def cut(columns: Sequence[Column]) -> tuple[tuple[Section, ...], tuple[Column, ...]]:
    """The sections of a large bracket, and the columns in which their winners meet; no sections of any other."""
    n_rows = len(columns[0].cells)
    if n_rows <= TALLEST:
        return (), tuple(columns)
    n_sections = n_rows // SECTION_ROWS
    split = [column for column in columns if len(column.cells) >= n_sections]
    sections = []
    for index in range(n_sections):
        mine = []
        for column in split:
            height = len(column.cells) // n_sections
            cells = column.cells[index * height : (index + 1) * height]
            mine.append(replace(column, key=f"{column.key}-{index + 1}", cells=cells))
        pairings = [cell for column in mine for cell in column.pairings]
        last = mine[-1].pairings
        winners = [line.entrant for line in last[0].lines if line.is_winner] if last else []
        sections.append(
            Section(
                number=index + 1,
                columns=tuple(mine),
                winner=winners[0] if winners else None,
                n_decided=sum(cell.status == Status.DECIDED for cell in pairings),
                n_pairings=len(pairings),
            )
        )
    return tuple(sections), tuple(columns[len(split) :])


def rows(part: Json) -> list[int]:
    """How many rows the column of each round has; 0 where the part is no bracket."""
    if part["kind"] == PartKind.ROUNDS:
        return [0] * len(part["rounds"])
    if part["kind"] == PartKind.BRACKET:
        return [2 ** (len(part["rounds"]) - 1 - index) for index in range(len(part["rounds"]))]
    numbers = [_number(round) for round in part["rounds"]]
    return [2 ** ((numbers[-1] - number) // 2) for number in numbers]


def _short(round: Json, part: Json) -> str:
    """The round's title without that of the part that it stands in."""
    title: str = round["title"]
    rest = title.removeprefix(f"{part['title']}, ")
    return str(SHORT[title]) if title in SHORT else words(rest[:1].upper() + rest[1:])


def _number(round: Json) -> int:
    """The round's number in its key: rounds in which nobody could meet are left out of a second bracket."""
    found = re.search(r"\d+$", round["key"])
    return int(found.group()) if found else round["number"]


def _cell(
    pairing: Json,
    entrants: Mapping[int, Entrant],
    links: Sequence[Link],
    titles: Mapping[str, str],
    keys: Set[str],
) -> Cell:
    return Cell(
        key=pairing["key"],
        number=pairing["number"],
        lines=tuple(
            _line(pairing, slot, entrants, titles)
            for slot in pairing["slots"]
            if slot["entry"] is not None or pairing["how"] not in UNPLAYED
        ),
        status=pairing["status"],
        how=str(HOW[How(pairing["how"])]) if pairing["how"] else "",
        is_plain=pairing["how"] == How.GAMES,
        notes=tuple(said(note) for note in pairing["notes"]),
        matches=tuple(links),
        is_quiet=pairing["how"] in UNPLAYED,
        is_pod=len(pairing["slots"]) > 2,
        is_fed=any(
            slot["source"]["kind"] == SourceKind.WINNER and slot["source"]["of"] in keys
            for slot in pairing["slots"]
        ),
    )


def _line(pairing: Json, slot: Json, entrants: Mapping[int, Entrant], titles: Mapping[str, str]) -> Line:
    entrant = entrants[slot["entry"]] if slot["entry"] is not None else None
    return Line(
        entrant=entrant,
        words="" if entrant else source_words(slot, titles),
        slot=slot,
        is_winner=slot["entry"] is not None and slot["entry"] == pairing["winner"],
    )


def source_words(slot: Json, titles: Mapping[str, str]) -> str:
    """Who will come to a slot that is still open, or that nobody comes."""
    source = slot["source"]
    if source["kind"] == SourceKind.NOBODY or slot["is_empty"]:
        return _("nobody")
    if source["kind"] == SourceKind.SEED:
        return _("seed %(n)s") % {"n": source["number"]}
    if source["kind"] == SourceKind.WINNER:
        return _("winner of %(pairing)s") % {"pairing": titles.get(source["of"], source["of"])}
    if source["kind"] == SourceKind.LOSER:
        return _("loser of %(pairing)s") % {"pairing": titles.get(source["of"], source["of"])}
    if source["kind"] == SourceKind.PLACE:
        return _("place %(n)s of group %(group)s") % {"n": source["number"], "group": source["of"]}
    return _("not drawn yet")


def _table(criteria: Sequence[Json], found: Sequence[Json], entrants: Mapping[int, Entrant]) -> Table:
    # A criterion that tells nothing about anybody, such as the lot where none was drawn, needs no column.
    shown = [
        index
        for index in range(len(criteria))
        if any(standing["values"][index] not in (None, "") for standing in found)
    ]
    return Table(
        criteria=tuple(
            (
                words(criteria[index]["title"]),
                words(criteria[index]["explanation"]),
                not any(isinstance(standing["values"][index], str) for standing in found),
            )
            for index in shown
        ),
        rows=tuple(
            Row(
                entrant=entrants[standing["entry"]],
                place=str(standing["place"])
                if standing["place"] == standing["place_to"]
                else f"{standing['place']}–{standing['place_to']}",
                values=tuple(
                    (
                        value_text(standing["values"][index]),
                        criteria[index]["name"] == standing["split_by"],
                        not isinstance(standing["values"][index], str),
                    )
                    for index in shown
                ),
                notes=tuple(said(note) for note in standing["notes"]),
                status=str(LEFT.get(standing["status"], "")),
            )
            for standing in found
        ),
    )


def value_text(value: float | str | None) -> str:
    """A value of the tie-break chain with at most two decimals."""
    if value is None or value == "":
        return "–"
    if isinstance(value, str):
        return words(value)
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text.replace("-", "−")
