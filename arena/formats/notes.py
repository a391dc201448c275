"""Why things are as they are, in sentences.

A note is a code with facts and the English sentence made of them. `TEXTS` has one template a code, so that pages can
translate the template and fill in the facts anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

TEXTS: Final = {
    # How a pairing was decided.
    "won": "{winner} won {share} of {games} games against {loser}.",
    "won_after_extra": "{winner} won {share} of {games} games against {loser}, extra deals included.",
    "level": "{one} and {two} each won half of {games} games.",
    "pod": "{ranking}",
    "mean_points": "Still level after the extra deals; {winner} had fewer mean points, {fewer} against {more}.",
    "faults": "Still level in games and mean points; {winner} had fewer faults, {fewer} against {more}.",
    "lot": "Still level in games, mean points and faults; the lot fell on {winner} (seed {seed}, purpose {purpose}).",
    "forfeit": "{winner} won by forfeit: {loser} {why}.",
    "pod_forfeit": "{loser} {why} and counts as beaten by everybody who played.",
    "double_forfeit": "Double forfeit of {one} and {two}.",
    "nobody_left": "Double forfeit: {one} and {two} have both left, so nobody goes on.",
    "goes_on": "{winner} goes on: of those who have not left it is the better seed.",
    "bye": "{name} has a bye to the next round.",
    "walk_over": "{name} goes on: nobody comes out of the other pairing.",
    "left_before": "{name} {why} and nobody came to meet it.",
    "empty": "Nobody comes to this pairing.",
    "annulled": "{name} {why} before it had played half of its matches, so this result does not count.",
    "reset": "{name} had not lost before and has one more match.",
    "no_reset": "The final was decided without a second match.",
    # How a round was drawn.
    "bye_lowest": "{name} has the bye: the fewest points of all who have had none yet.",
    "bye_again": "{name} has a bye once more: everybody has had as many already.",
    "float": "{one} ({more}) meets {two} ({fewer}): not everybody can meet an equal in points.",
    "rematch": "{one} and {two} meet once more.",
    "rematches": "Pairings of this round that have been played before: {n}. No draw with fewer was possible.",
    "repeats": "Pairs of this round that have sat at one table before: {n}. The search found no draw with fewer.",
    "too_few": "The event ends after {rounds} rounds: fewer than two entries are left.",
    "free": "{name} has no opponent in this round.",
    # What standings say.
    "tied_extra": "{names} are level in every tie-break and play extra deals.",
    "tied_lot": "{names} are level in every tie-break, so a lot decides: seed {seed}, purpose {purpose}, the smallest "
    "wins.",
    "left": "{name} {why}.",
    "left_annulled": "{name} {why} before it had played half of its matches; its results do not count.",
    "finished": "{name} has won.",
    "no_winner": "Nobody has won.",
    # Results that no longer answer anything.
    "unknown_match": "The match {match} belongs to no pairing of the rounds that are drawn now.",
    "other_entries": "The match {match} is now between {names}.",
    "waits": "It is not known yet who will play the match {match}.",
    "not_needed": "The match {match} is not needed any more.",
}

Fact = str | int | float


@dataclass(frozen=True, slots=True)
class Note:
    """`text` is `TEXTS[code]` filled in with `facts`."""

    code: str
    facts: dict[str, Fact]
    text: str


def note(code: str, **facts: Fact) -> Note:
    return Note(code, facts, TEXTS[code].format(**facts))


def listed(names: Sequence[str]) -> str:
    """ "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def figure(value: float) -> str:
    """A number as it is read: at most two decimals, none that are not needed."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
