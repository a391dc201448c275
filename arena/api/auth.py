"""API tokens in the `Authorization: Token …` header."""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from arena.models import ApiToken
from arena.services.tokens import record_use

# Each scope allows what those before it allow.
WIDTH = {scope: width for width, scope in enumerate(ApiToken.Scope.values)}
TOKEN_SHAPE = re.compile(rb"[A-Za-z0-9_]{16,160}\Z")


class BeyondScope(PermissionDenied):
    default_code = "token_scope"


class ApiTokenAuthentication(TokenAuthentication):
    """knox's tokens; what cannot be one is refused before anything is decoded or looked up.

    A token opens what its scope allows: a view's `token_scope` is what its changes need, everything unless it says
    less. Reading needs none.
    """

    def authenticate(self, request: Request) -> Any:
        found = super().authenticate(request)
        if found is None:
            return None
        token: ApiToken = found[1]
        if request.method not in SAFE_METHODS:
            needed = getattr(request.parser_context["view"], "token_scope", ApiToken.Scope.ALL)
            if WIDTH[token.scope] < WIDTH[needed]:
                raise BeyondScope(
                    _("This token may not do that. It is good for: %(scope)s.")
                    % {"scope": token.get_scope_display()}
                )
        record_use(token=token)
        return found

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
