"""A bot's faults as JSON: what its page of faults shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from arena import links
from arena.api import pagination, rows
from arena.api.errors import Refused
from arena.api.filtering import ID, text_parameter, visible_bot
from arena.api.keys import KeysFirst
from arena.api.pagination import ByKey
from arena.api.quick import QuickSerializer
from arena.selectors import faults as selectors
from bots.models import Version
from matches.models import GameSeat
from matches.replay import FAULT_KINDS


class FaultSerializer(QuickSerializer, serializers.ModelSerializer[GameSeat]):
    match = serializers.IntegerField()
    game = serializers.IntegerField(source="game_id")
    version = serializers.IntegerField(source="version_number")
    version_id = serializers.IntegerField()
    kind = serializers.ChoiceField(source="fault", choices=list(FAULT_KINDS))
    detail = serializers.DictField(
        source="fault_detail", help_text="Sentence, phase, round, turn, expected, time, memory, exit."
    )
    at = serializers.DateTimeField(help_text="When the match was stored.")
    url = serializers.SerializerMethodField(help_text="The page of the game, opened at that turn.")

    class Meta:
        model = GameSeat
        fields = ["id", "match", "game", "seat", "version", "version_id", "kind", "detail", "at", "url"]

    @extend_schema_field(OpenApiTypes.URI)
    def get_url(self, seat: GameSeat) -> str:
        return self.address("game", seat.game_id) + links.turn_of(seat.fault_detail)


class Counted(ByKey):
    """A page with the counts of the whole list, as far as that is looked at."""

    counts: dict[str, int] = {}

    def get_paginated_response(self, data: Any) -> Response:
        response = super().get_paginated_response(data)
        response.data["counts"] = self.counts
        return response

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = super().get_paginated_response_schema(schema)
        found["properties"]["counts"] = {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "description": f"By kind, among the latest {selectors.LOOKED_AT} faults of these versions.",
        }
        found["required"] = [*found.get("required", []), "counts"]
        return found


class FaultList(KeysFirst, generics.ListAPIView[GameSeat]):
    """The faults of a bot in its games, newest first: of all its versions, or as the parameters say."""

    queryset = GameSeat.objects.none()
    serializer_class = FaultSerializer
    pagination_class = Counted

    @extend_schema(
        parameters=[
            OpenApiParameter("since", ID, description="Of the version of this number and all later ones."),
            OpenApiParameter("version", ID, description="Of the version of this number alone."),
            text_parameter("kind", "Only those of this kind.", list(FAULT_KINDS)),
        ]
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[GameSeat]:
        bot = visible_bot(self.request, self.kwargs["name"])
        if bot is None:
            raise Refused("not_found", _("There is no bot of this name."), status=404)
        since, number = self.number("since"), self.number("version")
        for field, chosen in (("since", since), ("version", number)):
            if chosen is not None and not Version.objects.filter(bot=bot, number=chosen).exists():
                raise Refused("unknown_version", _("This bot has no version of this number."), field=field)
        kind = self.choice("kind", list(FAULT_KINDS))
        among = selectors.Range(bot, since=since, number=number)
        latest = selectors.latest_faults(among, self.request.user)
        paginator = self.paginator
        assert isinstance(paginator, Counted)  # noqa: S101 - pagination_class; for the type checker
        paginator.counts = dict(latest.counts)
        # What has been looked at for the counts need not be sought again.
        if kind is None and paginator.cursor_query_param not in self.request.query_params:
            n = (paginator.get_page_size(self.request) or pagination.PAGE_SIZE) + 1
            if len(latest.seats) >= n or not latest.has_more:
                return GameSeat.objects.filter(pk__in=latest.seats[:n])
        return among.faulty(kind).visible_to(self.request.user)

    def listed(self, keys: Sequence[int]) -> Mapping[int, Any]:
        return rows.listed_faults(keys)
