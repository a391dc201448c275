"""Why something cannot be done to an event."""

from __future__ import annotations

from collections.abc import Mapping

from bots.errors import Refusal


class TournamentError(Refusal):
    """A step of an event, or its terms, that are refused.

    `fields` has a sentence for each that is to blame; settings of a format are called `settings.<name>`.
    """

    def __init__(
        self, code: str, sentence: str, field: str | None = None, fields: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(code, sentence, field)
        self.fields = dict(fields) if fields else ({field: sentence} if field else {})
