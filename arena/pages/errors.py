"""The pages for what goes wrong: one sentence that says what happened, and a way on.

An error of ours (500) and an outage (503) must not need what may just have failed: their pages know neither user nor
database. Under /api/ the API's one shape of an error answers instead.
"""

from __future__ import annotations

import sys

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.api import errors as api
from arena.outages import outage


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if api.is_api(request):
        return api.bad_request(request, exception)
    if isinstance(exception, BadRequest) and exception.args:
        sentence = str(exception)
    elif isinstance(exception, RequestDataTooBig):
        sentence = _("The form is too big. Code may have 1 MiB.")
    elif isinstance(exception, MultiPartParserError):
        sentence = _("The form arrived broken; please send it again.")
    else:
        sentence = _("The server could not make sense of this request.")
    return render(request, "400.html", {"sentence": sentence}, status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    is_ours = isinstance(exception, PermissionDenied) and exception.args
    sentence = str(exception) if is_ours else _("This page is not for you.")
    return render(request, "403.html", {"sentence": sentence}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if api.is_api(request):
        return api.not_found(request)
    # Django's own texts name models and patterns; only what a page of ours says is for people.
    is_ours = isinstance(exception, NotThere)
    sentence = str(exception) if is_ours else _("There is nothing at this address.")
    return render(request, "404.html", {"sentence": sentence}, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """What Django answers while it handles an exception that nobody else has; it logs that itself."""
    found = outage(sys.exc_info()[1])
    if api.is_api(request):
        return api.unavailable(found) if found else api.server_error(request)
    if found is None:
        return render(None, "500.html", status=500)
    response = render(None, "503.html", {"sentence": _(found.sentence)}, status=503)
    response["Retry-After"] = str(found.retry_after_s)
    return response


class NotThere(Http404):
    """A thing that does not exist, or that this person may not know of; the text is for people."""
