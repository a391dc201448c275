"""Keys to the API."""

from __future__ import annotations

import contextlib
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.utils import timezone

from arena.models import ApiToken

TOKEN_DAYS = 90
# The last use is known to within that, so that most requests write nothing.
USE_KNOWN_TO = timedelta(minutes=1)


def create_api_token(
    *,
    user: User,
    name: str,
    expiry: timedelta | None = timedelta(days=TOKEN_DAYS),
    scope: str = ApiToken.Scope.ALL,
) -> tuple[ApiToken, str]:
    """A new token and its secret text, which is stored nowhere: it can be shown this once."""
    token, secret = ApiToken.objects.create(user=user, expiry=expiry, name=name, scope=scope)
    return token, secret


def record_use(*, token: ApiToken) -> None:
    """Note that the token was used now. While nothing can be written, reading goes on without."""
    now = timezone.now()
    if token.last_used_at is not None and now - token.last_used_at < USE_KNOWN_TO:
        return
    with contextlib.suppress(DatabaseError), transaction.atomic():
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def revoke_api_token(*, user: User, digest: str) -> bool:
    """Make one of this user's tokens worthless. False if there is none such."""
    n_deleted, _ = ApiToken.objects.filter(user=user, digest=digest).delete()
    return n_deleted > 0


def revoke_all_tokens(*, user: User) -> None:
    ApiToken.objects.filter(user=user).delete()
