"""What the API shows. Reading only: writing goes through the services."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from arena import words
from arena.api import fields
from arena.api.quick import QuickSerializer
from arena.models import Ladder, Notice, Rating, RatingRun
from arena.pairing.first import Reason
from arena.ratings.table import Doubt
from arena.selectors.checks import waiting
from arena.selectors.effects import rating_effect
from arena.selectors.matches import attempts_at, summary
from bots import words as bot_words
from bots.models import Bot, CheckStage, Version
from matches.engine.rules import PRESETS
from matches.models import Attempt, Game, GameSeat, Match, Participant


class LimitsSerializer(QuickSerializer):
    start_ms = serializers.IntegerField(help_text="CPU time to the first answer.")
    decision_ms = serializers.IntegerField(help_text="CPU time for one decision.")
    bank_ms = serializers.IntegerField(help_text="CPU time for one game.")
    memory_mib = serializers.IntegerField()


class RatingRunSerializer(QuickSerializer, serializers.ModelSerializer[RatingRun]):
    class Meta:
        model = RatingRun
        fields = [
            "id", "algorithm", "input_sha256", "prior_sd", "n_matches", "n_games", "n_left_out", "created_at",
        ]  # fmt: skip


class LadderSerializer(QuickSerializer, serializers.ModelSerializer[Ladder]):
    rules = serializers.SerializerMethodField(help_text="The whole rule set of the preset.")
    limits = LimitsSerializer(source="*")
    ratings = RatingRunSerializer(source="current_run", allow_null=True)
    ratings_url = serializers.SerializerMethodField()

    class Meta:
        model = Ladder
        fields = [
            "slug", "name", "description", "preset", "rules", "seats", "deals", "limits", "is_open",
            "ratings", "ratings_url",
        ]  # fmt: skip

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_rules(self, ladder: Ladder) -> dict[str, Any]:
        return PRESETS[ladder.preset].rules.as_dict()

    @extend_schema_field(OpenApiTypes.URI)
    def get_ratings_url(self, ladder: Ladder) -> str:
        return reverse("api-ratings", args=[ladder.slug], request=self.context["request"])


class RatingSerializer(QuickSerializer, serializers.ModelSerializer[Rating]):
    bot = serializers.CharField()
    version = serializers.IntegerField(source="number")
    version_id = serializers.IntegerField()
    owner = serializers.CharField()
    is_house = serializers.BooleanField()
    is_current = serializers.SerializerMethodField(help_text="Whether this version is the one that plays.")
    elo = serializers.FloatField()
    half_width = serializers.FloatField(help_text="Half the width of the 95 % interval.")
    rank = serializers.IntegerField(help_text="Among all versions that the snapshot rates.")
    rank_low = serializers.IntegerField(allow_null=True, help_text="The best rank that is possible.")
    rank_high = serializers.IntegerField(allow_null=True, help_text="The worst rank that is possible.")
    place = serializers.IntegerField(
        allow_null=True,
        help_text="The rank among the versions that played when it was published; null for others.",
    )
    place_low = serializers.IntegerField(allow_null=True, help_text="The best place that is possible.")
    place_high = serializers.IntegerField(allow_null=True, help_text="The worst place that is possible.")
    rise = serializers.SerializerMethodField(
        help_text="Places won within 24 hours, negative for lost; null where it had none then."
    )
    better_than_next = serializers.FloatField(
        allow_null=True,
        help_text="The chance that it is truly above the next place; null for the last and without a place.",
    )
    submitted_at = serializers.DateTimeField()
    is_provisional = serializers.BooleanField()
    doubts = serializers.ListField(
        child=serializers.ChoiceField(choices=[doubt.value for doubt in Doubt]),
        help_text="Why it is provisional; empty if it is not.",
    )
    fault_rate = serializers.FloatField(help_text="The share of its games in which it faulted.")

    class Meta:
        model = Rating
        fields = [
            "rank", "rank_low", "rank_high", "place", "place_low", "place_high", "rise", "bot", "version", "version_id",
            "owner", "is_house", "is_current", "elo", "standard_error", "half_width", "better_than_next",
            "is_provisional", "doubts", "n_games", "n_matches", "n_opponents", "win_share", "mean_points",
            "round_points", "n_faults", "fault_rate", "submitted_at",
        ]  # fmt: skip

    def get_rise(self, rating: Rating) -> int | None:
        found: int | None = self.context["rises"].get(rating.version_id)
        return found

    def get_is_current(self, rating: Rating) -> bool:
        playing: int | None = rating.playing  # type: ignore[attr-defined]
        return playing == rating.version_id


class VersionSummarySerializer(QuickSerializer, serializers.ModelSerializer[Version]):
    bot = serializers.CharField(source="bot.name")
    sha256 = serializers.CharField(source="package_id")
    is_suspended = serializers.SerializerMethodField(
        help_text="Kept out of play because infrastructure faults of ours cluster around it."
    )

    class Meta:
        model = Version
        fields = [
            "id",
            "bot",
            "number",
            "status",
            "is_suspended",
            "runtime",
            "sha256",
            "created_at",
            "checked_at",
        ]

    def get_is_suspended(self, version: Version) -> bool:
        return version.suspended_at is not None


class NoticeSerializer(QuickSerializer, serializers.ModelSerializer[Notice]):
    bot = serializers.CharField(source="bot.name")
    version = serializers.IntegerField(source="version.number")
    text = serializers.CharField(help_text="What was done, and what can be done about it.")

    class Meta:
        model = Notice
        fields = ["id", "bot", "version", "kind", "text", "created_at"]


class BotSerializer(QuickSerializer, serializers.ModelSerializer[Bot]):
    owner = serializers.CharField(source="owner.username")
    current_version = VersionSummarySerializer(allow_null=True)
    url = serializers.SerializerMethodField()

    class Meta:
        model = Bot
        fields = ["name", "owner", "is_house", "is_source_public", "current_version", "created_at", "url"]

    @extend_schema_field(OpenApiTypes.URI)
    def get_url(self, bot: Bot) -> str:
        return self.address("api-bot", bot.name)


class StageSerializer(QuickSerializer, serializers.ModelSerializer[CheckStage]):
    detail = serializers.SerializerMethodField(help_text="What it came to, in words; may be empty.")

    class Meta:
        model = CheckStage
        fields = ["name", "status", "detail", "started_at", "finished_at"]

    def get_detail(self, stage: CheckStage) -> str:
        return bot_words.stage_detail(stage)


class WaitingSerializer(serializers.Serializer[Any]):
    n_before = serializers.IntegerField(help_text="Checks that are under way or come first.")
    n_at_once = serializers.IntegerField(help_text="Checks that the workers there are do at once.")
    usual_s = serializers.FloatField(allow_null=True, help_text="What a check took lately.")
    estimate_s = serializers.FloatField(
        allow_null=True, help_text="Until it is done, if that stays so; null if nobody can say."
    )


class VersionSerializer(VersionSummarySerializer):
    stages = StageSerializer(many=True)
    rejection = serializers.SerializerMethodField(
        help_text="The one sentence that matters first; empty unless rejected. Only the owner's quotes the upload."
    )
    report = serializers.SerializerMethodField(
        help_text="For the owner alone: the exchange that failed, standard error, the command; else null."
    )
    waiting = serializers.SerializerMethodField(help_text="For its check; null once that has begun.")
    url = serializers.SerializerMethodField()

    class Meta(VersionSummarySerializer.Meta):
        fields = [*VersionSummarySerializer.Meta.fields, "stages", "rejection", "report", "waiting", "url"]

    @extend_schema_field(WaitingSerializer(allow_null=True))
    def get_waiting(self, version: Version) -> dict[str, Any] | None:
        found = waiting(version)
        return None if found is None else dict(WaitingSerializer(found).data)

    @extend_schema_field({"type": "object", "nullable": True, "additionalProperties": True})
    def get_report(self, version: Version) -> dict[str, Any] | None:
        return version.report if self._may_read_private(version) else None

    def get_rejection(self, version: Version) -> str:
        return bot_words.rejection(version, is_private=self._may_read_private(version))

    def _may_read_private(self, version: Version) -> bool:
        shown = Version.objects.with_private_visible_to(self.context["request"].user)
        return shown.filter(pk=version.pk).exists()

    @extend_schema_field(OpenApiTypes.URI)
    def get_url(self, version: Version) -> str:
        return reverse("api-version", args=[version.pk], request=self.context["request"])


class ParticipantSerializer(QuickSerializer, serializers.ModelSerializer[Participant]):
    bot = serializers.CharField(source="bot_name")
    version = serializers.IntegerField(source="version_number")
    version_id = serializers.IntegerField()

    class Meta:
        model = Participant
        fields = ["number", "bot", "version", "version_id"]


class GameSeatSerializer(QuickSerializer, serializers.ModelSerializer[GameSeat]):
    bot = serializers.CharField(source="bot_name")
    version = serializers.IntegerField(source="version_number")
    version_id = serializers.IntegerField()

    class Meta:
        model = GameSeat
        fields = [
            "seat", "bot", "version", "version_id", "placing", "total", "cpu_ms", "fault", "fault_detail",
        ]  # fmt: skip


class GameSerializer(QuickSerializer, serializers.ModelSerializer[Game]):
    match = serializers.IntegerField(source="match_id")
    seats = GameSeatSerializer(source="in_order", many=True)
    replay_url = serializers.SerializerMethodField(help_text="Null for a forfeit, which has no replay.")

    round_points = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="Of each round, the points by seat; empty for a forfeit, and for games stored before they were kept.",
    )

    class Meta:
        model = Game
        fields = [
            "id", "match", "deal", "seating", "is_forfeit", "n_rounds", "n_decisions", "round_points", "created_at",
            "seats",
            "replay_url", "verified_at", "difference",
        ]  # fmt: skip

    @extend_schema_field({"type": "string", "format": "uri", "nullable": True})
    def get_replay_url(self, game: Game) -> str | None:
        if game.is_forfeit:
            return None
        return self.address("api-replay", game.id)


class PairingSerializer(serializers.Serializer[Any]):
    made_for = serializers.IntegerField(help_text="The id of a version.")
    reason = serializers.ChoiceField(choices=[reason.value for reason in Reason])
    sentence = serializers.CharField()


class MatchSummarySerializer(QuickSerializer, serializers.ModelSerializer[Match]):
    ladder = serializers.CharField(allow_null=True)
    tournament = serializers.IntegerField(allow_null=True)
    pairing = serializers.SerializerMethodField(
        help_text="Why this match of a ladder was made, and for which version; null where pairing did not make it."
    )
    trial = serializers.IntegerField(allow_null=True)
    requested_by = serializers.CharField(allow_null=True)
    limits = LimitsSerializer(source="*")
    participants = ParticipantSerializer(source="seated", many=True)
    seed = serializers.CharField(
        source="published_seed", allow_null=True, help_text="64 hex digits once the result stands."
    )
    url = serializers.SerializerMethodField()

    class Meta:
        model = Match
        fields = [
            "id", "ladder", "pairing", "tournament", "trial", "requested_by", "status", "preset", "seats", "deals",
            "limits", "participants", "commitment", "seed", "n_attempts", "created_at", "started_at", "finished_at",
            "url",
        ]  # fmt: skip

    @extend_schema_field(PairingSerializer(allow_null=True))
    def get_pairing(self, match: Match) -> dict[str, Any] | None:
        reason: str | None = match.reason  # type: ignore[attr-defined]
        if not reason:
            return None
        made_for: int = match.made_for  # type: ignore[attr-defined]
        seated: list[Any] = match.seated  # type: ignore[attr-defined]
        one = next(one for one in seated if one.version_id == made_for)
        sentence = words.pairing(reason, f"{one.bot_name} v{one.version_number}")
        return {"made_for": made_for, "reason": reason, "sentence": sentence}

    @extend_schema_field(OpenApiTypes.URI)
    def get_url(self, match: Match) -> str:
        return self.address("api-match", match.id)


class SideSerializer(serializers.Serializer[Any]):
    version_id = serializers.IntegerField(source="side.version.pk")
    share = serializers.FloatField(
        source="side.share", allow_null=True, help_text="Of its comparisons with the others, ties as halves."
    )
    mean_points = serializers.FloatField(source="side.mean_points", allow_null=True)
    n_faults = serializers.IntegerField(source="side.n_faults")
    expected = serializers.FloatField(
        allow_null=True, help_text="The share that the published ratings predict."
    )
    residual = serializers.FloatField(allow_null=True, help_text="share less expected.")


class RatingEffectSerializer(serializers.Serializer[Any]):
    """Of a rated match: ratings are fitted from all matches together, so this is all that can be said of one."""

    run = serializers.IntegerField(source="run.pk", help_text="The snapshot that is published now.")
    is_in = serializers.BooleanField(help_text="Whether that is fitted from this match too.")
    sides = SideSerializer(many=True)


class AttemptSerializer(QuickSerializer, serializers.ModelSerializer[Attempt]):
    cause = serializers.CharField(help_text="One word; empty where nothing went wrong.")

    class Meta:
        model = Attempt
        fields = ["number", "outcome", "cause", "started_at", "ended_at"]


class MatchSerializer(MatchSummarySerializer):
    duration_ms = serializers.IntegerField(source="result.duration_ms", default=None, allow_null=True)
    rating_effect = serializers.SerializerMethodField(
        help_text="Null for a match that is not rated or not finished, and while nothing is published."
    )
    attempts = serializers.SerializerMethodField(help_text="Of workers at this match, the first one first.")
    games = GameSerializer(many=True)

    class Meta(MatchSummarySerializer.Meta):
        fields = [*MatchSummarySerializer.Meta.fields, "duration_ms", "rating_effect", "attempts", "games"]

    @extend_schema_field(AttemptSerializer(many=True))
    def get_attempts(self, match: Match) -> list[dict[str, Any]]:
        return list(AttemptSerializer(attempts_at(match.pk), many=True).data)

    @extend_schema_field(RatingEffectSerializer(allow_null=True))
    def get_rating_effect(self, match: Match) -> dict[str, Any] | None:
        found = rating_effect(summary(match))
        return None if found is None else dict(RatingEffectSerializer(found).data)


class SourceSerializer(serializers.Serializer[Any]):
    """A bot's name and its code."""

    name = fields.Text(max_length=32, help_text="2 to 32 letters, digits, “-” and “_”.")
    source = fields.Text(help_text="The text of one Python or JavaScript file.")  # type: ignore[assignment]
    runtime = fields.Text(
        required=False,
        help_text="“python”, “node” or “executable”; without it, what the upload looks like. `source` is taken for "
        "Python.",
    )


class SubmissionSerializer(SourceSerializer):
    """A bot's name, and its code as a file or as text."""

    source = fields.Text(
        required=False, help_text="The text of one Python or JavaScript file, in place of `file`."
    )
    file = serializers.FileField(
        required=False,
        allow_empty_file=True,
        help_text="One .py, .js or .mjs, a static Linux program, or a .zip with main.py, main.js or main.",
    )
