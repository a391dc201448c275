"""A bot's statistics as JSON: what its statistics page shows."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.errors import Refused
from arena.api.filtering import ID, Filtered, text_parameter, visible_bot
from arena.selectors.leaderboard import every_ladder
from arena.selectors.statistics import statistics


class MomentSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField(help_text="When the snapshot was published.")
    version = serializers.IntegerField(help_text="The newest version that it rates.")
    elo = serializers.FloatField()
    standard_error = serializers.FloatField()
    half_width = serializers.FloatField(help_text="Half the width of the 95 % interval.")


class HeadToHeadSerializer(serializers.Serializer[Any]):
    bot = serializers.CharField()
    version = serializers.IntegerField(source="number")
    version_id = serializers.IntegerField(source="opponent")
    n_matches = serializers.IntegerField()
    n_games = serializers.IntegerField()
    win_share = serializers.FloatField(help_text="Games placed before the opponent, ties as halves.")
    expected = serializers.FloatField(
        allow_null=True, help_text="The share that both published ratings predict."
    )
    residual = serializers.FloatField(allow_null=True, help_text="win_share less expected.")
    z = serializers.FloatField(
        allow_null=True, help_text="The residual in standard errors of independent games."
    )


class BarSerializer(serializers.Serializer[Any]):
    low = serializers.IntegerField()
    high = serializers.IntegerField()
    n_games = serializers.IntegerField()


class PointsSerializer(serializers.Serializer[Any]):
    n_games = serializers.IntegerField(help_text="Games without a fault of the version's own.")
    mean = serializers.FloatField()
    sd = serializers.FloatField()
    quartiles = serializers.ListField(child=serializers.IntegerField(), min_length=3, max_length=3)
    bars = BarSerializer(many=True)


class SeatFiguresSerializer(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    n_games = serializers.IntegerField()
    first_share = serializers.FloatField(help_text="Games with the first place, shared or not.")
    mean_placing = serializers.FloatField()
    mean_points = serializers.FloatField(allow_null=True)
    points_error = serializers.FloatField(allow_null=True, help_text="Standard error of mean_points.")


class ThinkBarSerializer(serializers.Serializer[Any]):
    below_ms = serializers.IntegerField(help_text="And no less than half of it, but for the first.")
    n_decisions = serializers.IntegerField()


class ThinkingSerializer(serializers.Serializer[Any]):
    n_decisions = serializers.IntegerField(help_text="Those that the version made itself.")
    half_below_ms = serializers.IntegerField(help_text="Half of them took less, to the next bar.")
    most_below_ms = serializers.IntegerField(help_text="99 of 100 took less, to the next bar.")
    bars = ThinkBarSerializer(many=True)


class TableSizeSerializer(serializers.Serializer[Any]):
    ladder = serializers.CharField(source="ladder.slug")
    seats = serializers.IntegerField(source="ladder.seats")
    elo = serializers.FloatField(source="rating.elo")
    standard_error = serializers.FloatField(source="rating.standard_error")
    rank_low = serializers.IntegerField(source="rating.rank_low", allow_null=True)
    rank_high = serializers.IntegerField(source="rating.rank_high", allow_null=True)
    n_rated = serializers.IntegerField(help_text="Versions in the ladder's snapshot.")
    win_share = serializers.FloatField(source="rating.win_share")


class StatisticsSerializer(serializers.Serializer[Any]):
    bot = serializers.CharField(source="bot.name")
    version = serializers.IntegerField(source="version.number")
    ladder = serializers.CharField(source="ladder.slug")
    n_matches = serializers.IntegerField(
        help_text="Latest matches that opponents, points and seats are from."
    )
    n_finished = serializers.IntegerField(help_text="All rated matches of the version on the ladder.")
    n_opponents = serializers.IntegerField(help_text="Of which the most met are listed.")
    history = MomentSerializer(many=True)
    opponents = HeadToHeadSerializer(many=True)
    points = PointsSerializer(allow_null=True)
    seats = SeatFiguresSerializer(many=True)
    thinking = ThinkingSerializer(
        allow_null=True, help_text="CPU time charged for each decision, in doublings of a millisecond."
    )
    table_sizes = TableSizeSerializer(many=True)


class BotStatistics(Filtered):
    """A version's rating history, results against each opponent, points, seats, times and strength by table size.

    Of the version that plays, or the newest, on the first ladder, unless others are asked for.
    """

    serializer_class = StatisticsSerializer

    @extend_schema(
        parameters=[
            text_parameter("ladder", "The slug of a ladder."),
            OpenApiParameter("version", ID, description="The number of one of its versions."),
        ]
    )
    def get(self, request: Request, name: str) -> Response:
        bot = visible_bot(request, name)
        if bot is None:
            raise Refused("not_found", _("There is no bot of this name."), status=404)
        everything = every_ladder()
        ladder = self.ladder() or next(iter(everything), None)
        if ladder is None:
            raise Refused("not_found", _("There is no ladder."), status=404)
        versions = bot.versions.select_related("bot").defer("report").order_by("-number")
        number = self.number("version")
        version = (
            (bot.current_version or versions.first())
            if number is None
            else versions.filter(number=number).first()
        )
        if version is None and number is not None:
            raise Refused("unknown_version", _("This bot has no version of this number."), field="version")
        if version is None:
            raise Refused("not_found", _("This bot has no version yet."), status=404)
        version.bot = bot
        found = statistics(version=version, ladder=ladder, ladders=everything, user=request.user)
        return Response(StatisticsSerializer(found).data)
