"""What ends a command early, in one sentence."""

from __future__ import annotations

from typing import Final

NO: Final = 1
WRONG: Final = 2
TROUBLE: Final = 3
INTERRUPTED: Final = 130


class Problem(Exception):
    """`sentence` is for the person at the terminal: what happened, where, what to do. `status` is the exit status."""

    def __init__(self, sentence: str, status: int = WRONG) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status
