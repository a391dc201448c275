"""Sentences for the codes of the arena's pure cores."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from arena.pairing.first import Reason

PAIRING = {
    Reason.SMOKE_TEST: gettext_noop(
        "The first match of %(version)s is against the bot that plays at random."
    ),
    Reason.PLACEMENT: gettext_noop(
        "%(version)s is new, and is being placed by opponents who tell most about it."
    ),
    Reason.LEAST_CERTAIN: gettext_noop("The rating of %(version)s was the least certain."),
    Reason.FEWEST_MATCHES: gettext_noop("%(version)s had played the fewest matches."),
    Reason.CONTENDER: gettext_noop("%(version)s may be the best."),
    Reason.UNIFORM: gettext_noop("%(version)s was drawn by lot, as any version may be."),
}


def pairing(reason: str, made_for: object) -> str:
    """Why a match of a ladder was made, for the version that is called so; nothing where pairing did not make it."""
    if not reason or made_for is None:
        return ""
    return _(PAIRING[Reason(reason)]) % {"version": made_for}
