"""Two bots side by side on a ladder, as JSON."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.errors import Refused
from arena.api.filtering import Filtered
from arena.api.statistics import HeadToHeadSerializer
from arena.models import Rating
from arena.selectors.comparison import comparison
from arena.selectors.leaderboard import ladders
from bots.models import Version


class ComparedSerializer(serializers.Serializer[Any]):
    bot = serializers.CharField()
    version = serializers.IntegerField()
    version_id = serializers.IntegerField()
    elo = serializers.FloatField(allow_null=True)
    half_width = serializers.FloatField(allow_null=True, help_text="Half the width of the 95 % interval.")


class ComparisonSerializer(serializers.Serializer[Any]):
    ladder = serializers.CharField()
    first = ComparedSerializer()
    second = ComparedSerializer()
    better = serializers.FloatField(
        allow_null=True, help_text="The chance that the first is truly the stronger."
    )
    expected = serializers.FloatField(allow_null=True, help_text="The share that the ratings let it win.")
    met = HeadToHeadSerializer(allow_null=True, help_text="What the first came to against the second.")


class Compare(Filtered):
    """Two bots' ratings, and what came of it when they met."""

    serializer_class = ComparisonSerializer

    @extend_schema(
        operation_id="ladders_compare",
        parameters=[
            OpenApiParameter(name, str, required=True, description="The name of a bot.")
            for name in ("bot", "against")
        ],
        responses=ComparisonSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        ladder = generics.get_object_or_404(ladders(), slug=slug)
        bots = []
        for field in ("bot", "against"):
            found = self.bot(field)
            if found is None:
                raise Refused("unknown_bot", _("Give the names of two bots."), field=field)
            bots.append(found)
        if bots[0] == bots[1]:
            raise Refused("same_bot", _("Give the names of two different bots."), field="against")
        told = comparison(ladder=ladder, one=bots[0], other=bots[1], user=request.user)
        if told is None:
            raise Refused("no_version", _("One of these bots has no version yet."), status=404)
        first, second = (
            _described(version, rating) for version, rating in zip(told.versions, told.ratings, strict=True)
        )
        body = {
            "ladder": ladder.slug,
            "first": first,
            "second": second,
            "better": told.better,
            "expected": told.expected,
            "met": told.met,
        }
        return Response(ComparisonSerializer(body).data)


def _described(version: Version, rating: Rating | None) -> dict[str, Any]:
    return {
        "bot": version.bot.name,
        "version": version.number,
        "version_id": version.pk,
        "elo": rating.elo if rating else None,
        "half_width": rating.half_width if rating else None,
    }
