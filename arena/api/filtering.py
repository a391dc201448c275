"""What parameters narrow lists by, and whom an address or a parameter names."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import generics
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from arena.api.errors import Refused
from arena.api.fields import MAX_ID
from arena.models import Ladder
from arena.selectors.bots import bots_named
from arena.selectors.leaderboard import every_ladder
from bots.models import Bot, is_name


def text_parameter(name: str, description: str, enum: list[str] | None = None) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.STR, description=description, enum=enum)


BOT = text_parameter("bot", "Only those of the bot of this name.")
ID = {"type": "integer", "minimum": 0, "maximum": MAX_ID}
LADDER = text_parameter("ladder", "Only those of the ladder with this slug.")


class Filtered(generics.GenericAPIView[Any]):
    """Query parameters that narrow a list; a value that cannot be is refused with what can."""

    def choice(self, name: str, choices: list[str]) -> str | None:
        value = self.request.query_params.get(name)
        if value is not None and value not in choices:
            raise ValidationError({name: [_("One of: %(choices)s.") % {"choices": ", ".join(choices)}]})
        return value

    def bot(self, field: str = "bot") -> Bot | None:
        name = self.request.query_params.get(field)
        if name is None:
            return None
        bot = visible_bot(self.request, name)
        if bot is None:
            raise Refused("unknown_bot", _("There is no bot of this name."), field=field)
        return bot

    def ladder(self) -> Ladder | None:
        slug = self.request.query_params.get("ladder")
        if slug is None:
            return None
        ladders = {ladder.slug: ladder for ladder in every_ladder()}
        if slug not in ladders:
            message = _("There is no such ladder; there are: %(slugs)s.") % {"slugs": ", ".join(ladders)}
            raise Refused("unknown_ladder", message, field="ladder")
        return ladders[slug]

    def number(self, name: str) -> int | None:
        text = self.request.query_params.get(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdigit() and int(text[:18]) <= MAX_ID and len(text) <= 18):
            raise ValidationError({name: [_("A whole number.")]})
        return int(text)


def visible_bot(request: Request, name: str) -> Bot | None:
    # The characters are checked first: a NUL would reach PostgreSQL as an error of ours.
    if not is_name(name):
        return None
    return bots_named([name], request.user).get(name.lower())
