"""For machines: whether the service does its work, whether this process can serve, and the arena in figures."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from arena import health, metrics, readiness


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Whether matches are played, checked and rated: 200, or 503 with the reasons."""
    return answer(health.now().reasons)


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Whether requests may be sent here: 200, or 503 with the reasons."""
    return answer(readiness.unreadiness())


@require_safe
@never_cache
def metrics_page(request: HttpRequest) -> HttpResponse:
    """The arena in figures, for a Prometheus that knows METRICS_TOKEN; to all others there is nothing here."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    is_known = scheme.lower() == "bearer" and constant_time_compare(token, settings.METRICS_TOKEN)
    if not settings.METRICS_TOKEN or not is_known:
        raise Http404
    return HttpResponse(metrics.exposition(), content_type=metrics.CONTENT_TYPE)


def answer(reasons: list[str]) -> JsonResponse:
    return JsonResponse({"ok": not reasons, "reasons": reasons}, status=503 if reasons else 200)
