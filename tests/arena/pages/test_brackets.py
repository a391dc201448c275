"""How an event's state becomes columns and cells, for every size of bracket."""

from __future__ import annotations

import pytest

from arena.formats import Entry, Result, as_json, format_named
from arena.pages.brackets import Drawing, Entrant, course, drawings, value_text
from arena.tournaments.words import said


def drawn(format: str, n: int, n_results: int = 0) -> list[Drawing]:
    """The event of n entries after so many results, all won by the better seed."""
    entries = [Entry(number, number, f"bot {number}") for number in range(1, n + 1)]
    results: list[Result] = []
    while True:
        state = format_named(format).state(entries, {}, results, "lots")
        todo = state.to_play[: n_results - len(results)]
        if not todo:
            break
        for match in todo:
            games = match.deals * 2
            one, two = match.entries
            won = games if one < two else 0
            results.append(Result(match.key, match.entries, games, (won,), (1, 1), (games, games), (0, 0)))
    entrants = {entry.id: Entrant(entry.id, entry.name, entry.seed, 1) for entry in entries}
    return drawings(as_json(state), entrants, {})


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 9, 16, 31, 64, 65, 128])
def test_a_bracket_halves_from_column_to_column_down_to_its_final(n: int) -> None:
    (bracket,) = drawn("single-elimination", n)
    heights = [len(column.cells) for column in bracket.columns]
    assert heights == [2**power for power in range(len(heights) - 1, -1, -1)]
    assert 2 * heights[0] >= n > heights[0]
    assert all(cell is not None for column in bracket.columns for cell in column.cells)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 13, 16, 33, 64, 128])
def test_in_a_second_bracket_each_pairing_stands_between_those_that_it_follows_from(n: int) -> None:
    second = next(drawing for drawing in drawn("double-elimination", n) if drawing.is_second)
    for before, after in zip(second.columns, second.columns[1:], strict=False):
        assert before.is_straight == (len(before.cells) == len(after.cells))
        assert len(before.cells) in {len(after.cells), 2 * len(after.cells)}
    for column in second.columns:
        for row, cell in enumerate(column.cells, start=1):
            assert cell is None or cell.number == row
    assert len(second.columns[-1].cells) == 1


@pytest.mark.parametrize("n", [16, 32, 33, 64, 65, 100, 128])
@pytest.mark.parametrize("format", ["single-elimination", "double-elimination"])
def test_a_large_bracket_is_cut_into_sections_that_hold_every_pairing_once(format: str, n: int) -> None:
    for drawing in drawn(format, n):
        cut = [column for section in drawing.sections for column in section.columns]
        shown = [cell.key for column in (*cut, *drawing.tree) for cell in column.pairings]
        assert sorted(shown) == sorted(cell.key for column in drawing.columns for cell in column.pairings)
        assert max(len(column.cells) for column in (*cut, *drawing.tree)) <= 16
        assert len({column.key for column in (*cut, *drawing.tree)}) == len(cut) + len(drawing.tree)
        for section in drawing.sections:
            heights = [len(column.cells) for column in section.columns]
            assert heights[0] == 8
            assert heights[-1] == 1
            for before, after in zip(section.columns, section.columns[1:], strict=False):
                assert len(before.cells) in {len(after.cells), 2 * len(after.cells)}


def test_a_section_says_who_comes_out_of_it() -> None:
    (bracket,) = drawn("single-elimination", 64, n_results=60)
    assert [section.winner.name for section in bracket.sections if section.winner] == [
        "bot 1", "bot 4", "bot 2", "bot 3",
    ]  # fmt: skip
    assert all(section.n_decided == section.n_pairings == 15 for section in bracket.sections)


def test_the_course_of_an_entry_is_every_pairing_it_came_to() -> None:
    found = drawn("double-elimination", 4, n_results=6)
    titles = [(one.drawing, one.column.title) for one in course(found, 3)]
    assert titles == [
        ("First bracket", "Semi-finals"),
        ("Second bracket", "Round 1"),
        ("Second bracket", "Final of the second bracket"),
    ]


def test_a_bye_is_one_quiet_line_and_no_pairing_to_wait_for() -> None:
    (bracket,) = drawn("single-elimination", 3)
    bye, pairing = bracket.columns[0].pairings
    assert (bye.is_quiet, bye.how, len(bye.lines)) == (True, "bye", 1)
    assert bye.notes == ("bot 1 has a bye to the next round.",)
    assert (pairing.is_quiet, pairing.status) == (False, "playing")
    assert bracket.columns[0].is_now


def test_who_is_not_known_yet_is_said_by_where_it_comes_from() -> None:
    first, second, final = drawn("double-elimination", 8)
    assert [line.words for line in first.columns[1].pairings[0].lines] == [
        "winner of Quarter-finals · 1",
        "winner of Quarter-finals · 2",
    ]
    assert "loser of Quarter-finals · 1" in [line.words for line in second.columns[0].pairings[0].lines]
    assert second.columns[0].title == "Round 1"
    assert [line.words for line in final.columns[0].pairings[0].lines] == [
        "winner of Final of the first bracket",
        "winner of Final of the second bracket",
    ]


def test_the_winner_of_a_pairing_goes_on_along_the_line() -> None:
    (bracket,) = drawn("single-elimination", 4, n_results=2)
    assert [cell.lines[0].is_winner for cell in bracket.columns[0].pairings] == [True, True]
    final = bracket.columns[1].pairings[0]
    assert final.is_fed
    assert [line.entrant.name for line in final.lines if line.entrant] == ["bot 1", "bot 2"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (1.6666666, "1.67"),
        (0.0, "0"),
        (-0.001, "0"),
        (-2.5, "−2.5"),
        (None, "–"),
        ("Final", "Final"),
    ],
)
def test_a_value_of_the_chain_has_at_most_two_decimals(value: float | str | None, text: str) -> None:
    assert value_text(value) == text


def test_a_note_is_told_from_its_code_and_facts() -> None:
    facts = {"name": "ev"}
    assert (
        said({"code": "bye", "facts": facts, "text": "read by programs"}) == "ev has a bye to the next round."
    )
