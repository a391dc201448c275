"""The texts of formats: marked for translators, and templates for those that name something.

This core translates nothing itself. What it says is English; pages find the template of a text again and fill in the
translated one.
"""

from __future__ import annotations

import re
from typing import ClassVar


def gettext_noop(text: str) -> str:
    """Marks a text for translators: `makemessages` collects what is given to a function of this name."""
    return text


class Template:
    """A text with named gaps. Titles and sentences are made by templates alone, so that each can be taken apart."""

    known: ClassVar[list[Template]] = []

    def __init__(self, text: str) -> None:
        self.text = text
        parts = re.split(r"\{(\w+)\}", text)
        pattern = "".join(
            f"(?P<{part}>.+?)" if index % 2 else re.escape(part) for index, part in enumerate(parts)
        )
        self.pattern = re.compile(pattern, re.DOTALL)
        Template.known.append(self)
        # The longest first: "Round of 16" is no round of the name "of 16".
        Template.known.sort(key=lambda one: -len(one.text))

    def __call__(self, **facts: object) -> str:
        return self.text.format(**facts)


def apart(text: str) -> tuple[str, dict[str, str]]:
    """The template that a text was made by and its facts; of any other text itself and none."""
    for template in Template.known:
        if found := template.pattern.fullmatch(text):
            return template.text, found.groupdict()
    return text, {}


ROUND = Template(gettext_noop("Round {n}"))
