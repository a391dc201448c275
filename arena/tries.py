"""How often somebody may do something, as allauth counts it in the cache."""

from __future__ import annotations

import errno
import os
from typing import Any

from allauth.core.internal import ratelimit
from django.http import HttpRequest

from arena import health


def may_try(request: HttpRequest, *, action: str, user: Any = None) -> bool:
    """Count a try at one of ACCOUNT_RATE_LIMITS. False where there were too many.

    On a full disk nothing can be counted, and everybody would be told that they try too often: an OSError says what it
    is, and is answered as an outage.
    """
    # What allauth offers in public lets every GET pass; who is asked here means to count.
    if ratelimit.consume(request, app="allauth.account", action=action, user=user, limit_get=True):
        return True
    if any(health.disk_reasons()):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return False
