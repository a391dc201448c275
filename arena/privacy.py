"""What others may keep of an answer that was meant for one person: nothing."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers


def keep_personal_answers(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """A middleware: no cache keeps an answer to somebody who has said who they are, by cookie or token, unless the view
    has decided otherwise; and no cache gives one person's answer to another."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_personal = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        if is_personal and not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_store=True)
        patch_vary_headers(response, ["Cookie", "Authorization"])
        return response

    return middleware
