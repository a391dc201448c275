"""Whether a stored game still comes out as its rows say, by playing its replay again."""

from __future__ import annotations

from matches.engine.deal import commitment
from matches.engine.rules import rules_from
from matches.models import Game
from matches.replay import ReplayError, verify


def difference_of(game: Game) -> str:
    """The first thing that comes out otherwise than it is stored, as a sentence; empty if nothing does.

    Everything that was reckoned from the game is compared: hash, seed, deal and rules, rounds and decisions, and of
    each seat its version, total, placing and fault. A forfeit has no replay: ValueError.
    """
    if game.is_forfeit:
        raise ValueError(f"{game} was forfeited: there is nothing to play again")
    try:
        played = verify(bytes(game.replay))
    except ReplayError as error:
        return str(error)
    core, match, seats = played.core, game.match, list(game.seats.select_related("version"))
    faults = {fault.seat: fault.kind for fault in core.faults}
    compared: dict[str, tuple[object, object]] = {
        "core_sha256": (played.core_sha256, game.core_sha256),
        "the commitment to the seed": (commitment(core.seed), match.commitment),
        "deal": (core.deal, game.deal),
        "rules": (core.rules, rules_from(match.preset)),
        "rounds": (played.n_rounds, game.n_rounds),
        "decisions": (len(core.decisions), game.n_decisions),
        "versions": (core.seats, tuple(seat.version.sha256 for seat in seats)),
        "totals": (played.totals, tuple(seat.total for seat in seats)),
        "placing": (played.placing, tuple(seat.placing for seat in seats)),
        "faults": (
            tuple(faults.get(seat.seat, "") for seat in seats),
            tuple(seat.fault for seat in seats),
        ),
    }
    for name, (ours, stored) in compared.items():
        if ours != stored:
            return f"{name}: {stored} is stored, played again it is {ours}"
    return ""
