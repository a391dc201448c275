"""Keys to the API."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User

from arena.models import ApiToken

TOKEN_DAYS = 90


def create_api_token(
    *, user: User, name: str, expiry: timedelta | None = timedelta(days=TOKEN_DAYS)
) -> tuple[ApiToken, str]:
    """A new token and its secret text, which is stored nowhere: it can be shown this once."""
    token, secret = ApiToken.objects.create(user=user, expiry=expiry, name=name)
    return token, secret


def revoke_api_token(*, user: User, digest: str) -> bool:
    """Make one of this user's tokens worthless. False if there is none such."""
    n_deleted, _ = ApiToken.objects.filter(user=user, digest=digest).delete()
    return n_deleted > 0


def revoke_all_tokens(*, user: User) -> None:
    ApiToken.objects.filter(user=user).delete()
