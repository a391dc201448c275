"""What may be done so often and no oftener, for the API."""

from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from arena.tries import may_try

# All of these limits are of tries within a minute.
WAIT_S = 60


def limit(request: Request, *, action: str, sentence: str, user: User | None = None) -> None:
    """Count a try. Raises what is answered by 429 `throttled` with `Retry-After`, and this sentence, where there were
    too many."""
    if not may_try(request._request, action=action, user=user):
        raise Throttled(wait=WAIT_S, detail=sentence)
