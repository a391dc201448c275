"""What a service refuses to do, for programs and for people."""

from __future__ import annotations


class Refusal(Exception):
    """`code` for programs, `sentence` (translated) for people, `field` of the form if it is one's.

    The code `forbidden` says that it is not this person's to do.
    """

    def __init__(self, code: str, sentence: str, field: str | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.field = field


class SubmissionError(Refusal):
    """An upload, or a change of what plays, that is refused."""
