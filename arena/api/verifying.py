"""Replays played again by the server: of a stored game, or of a file that somebody brings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any, cast

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from arena.api import rows
from arena.api.errors import Refused
from arena.api.serializers import GameSerializer
from arena.api.tries import limit
from arena.models import ApiToken
from arena.replay_files import MAX_BYTES, open_replay
from matches.models import Game
from matches.replay import ReplayError
from matches.services import verify_game


class Body(dict[str, bytes]):
    """A body of JSON that nobody has read yet, under `content`. (What a form holds is no Body, whatever its names.)"""


class ReplayParser(BaseParser):
    """The bytes of a body of JSON as they are: the replay's own reader is the stricter one."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Body:
        # One byte more is enough to be refused for its size.
        return Body(content=stream.read(MAX_BYTES + 1))


class ReplayFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="Compact or expanded, plain or in gzip.")


class OpenedReplaySerializer(serializers.Serializer[Any]):
    core_sha256 = serializers.CharField()
    n_rounds = serializers.IntegerField()
    n_decisions = serializers.IntegerField()
    totals = serializers.ListField(child=serializers.IntegerField())
    placing = serializers.ListField(
        child=serializers.IntegerField(), help_text="Seats that faulted stand behind all others."
    )
    replay = serializers.DictField(help_text="The expanded form, for viewers.")


class VerifyGame(generics.GenericAPIView[Game]):
    """A stored game, played again."""

    # Who has no token at all may do it.
    token_scope = ApiToken.Scope.READ

    queryset = Game.objects.none()
    serializer_class = GameSerializer

    @extend_schema(request=None, responses=GameSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Play the game again from its replay, now. `verified_at` and `difference` say what came of it."""
        game = generics.get_object_or_404(
            rows.games(Game.objects.visible_to(request.user)).select_related("match"), pk=pk
        )
        if game.is_forfeit:
            raise Refused("forfeit", _("This game was forfeited without being played; it has no replay."))
        limit(request, action="replay", sentence=_("Too many replays were played again for your address."))
        verify_game(game=game)
        return Response(self.get_serializer(game).data)


class OpenReplay(APIView):
    """A replay that you bring."""

    token_scope = ApiToken.Scope.READ

    parser_classes = [ReplayParser, MultiPartParser]

    @extend_schema(
        operation_id="replays_create",
        request={"application/json": OpenApiTypes.OBJECT, "multipart/form-data": ReplayFileSerializer},
        responses=OpenedReplaySerializer,
    )
    def post(self, request: Request) -> Response:
        """Play a replay again: its values and its expanded form if all of it comes out as it says, else 400 with the
        first difference. Nothing is kept. At most 4 MiB of JSON and 20,000 decisions."""
        limit(request, action="replay", sentence=_("Too many replays were played again for your address."))
        try:
            opened = open_replay(_sent(request))
        except ReplayError as error:
            raise Refused("unsound", str(error)) from None
        verified = opened.verified
        found = {
            "core_sha256": verified.core_sha256,
            "n_rounds": verified.n_rounds,
            "n_decisions": len(verified.core.decisions),
            "totals": verified.totals,
            "placing": verified.placing,
            "replay": opened.expanded,
        }
        return Response(OpenedReplaySerializer(found).data)


def _sent(request: Request) -> bytes:
    if isinstance(request.data, Body):
        return request.data["content"]
    file = cast("dict[str, Any]", request.data).get("file")
    if not isinstance(file, UploadedFile):
        raise Refused(
            "no_file", _("Send a replay: as the body in JSON, or as `file` in a form."), field="file"
        )
    return cast("bytes", file.read(MAX_BYTES + 1))
