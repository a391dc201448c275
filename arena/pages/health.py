"""Whether the service does its work, for machines: 200, or 503 with the reasons."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from arena import pulse


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    health = pulse.health()
    return JsonResponse({"ok": health.ok, "reasons": list(health.reasons)}, status=200 if health.ok else 503)
