"""What formats say reaches translators, and readers in their language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from django.template import engines
from django.test import Client
from django.utils import translation

from arena import formats
from arena.formats import FORMATS, TEXTS, State, Template, apart
from arena.services import tournaments
from arena.services.tournaments import TournamentError
from arena.tournaments.words import said, words
from tests.arena.formats.events import better_seed_wins, field, leave, play_out
from tests.arena.tournaments import events

FOLDER = Path(formats.__file__).parent


@pytest.fixture
def in_brackets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A language in which everything is said in angle quotes, so that what is not translated stands out."""
    monkeypatch.setattr(translation._trans, "gettext", lambda message: f"«{message}»", raising=False)
    forget_templates()
    yield
    forget_templates()


def forget_templates() -> None:
    """Templates keep what they have once said in a language."""
    for loader in engines["django"].engine.template_loaders:  # type: ignore[attr-defined]
        loader.reset()


def states() -> Iterator[State]:
    """A state of each format, with somebody who has left."""
    for name, format in FORMATS.items():
        entries = field(9)
        settings = {"third_place": True} if name == "single-elimination" else {}
        gone = leave(entries, entries[-1].id, 1)
        yield play_out(format, gone, settings, better_seed_wins(entries))[0]


def texts_of_formats() -> set[str]:
    """Every text, or the template of every text, that a format gives to a page."""
    found = {*TEXTS.values(), *(template.text for template in Template.known)}
    for format in FORMATS.values():
        found |= {format.title, format.summary}
        for setting in format.settings:
            found |= {setting.title, setting.explanation, *(label for _, label in setting.choices)}
    for state in states():
        for part in state.parts:
            found |= {apart(title)[0] for title in (part.title, *(round.title for round in part.rounds))}
        for criterion in (*state.criteria, *(one for part in state.parts for one in part.criteria)):
            found |= {criterion.title, criterion.explanation}
        names = [criterion.name for criterion in state.criteria]
        if "reached" in names:
            index = names.index("reached")
            found |= {apart(str(row.values[index]))[0] for row in state.standings}
        notes = [note for round in state.rounds for pairing in round.pairings for note in pairing.notes]
        found |= {str(note.facts["why"]) for note in notes if "why" in note.facts}
    return found - {""}


def test_every_text_of_the_formats_is_marked_for_translators() -> None:
    marked = {
        node.args[0].value
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "gettext_noop"
        and isinstance(node.args[0], ast.Constant)
    }
    assert texts_of_formats() - marked == set()


@pytest.mark.parametrize("template", Template.known, ids=lambda template: template.text[:30])
def test_a_text_that_a_template_made_is_taken_apart_again(template: Template) -> None:
    names = re.findall(r"{(\w+)}", template.text)
    facts = {name: str(number) for number, name in enumerate(names, start=7)}
    assert apart(template(**facts)) == (template.text, facts)


def test_other_texts_are_left_whole() -> None:
    for text in ("Final", "Grand final, second match", ""):
        assert apart(text) == (text, {})


@pytest.mark.usefixtures("in_brackets")
def test_titles_sentences_and_notes_are_translated_with_their_facts() -> None:
    assert words("Round 3") == "«Round 3»"
    assert words("Round of 16") == "«Round of 16»"
    assert words("Deals a pairing: must be true or false, not 3.") == (
        "««Deals a pairing»: must be true or false, not 3.»"
    )
    facts = {"winner": "Ada", "loser": "Bob", "why": "has withdrawn"}
    assert said({"code": "forfeit", "facts": facts}) == "«Ada won by forfeit: Bob «has withdrawn».»"


@pytest.mark.django_db
@pytest.mark.database
@pytest.mark.usefixtures("in_brackets")
@pytest.mark.parametrize("format", FORMATS)
def test_an_event_is_read_in_the_readers_language(client: Client, format: str) -> None:
    tournament = events.play_out(events.make_event(format, 6))
    html = unescape(client.get(f"/tournaments/{tournament.pk}/").content.decode())
    shown = FORMATS[format]
    parts = tournament.snapshot["parts"]
    titles = [shown.title, shown.summary, *(part["title"] for part in parts if len(parts) > 1)]
    titles += [setting.explanation for setting in shown.settings]
    titles += [criterion["title"] for criterion in tournament.snapshot["criteria"][:1]]
    assert [title for title in titles if f"«{title}»" not in html] == []
    form = unescape(client.get("/tournaments/new/").content.decode())
    assert f"«{shown.title}»" in form
    assert f"«{shown.summary}»" in form
    assert "«Extra deals and withdrawals are left out.»" in form


@pytest.mark.django_db
@pytest.mark.database
@pytest.mark.usefixtures("in_brackets")
def test_refusals_of_a_format_are_read_in_the_readers_language() -> None:
    with pytest.raises(TournamentError) as error:
        tournaments.preview(format="swiss", settings={"deals": 0}, n_entries=8)
    assert error.value.sentence.startswith("««Deals a pairing»: must be a whole number")
    with pytest.raises(TournamentError) as error:
        tournaments.preview(format="swiss", settings={}, n_entries=1)
    assert error.value.sentence.startswith("««Swiss for two seats»: from 3 to 128 entries")
