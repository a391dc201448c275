"""What formats say, in the reader's language: `arena.formats` knows English alone."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from arena.formats import TEXTS, apart


def words(text: str) -> str:
    """A title, an explanation, a sentence or a value of a format."""
    template, facts = apart(text)
    if not facts:
        return gettext(text) if text else ""
    # A setting's title is the only fact that is itself a text of a format.
    told = {name: gettext(fact) if name == "title" else fact for name, fact in facts.items()}
    return gettext(template).format(**told)


def said(note: dict[str, Any]) -> str:
    """A note of a state, as `as_json` writes it."""
    facts = note["facts"]
    if "why" in facts:
        facts = {**facts, "why": gettext(facts["why"])}
    return gettext(TEXTS[note["code"]]).format(**facts)
