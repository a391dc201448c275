"""Leases: how long a worker may hold a match or a check without a sign of progress.

Whoever claims a row writes a fresh token and the end of the lease into it by one conditional UPDATE.
Every later write of that worker names the token; when no row answers, somebody else has the row now.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone


class LeaseLost(Exception):
    """The row is no longer held by this token; what was done under it counts for nothing."""


def lease_end() -> datetime:
    """When a lease taken or renewed now runs out."""
    return timezone.now() + timedelta(seconds=settings.LEASE_S)
