"""Why something cannot be done to an event."""

from __future__ import annotations

from collections.abc import Mapping


class TournamentError(Exception):
    """A refusal: `code` for programs, `sentence` (translated) for people, `field` of the form if it is one's.

    `fields` has a sentence for each that is to blame; settings of a format are called `settings.<name>`.
    """

    def __init__(
        self, code: str, sentence: str, field: str | None = None, fields: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.field = field
        self.fields = dict(fields) if fields else ({field: sentence} if field else {})
