"""Query parameters that would be ignored are refused: with a misspelt filter, a list would be another one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.mixins import ListModelMixin
from rest_framework.views import APIView

from arena.api.errors import error_body

# What asks for headers alone is answered as what asks for the body too.
HANDLERS = {"GET": "get", "HEAD": "get", "POST": "post"}


class KnownParameters:
    """Middleware that answers 400 for a parameter that the OpenAPI document does not have there, or that is given
    twice: none of ours takes several values, and one of them would be dropped."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        if not request.META.get("QUERY_STRING"):
            return None
        of, handler = getattr(view, "cls", None), HANDLERS.get(request.method or "")
        known = known_parameters(of, handler) if of and handler else None
        if known is None:
            return None
        if unknown := [name for name in request.GET if name not in known]:
            has = (
                _("It has: %(names)s.") % {"names": ", ".join(sorted(known))} if known else _("It has none.")
            )
            sentence = _("This address has no parameter “%(name)s”. %(has)s")
            return _refusal(
                "unknown_parameter", {name: sentence % {"name": name, "has": has} for name in unknown}
            )
        if repeated := [name for name, values in request.GET.lists() if len(values) > 1]:
            sentence = _("Give the parameter “%(name)s” once: only one value can be asked for.")
            return _refusal("repeated_parameter", {name: sentence % {"name": name} for name in repeated})
        return None


def _refusal(code: str, sentences: dict[str, str]) -> JsonResponse:
    """`sentences` are by the parameters that are to blame."""
    fields = {name: [sentence] for name, sentence in sentences.items()}
    return JsonResponse(error_body(code, next(iter(sentences.values())), fields), status=400)


@cache
def known_parameters(of: type[APIView], handler: str) -> frozenset[str] | None:
    """What the OpenAPI document has for this method of a view; None where it says nothing, or there is none."""
    if not hasattr(of, handler):
        return None
    # As the framework prepares both for the document.
    view: Any = of()
    view.request, view.kwargs = None, {}
    schema: Any = getattr(getattr(of, handler), "kwargs", {}).get("schema", type(of.schema))()
    schema.view, schema.method = view, handler.upper()
    if schema.is_excluded():
        return None
    names = {
        each.name for each in schema.get_override_parameters() if each.location == OpenApiParameter.QUERY
    }
    if handler == "get" and issubclass(of, ListModelMixin) and view.paginator is not None:
        names |= {each["name"] for each in view.paginator.get_schema_operation_parameters(view)}
    return frozenset(names)
