"""Whether this arena sends e-mail."""

from __future__ import annotations

from django.conf import settings


def sends_mail() -> bool:
    """Whether e-mail that the arena sends goes anywhere."""
    return not settings.EMAIL_BACKEND.endswith(".dummy.EmailBackend")
