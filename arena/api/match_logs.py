"""What a person's own bots wrote in a match, and the messages before their faults; nobody else reads it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.errors import Refused
from matches.models import GameSeat, Match
from matches.replay import PrivateSeat, decode_private


class NoteSerializer(serializers.Serializer[Any]):
    decision = serializers.IntegerField(help_text="Of the game, from 0.")
    text = serializers.CharField()


class ExchangeSerializer(serializers.Serializer[Any]):
    sent = serializers.CharField()
    received = serializers.CharField(allow_null=True, help_text="Null where nothing came.")


class SeatLogSerializer(serializers.Serializer[Any]):
    game = serializers.IntegerField()
    deal = serializers.IntegerField()
    seating = serializers.IntegerField()
    seat = serializers.IntegerField()
    version_id = serializers.IntegerField()
    fault = serializers.CharField(help_text="Its kind; empty if there was none.")
    notes = NoteSerializer(many=True)
    stderr = serializers.CharField(help_text="The beginning and the end of it.")
    offending = serializers.CharField(allow_null=True, help_text="The line that was a fault.")
    exchanges = ExchangeSerializer(many=True, help_text="The last messages before a fault.")


class MatchLogsSerializer(serializers.Serializer[Any]):
    results = SeatLogSerializer(many=True)


class MatchLogs(generics.GenericAPIView[Match]):
    """What your bots wrote in the games of a match, as long as it is kept; operators read everybody's."""

    queryset = Match.objects.none()
    serializer_class = MatchLogsSerializer
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(responses={200: MatchLogsSerializer})
    def get(self, request: Request, pk: int) -> Response:
        match = generics.get_object_or_404(Match.objects.visible_to(request.user), pk=pk)
        own = GameSeat.objects.filter(game__match=match).with_private_visible_to(request.user)
        seats = list(own.select_related("game").defer("game__replay").order_by("game_id", "seat"))
        if not seats and match.status in {Match.Status.FINISHED, Match.Status.VOID}:
            raise Refused("forbidden", _("No bot of yours plays in this match."), status=403)
        return Response(MatchLogsSerializer({"results": [as_log(seat) for seat in seats]}).data)


def as_log(seat: GameSeat) -> dict[str, Any]:
    private = decode_private(bytes(seat.private))[0] if seat.private else PrivateSeat()
    return {
        "game": seat.game_id,
        "deal": seat.game.deal,
        "seating": seat.game.seating,
        "seat": seat.seat,
        "version_id": seat.version_id,
        "fault": seat.fault,
        "notes": [note._asdict() for note in private.notes],
        "stderr": private.stderr,
        "offending": private.offending,
        "exchanges": [exchange._asdict() for exchange in private.exchanges],
    }
