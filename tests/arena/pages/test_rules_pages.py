"""The rules for people: pages that follow the engine's presets, and pictures that say what they show."""

from __future__ import annotations

import dataclasses
import json
from html import unescape
from html.parser import HTMLParser

import pytest
from django.test import Client

from arena.pages import rule_examples as examples
from arena.pages import rule_words
from arena.pictures import discard_picture, grid_picture, grid_words
from matches.engine import DECK, PRESETS, Rules
from matches.engine.rules import WORDS
from tests.arena.pages.markup import words

pytestmark = [pytest.mark.django_db, pytest.mark.database]


class Pictures(HTMLParser):
    """The texts of all pictures of a page, and how many have none."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.n_silent = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "svg" and attributes.get("role") == "img" and attributes.get("aria-label"):
            self.texts.append(attributes["aria-label"] or "")
        elif tag == "svg" and attributes.get("aria-hidden") != "true":
            self.n_silent += 1


def read(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_the_rules_page_tells_every_preset_with_its_source_and_what_it_changes(client: Client) -> None:
    html = read(client, "/rules/")
    text = words(html)
    for preset in PRESETS.values():
        assert f'id="preset-{preset.name}"' in html
        assert preset.summary in text
        assert preset.source in text
        for flag, value in preset.rules.as_dict().items():
            if flag != "preset" and value != getattr(Rules(), flag):
                assert f"{flag}: {str(value).lower()}" in text


def test_every_flag_and_every_value_has_words(client: Client) -> None:
    flags = {field.name: field.default for field in dataclasses.fields(Rules)}
    assert set(rule_words.QUESTIONS) == set(flags)
    for flag, default in flags.items():
        values = WORDS.get(flag) or ((True, False) if isinstance(default, bool) else (7,))
        told = {rule_words.answer(dataclasses.replace(Rules(), **{flag: value}), flag) for value in values}
        assert len(told) == len(values)


def test_a_question_is_told_exactly_where_presets_differ_with_every_preset_once() -> None:
    told = dict(rule_words.differing())
    for flag, question in rule_words.QUESTIONS.items():
        values = {getattr(preset.rules, flag) for preset in PRESETS.values()}
        assert (str(question) in told) == (len(values) > 1)
    for answers in told.values():
        names = [preset.name for answer in answers for preset in answer.presets]
        assert sorted(names) == sorted(PRESETS)


@pytest.mark.parametrize("path", ["/rules/", "/rules/cheat-sheet/"])
def test_every_picture_says_what_it_shows(path: str, client: Client) -> None:
    pictures = Pictures(read(client, path))
    assert pictures.n_silent == 0
    assert "A card of value -2" in pictures.texts
    assert any("column 1: removed" in text for text in pictures.texts)


def test_a_grid_is_told_column_by_column() -> None:
    grid = (9, -1, None, *["x"] * 3, *[None] * 3, 0, 1, 2)
    assert grid_words(grid) == (
        "Grid, column 1: 9, −1, face-down; column 2: removed; column 3: face-down; column 4: 0, 1, 2."
    )
    assert f'aria-label="{grid_words(grid)}"' in grid_picture(grid)


def test_a_discard_pile_is_told_from_its_top() -> None:
    assert 'aria-label="Discard pile, from its top: 7, 7, −2"' in discard_picture([-2, 7, 7])


def test_the_worked_round_shows_a_close_a_final_turn_a_last_column_and_doubling() -> None:
    ending = examples.ending()
    assert None not in ending.closed
    assert ending.final_turn[ending.cell] == ending.taken < ending.replaced
    assert None in ending.final_turn
    assert len(set(ending.revealed[3 * ending.column : 3 * ending.column + 3])) == 1
    assert ending.sums == (examples.sum_of(ending.closed), examples.sum_of(ending.cleared))
    assert ending.doubled == 0
    assert ending.points == (2 * ending.sums[0], ending.sums[1])


def test_the_example_of_the_start_has_its_starter_first() -> None:
    first, *others = map(examples.sum_of, examples.start_grids())
    assert first > max(others)


def test_the_examples_of_doubling_show_every_way_in_which_presets_differ() -> None:
    """Presets that score alike agree in all cases, all others differ in one."""
    scored: dict[str, list[int]] = {name: [] for name in PRESETS}
    for case in examples.doubling():
        for points, presets in case.points:
            for preset in presets:
                scored[preset.name].append(points)
    for one, other in ((a, b) for a in PRESETS.values() for b in PRESETS.values()):
        alike = all(
            getattr(one.rules, flag) == getattr(other.rules, flag)
            for flag in ("tie_doubles", "double_only_positive")
        )
        assert (scored[one.name] == scored[other.name]) == alike


def test_the_terms_stand_in_both_languages(client: Client) -> None:
    html = read(client, "/rules/")
    assert '<td class="nowrap" lang="de">Nachziehstapel</td>' in html
    assert len(rule_words.TERMS) == html.count('lang="de"')


@pytest.mark.parametrize("name", PRESETS)
def test_a_cheat_sheet_follows_its_preset(name: str, client: Client) -> None:
    rules = PRESETS[name].rules
    text = words(read(client, f"/rules/cheat-sheet/?rules={name}"))
    assert f"to {rules.target} or more" in text
    assert ("as few points or fewer" in text) == rules.tie_doubles
    assert ("never double" in text) == rules.double_only_positive
    assert ("Full columns leave once more" in text) == rules.columns
    opened, revealed = text.index("opens the discard pile"), text.index("turns over any two cards")
    assert (opened < revealed) == (rules.open_discard == "before_reveal")
    for flag in ("start_tie", "next_start", "flip_after_discard", "final_tie"):
        assert rule_words.answer(rules, flag) in text


def test_a_cheat_sheet_of_no_preset_is_not_found_and_says_which_there_are(client: Client) -> None:
    response = client.get("/rules/cheat-sheet/?rules=house")
    assert response.status_code == 404
    assert "guide-2026" in words(response.content.decode())


def test_the_score_pad_knows_the_flags_of_every_preset_and_the_bounds_of_a_grid(client: Client) -> None:
    html = unescape(read(client, "/rules/score-pad/"))
    for preset in PRESETS.values():
        assert json.dumps(preset.rules.as_dict()) in html
    assert f'data-fewest="{sum(DECK[:12])}" data-most="{sum(DECK[-12:])}"' in html


def test_the_exact_rules_and_the_rules_for_people_lead_to_each_other(client: Client) -> None:
    assert 'href="/docs/rules/"' in read(client, "/rules/")
    assert '<a href="/rules/">' in read(client, "/docs/rules/")


def test_the_api_tells_every_preset_as_the_engine_has_it(client: Client) -> None:
    found = client.get("/api/v1/presets/").json()
    assert [(one["name"], one["source"], one["summary"]) for one in found] == [
        (preset.name, preset.source, preset.summary) for preset in PRESETS.values()
    ]
    assert [one["rules"] for one in found] == [preset.rules.as_dict() for preset in PRESETS.values()]
