"""The rule sets that have a name."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches.engine.rules import PRESETS, Preset


class PresetSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    source = serializers.CharField(  # type: ignore[assignment]  # a field, not DRF's option of that name
        help_text="The published text that it follows."
    )
    summary = serializers.CharField(help_text="One sentence for people.")
    rules = serializers.SerializerMethodField(help_text="Every flag, as in `hello.rules` of the protocol.")

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_rules(self, preset: Preset) -> dict[str, Any]:
        return preset.rules.as_dict()


class PresetList(APIView):
    """Every preset, the publisher's sheet first."""

    @extend_schema(operation_id="presets_list", responses=PresetSerializer(many=True))
    def get(self, request: Request) -> Response:
        return Response(PresetSerializer(PRESETS.values(), many=True).data)
