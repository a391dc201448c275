"""Tournaments as the API shows them, and what it takes to change them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from arena.api import fields
from arena.api.quick import QuickSerializer
from arena.api.serializers import LimitsSerializer
from arena.formats import Estimate
from arena.formats.base import MOST_ENTRIES
from arena.models import Tournament, TournamentEntry, TournamentRecord
from arena.tournaments.models import MAX_DESCRIPTION, MAX_NAME
from arena.tournaments.words import words

MAX_REASON = 300


class FormatWords(serializers.CharField):
    """A text of a format in the reader's language."""

    def to_representation(self, value: str) -> str:
        return words(value)


class SettingSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = FormatWords()
    explanation = FormatWords()
    kind = serializers.CharField(help_text="`switch`, `number` or `choice`.")
    default = serializers.SerializerMethodField(method_name="default_of")
    minimum = serializers.IntegerField()
    maximum = serializers.IntegerField()
    choices = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))

    @extend_schema_field(OpenApiTypes.ANY)
    def default_of(self, setting: Any) -> Any:
        return setting.default


class FormatSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = FormatWords()
    summary = FormatWords()
    fewest_entries = serializers.IntegerField()
    most_entries = serializers.IntegerField()
    settings = SettingSerializer(many=True)


class TournamentSerializer(QuickSerializer, serializers.ModelSerializer[Tournament]):
    organiser = serializers.CharField(source="organiser.username")
    limits = LimitsSerializer(source="*")
    seeding_ladder = serializers.CharField(source="seeding_ladder.slug", default=None, allow_null=True)
    ladder = serializers.CharField(
        source="ladder.slug",
        default=None,
        allow_null=True,
        help_text="The ladder that its matches count for.",
    )
    lot_seed = serializers.CharField(
        source="published_lot_seed",
        allow_null=True,
        help_text="The seed of all lots, once the event has started.",
    )
    lot_commitment = serializers.CharField(help_text="SHA-256 of the text of `lot_seed`.")
    n_entries = serializers.IntegerField()
    winner = serializers.SerializerMethodField(help_text="The bot that has won, once results are shown.")
    url = serializers.SerializerMethodField()

    class Meta:
        model = Tournament
        fields = [
            "id", "name", "description", "organiser", "state", "format", "settings", "preset", "limits",
            "most_entries", "most_entries_an_owner", "n_entries", "seeding", "seeding_ladder", "ladder",
            "closes_at", "embargo_until", "lot_commitment", "lot_seed", "created_at", "started_at",
            "finished_at", "winner", "url",
        ]  # fmt: skip

    @extend_schema_field({"type": "string", "nullable": True})
    def get_winner(self, tournament: Tournament) -> str | None:
        bot = tournament.winner_for(self.context["request"].user)
        return bot.name if bot else None

    @extend_schema_field(OpenApiTypes.URI)
    def get_url(self, tournament: Tournament) -> str:
        return self.address("api-tournament", tournament.pk)


class TournamentEntrySerializer(QuickSerializer, serializers.ModelSerializer[TournamentEntry]):
    bot = serializers.CharField(source="bot.name")
    owner = serializers.CharField(source="bot.owner.username")
    version = serializers.IntegerField(
        source="version.number", default=None, allow_null=True, help_text="Pinned at the start."
    )
    version_id = serializers.IntegerField(allow_null=True)

    class Meta:
        model = TournamentEntry
        fields = [
            "id", "bot", "owner", "version", "version_id", "seed", "rating", "departure", "departed_at", "created_at",
        ]  # fmt: skip


class TournamentRecordSerializer(QuickSerializer, serializers.ModelSerializer[TournamentRecord]):
    by = serializers.CharField(
        source="by.username", default=None, allow_null=True, help_text="Null where it was the arena itself."
    )

    class Meta:
        model = TournamentRecord
        fields = ["action", "by", "detail", "created_at"]


class EstimateSerializer(serializers.Serializer[Any]):
    best_wins = serializers.FloatField(help_text="The chance that the strongest entry wins.")
    standard_error = serializers.FloatField(help_text="Of that chance.")
    matches = serializers.FloatField()
    games = serializers.FloatField()
    minutes = serializers.FloatField(
        help_text="On all workers that are there now, without waiting for others."
    )
    rehearsals = serializers.IntegerField()
    sentences = serializers.SerializerMethodField(help_text="The same in words, and what was assumed.")

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_sentences(self, estimate: Estimate) -> list[str]:
        return [words(sentence) for sentence in (*estimate.figures, *estimate.assumptions)]


class CriterionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    explanation = serializers.CharField()


class StandingSerializer(serializers.Serializer[Any]):
    place = serializers.IntegerField()
    place_to = serializers.IntegerField(help_text="Differs from `place` where a place is shared or open.")
    entry = serializers.IntegerField()
    bot = serializers.CharField()
    status = serializers.CharField(help_text="`entered`, `withdrawn` or `disqualified`.")
    values = serializers.DictField(child=serializers.JSONField(), help_text="By the name of the criterion.")
    split_by = serializers.CharField(
        allow_null=True, help_text="The criterion that put it behind the row above."
    )
    notes = serializers.ListField(child=serializers.CharField())


class StandingsSerializer(serializers.Serializer[Any]):
    is_finished = serializers.BooleanField()
    criteria = CriterionSerializer(many=True)
    standings = StandingSerializer(many=True)
    notes = serializers.ListField(child=serializers.CharField())


class BracketMatchSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    match = serializers.IntegerField()
    entries = serializers.ListField(child=serializers.IntegerField())
    status = serializers.CharField()
    counts = serializers.BooleanField(
        help_text="False where others are paired by now, so that the match answers nothing."
    )


class BracketSerializer(serializers.Serializer[Any]):
    is_finished = serializers.BooleanField()
    stage = serializers.IntegerField(help_text="How many draws have been made.")
    names = serializers.DictField(child=serializers.CharField(), help_text="Names of bots by entry.")
    parts = serializers.ListField(
        child=serializers.JSONField(), help_text="Groups, brackets or rounds, as docs/tournaments.md says."
    )
    matches = BracketMatchSerializer(many=True)


class EntryPairingSerializer(serializers.Serializer[Any]):
    round = serializers.CharField(help_text="Its key.")
    title = serializers.CharField()
    bye = serializers.BooleanField(help_text="The entry sat out this round; there is no pairing then.")
    pairing = serializers.JSONField(allow_null=True, help_text="As in `bracket/`.")


class EntryDetailSerializer(TournamentEntrySerializer):
    standing = serializers.SerializerMethodField(help_text="Its row of the standings.")
    pairings = serializers.SerializerMethodField(help_text="What it has come to, in the order of the rounds.")
    matches = serializers.SerializerMethodField()

    class Meta(TournamentEntrySerializer.Meta):
        fields = [*TournamentEntrySerializer.Meta.fields, "standing", "pairings", "matches"]

    @extend_schema_field(StandingSerializer(allow_null=True))
    def get_standing(self, entry: TournamentEntry) -> dict[str, Any] | None:
        standing: dict[str, Any] | None = self.context["standing"]
        return standing

    @extend_schema_field(EntryPairingSerializer(many=True))
    def get_pairings(self, entry: TournamentEntry) -> list[dict[str, Any]]:
        pairings: list[dict[str, Any]] = self.context["pairings"]
        return pairings

    @extend_schema_field(BracketMatchSerializer(many=True))
    def get_matches(self, entry: TournamentEntry) -> list[dict[str, Any]]:
        matches: list[dict[str, Any]] = self.context["matches"]
        return matches


# What is sent


class NewTournamentSerializer(serializers.Serializer[Any]):
    name = fields.Title(max_length=MAX_NAME)
    description = fields.Text(max_length=MAX_DESCRIPTION, required=False, allow_blank=True)
    format = fields.Text(max_length=32, help_text="A name of `tournament-formats/`.")
    settings = serializers.DictField(
        required=False, default=dict, help_text="Of the format; those left out are as by default."
    )
    preset = fields.Text(max_length=32, required=False)
    most_entries = fields.Whole(min_value=2, max_value=MOST_ENTRIES, required=False)
    most_entries_an_owner = fields.Whole(min_value=1, max_value=MOST_ENTRIES, required=False)
    closes_at = fields.Moment(
        required=False, allow_null=True, help_text="When it begins; by hand if left out."
    )
    embargo_until = fields.Moment(required=False, allow_null=True)
    seeding = serializers.ChoiceField(choices=Tournament.Seeding.choices, required=False)
    seeding_ladder = fields.LadderField(required=False, allow_null=True)
    ladder = fields.LadderField(
        required=False, allow_null=True, help_text="Count its matches for this ladder."
    )


class EstimateRequestSerializer(serializers.Serializer[Any]):
    format = fields.Text(max_length=32)
    settings = serializers.DictField(required=False, default=dict)
    n_entries = fields.Whole(min_value=2, max_value=MOST_ENTRIES)


class EnteringSerializer(serializers.Serializer[Any]):
    bot = fields.Text(max_length=32)


class ReasonSerializer(serializers.Serializer[Any]):
    reason = fields.Text(max_length=MAX_REASON, required=False, default="", allow_blank=True)


class OrderSerializer(serializers.Serializer[Any]):
    order = serializers.ListField(
        child=fields.Id(), max_length=MOST_ENTRIES, help_text="All entries' ids, seed 1 first."
    )


class RewindSerializer(serializers.Serializer[Any]):
    round = fields.Text(max_length=32, help_text="Its `key`.")
    confirm = fields.Switch(
        default=False, help_text="Without it nothing is done, and the refusal says what would be taken back."
    )


class RerunSerializer(ReasonSerializer):
    match = fields.Id()


class ForfeitSerializer(serializers.Serializer[Any]):
    key = fields.Text(max_length=32, help_text="Of the match within the tournament.")
    forfeits = serializers.ListField(
        child=fields.Id(),
        max_length=8,
        help_text="The entries that forfeit; all for a double forfeit, none to take it back.",
    )


class EmbargoSerializer(serializers.Serializer[Any]):
    until = fields.Moment(allow_null=True, help_text="Null publishes the results now.")
