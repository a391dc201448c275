"""What the form of a trial offers."""

from django.utils.translation import gettext_lazy

QUESTIONS = {
    "better": (0.0, 10.0, gettext_lazy("Is it better? (bounds 0 and 10)")),
    "quick": (0.0, 20.0, gettext_lazy("Is it clearly better? Quicker (bounds 0 and 20)")),
    "no worse": (-10.0, 0.0, gettext_lazy("Is it no worse? For a simpler version (bounds −10 and 0)")),
}
"""By name: the bounds in normalised Elo, and the words."""

PAIRS = (200, 1000, 5000, 20_000)
"""Where a trial ends undecided."""
