"""All formats by name. A new one is registered here and nowhere else."""

from __future__ import annotations

from .base import Format
from .elimination import DoubleElimination, SingleElimination
from .errors import FormatError
from .groups import GroupsThenKnockout
from .pods import Pods
from .round_robin import RoundRobin
from .swiss import Swiss
from .words import Template, gettext_noop

NO_FORMAT = Template(gettext_noop("There is no format {name}; there are {known}."))

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        SingleElimination(),
        DoubleElimination(),
        Swiss(),
        Pods(),
        RoundRobin(),
        GroupsThenKnockout(),
    )
}


def format_named(name: str) -> Format:
    """Raises `FormatError` for a name that no format has."""
    if name not in FORMATS:
        raise FormatError(NO_FORMAT(name=repr(name), known=", ".join(FORMATS)))
    return FORMATS[name]
