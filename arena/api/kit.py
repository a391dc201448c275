"""The kit: where it is downloaded, and what it is to hash to."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from arena.kit import kit_for


class KitSerializer(serializers.Serializer[Any]):
    filename = serializers.CharField()
    version = serializers.CharField()
    sha256 = serializers.CharField()
    size = serializers.IntegerField(help_text="In bytes.")
    url = serializers.URLField()


class KitDetail(APIView):
    """The kit that authors run at home."""

    @extend_schema(responses=KitSerializer)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(KitSerializer(kit_for(request._request)).data)
