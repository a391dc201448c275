"""What the API shows of trials, and what is sent to start one or to ask for a match."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from arena.api import fields
from arena.api.quick import QuickSerializer
from arena.api.serializers import LimitsSerializer
from arena.models import Trial
from arena.selectors.trials import Standing


class TrialVersionSerializer(QuickSerializer):
    bot = serializers.CharField(source="bot.name")
    version = serializers.IntegerField(source="number")
    version_id = serializers.IntegerField(source="id")


class TrialDifferenceSerializer(serializers.Serializer[Any]):
    """How far the version is ahead of its opponent; half-widths are of 95 % intervals."""

    score = serializers.FloatField(help_text="Mean score a game, from 0 to 1.")
    elo = serializers.FloatField()
    elo_half_width = serializers.FloatField()
    nelo = serializers.FloatField(help_text="Normalised Elo.")
    nelo_half_width = serializers.FloatField()


class TrialSerializer(QuickSerializer, serializers.ModelSerializer[Trial]):
    owner = serializers.CharField(source="owner.username")
    version = TrialVersionSerializer()
    opponent = TrialVersionSerializer()
    limits = LimitsSerializer(source="*")
    stop = serializers.ChoiceField(
        choices=Trial.Stop.choices, allow_blank=True, help_text="Why it was stopped, if it was."
    )
    counts = serializers.ListField(
        child=serializers.IntegerField(),
        min_length=5,
        max_length=5,
        help_text="Pairs by the games that the version won in them: 0, ½, 1, 1½, 2.",
    )
    n_pairs = serializers.IntegerField()
    llr = serializers.SerializerMethodField(help_text="The log likelihood ratio.")
    lower = serializers.SerializerMethodField(help_text="The ratio at which it ends as not better.")
    upper = serializers.SerializerMethodField(help_text="The ratio at which it ends as better.")
    difference = serializers.SerializerMethodField(help_text="Null before the first pair.")
    games_left = serializers.SerializerMethodField(
        help_text="Expected further games to a verdict; null when the trial is over."
    )
    url = serializers.SerializerMethodField()

    class Meta:
        model = Trial
        fields = [
            "id", "owner", "version", "opponent", "state", "stop", "preset", "deals", "limits", "nelo0", "nelo1",
            "alpha", "beta", "max_pairs", "n_pairs", "counts", "llr", "lower", "upper", "difference", "games_left",
            "created_at", "finished_at", "url",
        ]  # fmt: skip

    def get_llr(self, trial: Trial) -> float:
        return Standing(trial).llr

    def get_lower(self, trial: Trial) -> float:
        return trial.test.lower

    def get_upper(self, trial: Trial) -> float:
        return trial.test.upper

    @extend_schema_field(TrialDifferenceSerializer(allow_null=True))
    def get_difference(self, trial: Trial) -> dict[str, float] | None:
        found = Standing(trial).difference
        return None if found is None else asdict(found)

    @extend_schema_field({"type": "integer", "nullable": True})
    def get_games_left(self, trial: Trial) -> int | None:
        return Standing(trial).games_left

    @extend_schema_field(OpenApiTypes.URI)
    def get_url(self, trial: Trial) -> str:
        return self.address("api-trial", trial.pk)


class NewTrialSerializer(serializers.Serializer[Any]):
    """Two versions by their ids; what is left out is as by default."""

    version = fields.Id(help_text="The id of a version of yours.")
    opponent = fields.Id(help_text="The id of another of yours, or of a house bot's.")
    nelo0 = fields.Number(required=False, help_text="Not better, in normalised Elo. Default 0.")
    nelo1 = fields.Number(required=False, help_text="Better, in normalised Elo. Default 10.")
    alpha = fields.Number(required=False, help_text="Chance of a wrong better. Default 0.05.")
    beta = fields.Number(required=False, help_text="Chance of a wrong not better. Default 0.05.")
    max_pairs = fields.Id(required=False, help_text="Where it ends undecided.")


class RequestSerializer(serializers.Serializer[Any]):
    """Names of bots: the versions that they play with now meet."""

    bot = fields.Text(max_length=32, help_text="A bot of yours.")
    against = fields.Text(max_length=32, help_text="Any bot that plays.")
