"""Stored games and their replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api import keys, rows, serializers
from arena.api.errors import Refused
from arena.api.filtering import BOT, ID, Filtered, text_parameter
from arena.api.keys import Keys, KeysFirst, key_of
from arena.api.replays import FORMATS, replay_response
from matches.models import Game


class GameList(KeysFirst, generics.ListAPIView[Game]):
    """Stored games, newest first."""

    queryset = Game.objects.none()
    serializer_class = serializers.GameSerializer

    @extend_schema(parameters=[BOT, OpenApiParameter("match", ID, description="Only those of this match.")])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Keys:  # type: ignore[override]
        asked = (key_of(self.bot()), self.number("match"))
        return Keys(partial(keys.games.filtered(*asked), self.request.user, *asked))

    def listed(self, keys: Sequence[int]) -> Mapping[int, Any]:
        return rows.listed_games(keys)


class GameDetail(generics.RetrieveAPIView[Game]):
    """One game: seats, placings, totals, faults."""

    queryset = Game.objects.none()
    serializer_class = serializers.GameSerializer

    def get_queryset(self) -> QuerySet[Game]:
        return rows.games(Game.objects.visible_to(self.request.user))


class Replay(Filtered):
    """A game's replay: everything needed to watch it and to play it again."""

    queryset = Game.objects.none()

    @extend_schema(
        parameters=[text_parameter("format", "Default `expanded`.", list(FORMATS))],
        responses={200: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, pk: int) -> HttpResponse:
        form = self.choice("format", list(FORMATS)) or "expanded"
        game = generics.get_object_or_404(Game.objects.visible_to(request.user), pk=pk)
        if game.is_forfeit:
            raise Refused(
                "forfeit", _("This game was forfeited without being played; it has no replay."), status=404
            )
        return replay_response(request._request, game, form)
