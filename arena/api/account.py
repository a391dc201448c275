"""An account as its owner sees it, as JSON: what the account page shows."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from arena.api.members import acting
from arena.models import ApiToken
from arena.selectors import account
from arena.selectors.match_lists import requested_matches
from arena.selectors.trials import latest_by


class OwnBotSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    current_version = serializers.IntegerField(source="current_version.number", default=None, allow_null=True)
    is_withdrawn = serializers.BooleanField()
    is_source_public = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class QuotaSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="For programs: stable.")
    words = serializers.CharField()
    used = serializers.IntegerField()
    limit = serializers.IntegerField()
    left = serializers.IntegerField()


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    begins_with = serializers.CharField(source="token_key")

    class Meta:
        model = ApiToken
        fields = ["name", "begins_with", "scope", "created", "expiry", "last_used_at"]


class AccountSerializer(serializers.Serializer[Any]):
    username = serializers.CharField()
    bots = OwnBotSerializer(many=True)
    quotas = QuotaSerializer(many=True)
    tokens = TokenSerializer(many=True)
    trials = serializers.ListField(child=serializers.IntegerField(), help_text="Ids of your latest trials.")
    requested_matches = serializers.ListField(
        child=serializers.IntegerField(), help_text="Ids of the latest matches that you asked for."
    )


class Account(APIView):
    """Your bots, quotas, API tokens, latest trials and matches on request."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="account", responses=AccountSerializer)
    def get(self, request: Request) -> Response:
        user = acting(request)
        found = {
            "username": user.username,
            "bots": account.bots_of(user.pk),
            "quotas": [*account.quota_rows(user), *account.play_quota_rows(user)],
            "tokens": account.tokens_of(user),
            "trials": [standing.trial.pk for standing in latest_by(user)],
            "requested_matches": [match.pk for match in requested_matches(user)],
        }
        return Response(AccountSerializer(found).data)
