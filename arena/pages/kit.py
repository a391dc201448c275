"""The kit as a download."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition

from arena.kit import kit_for
from arena.pages.doors import methods


@methods("GET")
@cache_control(public=True, no_cache=True)
@condition(etag_func=lambda request: f'"{kit_for(request).sha256}"')
def download(request: HttpRequest) -> HttpResponse:
    """`skyjo.pyz`. Whoever has the newest gets 304."""
    kit = kit_for(request)
    response = HttpResponse(kit.content, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{kit.filename}"'
    return response
