"""API tokens in the `Authorization: Token …` header."""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

TOKEN_SHAPE = re.compile(rb"[A-Za-z0-9_]{16,160}\Z")


class ApiTokenAuthentication(TokenAuthentication):
    """knox's tokens; what cannot be one is refused before anything is decoded or looked up."""

    def authenticate_credentials(self, token: bytes) -> Any:
        if not TOKEN_SHAPE.match(token):
            raise AuthenticationFailed(_("This is no API token. Make one on your account page."))
        try:
            return super().authenticate_credentials(token)
        except AuthenticationFailed:
            raise AuthenticationFailed(
                _("This API token is unknown, expired or revoked. Make a new one on your account page.")
            ) from None


class ApiTokenScheme(OpenApiAuthenticationExtension):
    target_class = "arena.api.auth.ApiTokenAuthentication"
    name = "apiToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token …`, with a token from your account page or `manage.py api_token USER`.",
        }
