"""Why things are as they are, in sentences.

A note is a code with facts and the English sentence made of them. `TEXTS` has one template a code, so that pages can
translate the template and fill in the facts anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .words import gettext_noop

TEXTS: Final = {
    # How a pairing was decided.
    "won": gettext_noop("{winner} won {share} of {games} games against {loser}."),
    "won_after_extra": gettext_noop(
        "{winner} won {share} of {games} games against {loser}, extra deals included."
    ),
    "level": gettext_noop("{one} and {two} each won half of {games} games."),
    "pod": gettext_noop("{ranking}"),
    "mean_points": gettext_noop(
        "Still level after the extra deals; {winner} had fewer mean points, {fewer} against {more}."
    ),
    "faults": gettext_noop(
        "Still level in games and mean points; {winner} had fewer faults, {fewer} against {more}."
    ),
    "lot": gettext_noop(
        "Still level in games, mean points and faults; the lot fell on {winner} (seed {seed}, purpose {purpose})."
    ),
    "forfeit": gettext_noop("{winner} won by forfeit: {loser} {why}."),
    "pod_forfeit": gettext_noop("{loser} {why} and counts as beaten by everybody who played."),
    "double_forfeit": gettext_noop("Double forfeit of {one} and {two}."),
    "nobody_left": gettext_noop("Double forfeit: {one} and {two} have both left, so nobody goes on."),
    "goes_on": gettext_noop("{winner} goes on: of those who have not left it is the better seed."),
    "bye": gettext_noop("{name} has a bye to the next round."),
    "walk_over": gettext_noop("{name} goes on: nobody comes out of the other pairing."),
    "left_before": gettext_noop("{name} {why} and nobody came to meet it."),
    "empty": gettext_noop("Nobody comes to this pairing."),
    "annulled": gettext_noop(
        "{name} {why} before it had played half of its matches, so this result does not count."
    ),
    "reset": gettext_noop("{name} had not lost before and has one more match."),
    "no_reset": gettext_noop("The final was decided without a second match."),
    # How a round was drawn.
    "bye_lowest": gettext_noop("{name} has the bye: the fewest points of all who have had none yet."),
    "bye_again": gettext_noop("{name} has a bye once more: everybody has had as many already."),
    "float": gettext_noop("{one} ({more}) meets {two} ({fewer}): not everybody can meet an equal in points."),
    "rematch": gettext_noop("{one} and {two} meet once more."),
    "rematches": gettext_noop(
        "Pairings of this round that have been played before: {n}. No draw with fewer was possible."
    ),
    "repeats": gettext_noop(
        "Pairs of this round that have sat at one table before: {n}. The search found no draw with fewer."
    ),
    "too_few": gettext_noop("The event ends after {rounds} rounds: fewer than two entries are left."),
    "free": gettext_noop("{name} has no opponent in this round."),
    # What standings say.
    "tied_extra": gettext_noop("{names} are level in every tie-break and play extra deals."),
    "tied_lot": gettext_noop(
        "{names} are level in every tie-break, so a lot decides: seed {seed}, purpose {purpose}, the smallest "
        "wins."
    ),
    "left": gettext_noop("{name} {why}."),
    "left_annulled": gettext_noop(
        "{name} {why} before it had played half of its matches; its results do not count."
    ),
    "finished": gettext_noop("{name} has won."),
    "no_winner": gettext_noop("Nobody has won."),
    # Results that no longer answer anything.
    "unknown_match": gettext_noop(
        "The match {match} belongs to no pairing of the rounds that are drawn now."
    ),
    "other_entries": gettext_noop("The match {match} is now between {names}."),
    "waits": gettext_noop("It is not known yet who will play the match {match}."),
    "not_needed": gettext_noop("The match {match} is not needed any more."),
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
