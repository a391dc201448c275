"""The one shape of every error of the API: `{"error": {"code", "message", "fields"?}}`.

`code` is for programs, `message` one sentence for people, `fields` says which parts of the request are to
blame, each with its sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, JsonResponse
from django.urls import resolve, reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from arena.middleware import NoLength
from arena.outages import Outage
from bots.errors import Refusal


class Refused(exceptions.APIException):
    """A request that one of our rules forbids: `code` and, where one is to blame, the request's field."""

    def __init__(self, code: str, message: str, *, field: str = "", status: int = 400) -> None:
        super().__init__(message, code)
        self.status_code = status
        self.field = field


@contextmanager
def refusing(**fields: str) -> Iterator[None]:
    """What a service refuses, as the API's error; `fields`: what the request calls a field of the service's, where it
    has another name."""
    try:
        yield
    except Refusal as refusal:
        field = refusal.field or ""
        raise Refused(
            refusal.code,
            refusal.sentence,
            field=fields.get(field, field),
            status=403 if refusal.code == "forbidden" else 400,
        ) from None


def error_body(code: str, message: str, fields: dict[str, list[str]] | None = None) -> dict[str, Any]:
    body: dict[str, Any] = {"code": code, "message": _sendable(message)}
    if fields:
        body["fields"] = {_sendable(name): [_sendable(one) for one in each] for name, each in fields.items()}
    return {"error": body}


def _sendable(text: str) -> str:
    """JSON lets half a surrogate pair in, and a sentence may quote it; no encoding lets it out."""
    return text.encode(errors="backslashreplace").decode()


def error_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: None lets Django answer, which logs the error and calls `server_error`."""
    if isinstance(error, RequestDataTooBig):
        error = too_big()
    elif isinstance(error, SuspiciousOperation):
        error = Refused("bad_request", _("The server could not make sense of this request."))
    elif isinstance(error, Http404):
        error = exceptions.NotFound(_("There is nothing at this address."))
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    elif isinstance(error, exceptions.NotAuthenticated):
        error.detail = exceptions.ErrorDetail(
            _("This needs a token: make one on your account page, and send it as “Authorization: Token …”.")
        )
    if not isinstance(error, exceptions.APIException):
        return None
    set_rollback()
    headers = {}
    if header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(int(wait))
    return Response(_body_of(error), status=error.status_code, headers=headers)


def _body_of(error: exceptions.APIException) -> dict[str, Any]:
    if isinstance(error, Refused):
        message = str(error.detail)
        return error_body(str(error.get_codes()), message, {error.field: [message]} if error.field else None)
    if isinstance(error, exceptions.ValidationError):
        fields = _flat(error.detail)
        name, sentences = next(iter(fields.items()))
        return error_body("invalid", f"{name}: {sentences[0]}", fields)
    return error_body(error.default_code, str(error.detail))


def _flat(detail: Any) -> dict[str, list[str]]:
    if isinstance(detail, dict):
        return {
            str(name): [str(one) for one in (value if isinstance(value, list) else [value])]
            for name, value in detail.items()
        }
    return {"request": [str(one) for one in (detail if isinstance(detail, list) else [detail])]}


def too_big() -> Refused:
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // (1024 * 1024)
    return Refused(
        "too_big",
        _("The request's body has more than %(limit)d MiB: that is the most that is taken.")
        % {"limit": limit},
        status=413,
    )


def is_api(request: HttpRequest) -> bool:
    """Whether an error of this request is the API's to answer."""
    return request.path_info.startswith("/api/")


def bad_request(request: HttpRequest, error: Exception) -> JsonResponse:
    """What Django itself refuses, before or after a view."""
    refused = (
        too_big()
        if isinstance(error, RequestDataTooBig)
        else Refused("no_length", str(error))
        if isinstance(error, NoLength)
        else Refused("bad_request", _("The server could not make sense of this request."))
    )
    return JsonResponse(_body_of(refused), status=refused.status_code)


def server_error(request: HttpRequest) -> JsonResponse:
    """An error of ours; nothing is said of it that could tell what it was."""
    message = _("Something broke on our side. It is logged; please try again later.")
    return JsonResponse(error_body("server_error", message), status=500)


def unavailable(found: Outage) -> JsonResponse:
    """Database or disk are out: nothing is wrong with the request, which may be sent again."""
    response = JsonResponse(error_body(found.code, _(found.sentence)), status=503)
    response["Retry-After"] = str(found.retry_after_s)
    return response


@csrf_exempt  # nothing is changed, and the answer is to be of the API's shape
def not_found(request: HttpRequest, path: str = "") -> JsonResponse:
    """For addresses under the API that no view has."""
    slashed = f"{request.path_info}/"
    if path and resolve(slashed).func is not not_found:
        message = _("The addresses of the API end with a slash: %(address)s") % {"address": slashed}
    else:
        message = _("There is nothing at this address of the API; %(address)s shows what there is.") % {
            "address": reverse("api-docs")
        }
    return JsonResponse(error_body("not_found", message), status=404)
