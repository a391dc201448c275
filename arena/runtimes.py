"""Which runtimes are offered: those that workers have. What no worker has, it says why, and nobody can submit it."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _

from arena.pulse import missing_runtimes
from bots.sandbox.runtimes import RUNTIMES
from bots.words import runtime_name


def offered() -> list[str]:
    """The runtimes that one may submit for."""
    lacking = missing_runtimes()
    return [runtime for runtime in RUNTIMES if runtime not in lacking]


def missing() -> list[tuple[str, str]]:
    """The others, each with the reason."""
    return list(missing_runtimes().items())


def not_offered(runtime: str, lacking: Mapping[str, str] | None = None) -> str:
    """Why one may not submit for it, in words."""
    if why := (missing_runtimes() if lacking is None else lacking).get(runtime):
        return _("%(runtime)s is not to be had here: %(why)s") % {
            "runtime": runtime_name(runtime),
            "why": why,
        }
    return _("There is no runtime of this name; there are: %(names)s.") % {"names": ", ".join(RUNTIMES)}
