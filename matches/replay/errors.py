"""What can be wrong with a replay, in one sentence."""

from __future__ import annotations


class ReplayError(Exception):
    """A replay that is no replay, was altered, or does not come out as it says.

    The text is one sentence for people. `round` and `turn` count as in the rules (turn 0: the reveal),
    `decision` counts from 0 over the whole game; each is None where no such place is to blame.
    """

    def __init__(
        self,
        text: str,
        *,
        round: int | None = None,
        turn: int | None = None,
        decision: int | None = None,
    ) -> None:
        where = [
            f"{name} {value}"
            for name, value in (("round", round), ("turn", turn), ("decision", decision))
            if value is not None
        ]
        super().__init__(f"{', '.join(where)}: {text}" if where else text)
        self.round = round
        self.turn = turn
        self.decision = decision
