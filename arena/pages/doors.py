"""Which methods a page takes, and what each refuses with a page of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from bots.errors import Refusal


class MemberRequest(HttpRequest):
    """A request behind `login_required`: its user has an account."""

    user: User


def refuse(request: HttpRequest, refusal: Refusal) -> None:
    """Say on the next page why a service did not do it. Raises PermissionDenied for what is not this person's to do."""
    if refusal.code == "forbidden":
        raise PermissionDenied(refusal.sentence) from refusal
    messages.error(request, refusal.sentence)


View = Callable[..., HttpResponseBase]

FORM_TYPES = {"application/x-www-form-urlencoded", "multipart/form-data"}


def methods(*allowed: str) -> Callable[[View], View]:
    """The view answers these methods (HEAD wherever GET) and 405 with a page to all others; a POST must bring a
    form, another content type is a 400."""
    names = [*allowed, "HEAD"] if "GET" in allowed else list(allowed)

    def decorate(view: View) -> View:
        @wraps(view)
        def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method not in names:
                response = render(request, "405.html", {"methods": ", ".join(allowed)}, status=405)
                response["Allow"] = ", ".join(names)
                return response
            if request.method == "POST" and request.content_type not in FORM_TYPES:
                raise BadRequest(
                    _("This address takes a form, not %(type)s. Programs use the API.")
                    % {"type": request.content_type or _("a request without a content type")}
                )
            return view(request, *args, **kwargs)

        return inner

    return decorate
