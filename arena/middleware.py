"""What every request gets: an id that its log lines carry, one line when it is answered, a look at its length, and a
body only if it wants one."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _

from arena import logs

logger = logging.getLogger("arena.requests")

HEADER = "X-Request-ID"
_PROXYS_ID = re.compile(r"[A-Za-z0-9._-]{8,64}", re.ASCII)
# Asked every few seconds by machines.
PROBES = {"/healthz", "/readyz", "/metrics"}
# Their addresses may hold what lets somebody in, such as the key of a forgotten password.
SECRETIVE = "/accounts/"


class RequestIds:
    """Gives each request an id: the one that our proxy sent as X-Request-ID, or a new one; the answer names it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.headers.get(HEADER, "") if settings.PROXY_COUNT else ""
        request_id = sent if _PROXYS_ID.fullmatch(sent) else uuid.uuid4().hex
        request.log_id = request_id  # type: ignore[attr-defined]
        began = time.monotonic()
        with logs.about(request=request_id):
            response = self.get_response(request)
            response.headers[HEADER] = request_id
            if request.path not in PROBES:
                took_ms = round((time.monotonic() - began) * 1000)
                logger.info(
                    "%s %s: %d, %d ms", request.method, _address(request), response.status_code, took_ms
                )
        return response


def headers_alone(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """A HEAD gets the headers of the GET and no body: the web server would drop it, with a warning each time."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.method == "HEAD":
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = []
            elif isinstance(response, HttpResponse):
                response.content = b""
        return response

    return answer


def refuse_streams(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Refuses a body in chunks, whose length nobody told: it would be taken for none, its fields for missing."""

    def answer(request: HttpRequest) -> HttpResponse:
        if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
            raise NoLength(
                _("Send the body with its length, as Content-Length: a body in chunks is not read.")
            )
        return get_response(request)

    return answer


class NoLength(BadRequest):
    """A request whose body has no length; the text is for people."""


def _address(request: HttpRequest) -> str:
    """The path without its query; of an address that may hold a secret, the pattern it matches."""
    if not request.path.startswith(SECRETIVE):
        return ascii(request.path)[1:-1]
    return f"/{request.resolver_match.route}" if request.resolver_match else f"{SECRETIVE}…"
