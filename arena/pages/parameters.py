"""Reading what stands after the `?`: a value that cannot be is a 400 that says which one and why."""

from __future__ import annotations

from collections.abc import Collection

from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.utils.translation import gettext as _

from bots.models import is_name


def typed(request: HttpRequest, name: str) -> str:
    """What somebody typed to be looked for; what cannot be shown again is a sign of its own, which no name has."""
    return "".join(char if char.isprintable() else "\ufffd" for char in request.GET.get(name, "").strip())


def number(request: HttpRequest, name: str) -> int | None:
    """A whole number from 0, or None where the parameter is absent or empty."""
    text = request.GET.get(name, "")
    if text == "":
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise BadRequest(
            _("The parameter “%(name)s” must be a whole number of at most 18 digits.") % {"name": name}
        )
    return int(text)


def choice(request: HttpRequest, name: str, choices: Collection[str]) -> str | None:
    """One of `choices`, or None where the parameter is absent or empty."""
    text = request.GET.get(name, "")
    if text == "":
        return None
    if text not in choices:
        raise BadRequest(
            _("The parameter “%(name)s” must be one of: %(choices)s.")
            % {"name": name, "choices": ", ".join(choices)}
        )
    return text


def bot_name(request: HttpRequest, name: str) -> str | None:
    """Something that a bot may be called, or None where the parameter is absent or empty."""
    text = request.GET.get(name, "")
    if text == "":
        return None
    if not is_name(text):
        raise BadRequest(_("The parameter “%(name)s” must be the name of a bot.") % {"name": name})
    return text
