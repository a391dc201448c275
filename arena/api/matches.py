"""Matches: their list, one of them, and asking for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from arena import services
from arena.api import keys, rows, serializers
from arena.api.errors import Refused, refusing
from arena.api.filtering import BOT, ID, LADDER, text_parameter, visible_bot
from arena.api.keys import Keys, KeysFirst, key_of
from arena.api.members import MembersPost, acting
from arena.api.trial_serializers import RequestSerializer
from arena.selectors.matches import Outcome
from bots.models import Version
from matches.engine import MAX_SEATS, MIN_SEATS
from matches.models import Game, Match, Participant

SEATS = {"type": "integer", "minimum": MIN_SEATS, "maximum": MAX_SEATS}


class MatchList(MembersPost, KeysFirst, generics.ListCreateAPIView[Match]):
    """Matches, newest first."""

    queryset = Match.objects.none()
    serializer_class = serializers.MatchSummarySerializer

    @extend_schema(
        parameters=[
            BOT,
            LADDER,
            text_parameter("against", "Only those in which the bot of this name plays too."),
            text_parameter("status", "", list(Match.Status.values)),
            text_parameter("outcome", "By bot faults, or by infrastructure faults of ours.", Outcome.values),
            OpenApiParameter("seats", SEATS, description="Only those with so many seats."),
            text_parameter("rated", "Only those that count for a ladder, or that do not.", ["yes", "no"]),
            OpenApiParameter("trial", ID, description="Only those of this trial."),
        ]
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Keys:  # type: ignore[override]
        ladder, bot, against = self.ladder(), self.bot(), self.bot("against")
        asked = (key_of(ladder), key_of(bot), key_of(against), self.number("trial"))
        seats = self.choice("seats", [str(number) for number in range(MIN_SEATS, MAX_SEATS + 1)])
        return Keys(
            partial(
                keys.matches.filtered(*asked, uneven=ladder),
                self.request.user,
                *asked,
                seats=None if seats is None else int(seats),
                status=self.choice("status", list(Match.Status.values)),
                outcome=self.choice("outcome", Outcome.values),
                is_rated={"yes": True, "no": False}.get(self.choice("rated", ["yes", "no"]) or ""),
            )
        )

    def listed(self, keys: Sequence[int]) -> Mapping[int, Any]:
        return rows.listed_matches(keys)

    @extend_schema(request=RequestSerializer, responses={201: serializers.MatchSummarySerializer})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Have your bot play an unrated match against another, now."""
        form = RequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        sides = {
            name: _playing_version(request, form.validated_data[field], field)
            for name, field in (("version", "bot"), ("opponent", "against"))
        }
        with refusing(version="bot", opponent="against"):
            made = services.trials.request_match(by=acting(request), **sides)
        shown = self.get_serializer(rows.matches(Match.objects.all()).get(pk=made.pk))
        return Response(shown.data, status=status.HTTP_201_CREATED)


def _playing_version(request: Request, name: str, field: str) -> Version:
    bot = visible_bot(request, name)
    if bot is None or bot.current_version is None:
        raise Refused("unknown_bot", _("There is no bot of this name that plays now."), field=field)
    return bot.current_version


class MatchDetail(generics.RetrieveAPIView[Match]):
    """One match with its games."""

    queryset = Match.objects.none()
    serializer_class = serializers.MatchSerializer

    def get_queryset(self) -> QuerySet[Match]:
        visible = Match.objects.visible_to(self.request.user)
        players = Participant.objects.select_related("version__bot")
        told = rows.matches(visible.select_related("result", "ladder_match__ladder"), players)
        return told.prefetch_related(Prefetch("games", rows.games(Game.objects.all())))
