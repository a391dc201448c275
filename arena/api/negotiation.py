"""What an answer looks like, and what a request may ask about an address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.metadata import BaseMetadata
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

if TYPE_CHECKING:
    from rest_framework.views import APIView


class AlwaysJson(DefaultContentNegotiation):
    """Where nothing that `Accept` asks for is to be had, the answer is JSON all the same: better than a 406."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        try:
            return super().select_renderer(request, renderers, format_suffix)
        except NotAcceptable:
            first = next(iter(renderers))
            return first, first.media_type or ""


class Methods(BaseMetadata):
    """What OPTIONS answers: the methods, as in `Allow`. The OpenAPI document says the rest."""

    def determine_metadata(self, request: Request, view: APIView) -> dict[str, Any]:
        return {"methods": view.allowed_methods}
