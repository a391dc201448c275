"""Events with a beginning and an end: tournaments, who is entered, the matches they ask for, what was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from arena.formats import FORMATS, Departure, Format, Leaving, format_named
from arena.formats import Entry as FormatEntry
from arena.tournaments.words import words
from bots.models import Bot, LimitFields, Version, visible_bot
from matches.models import Match

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

MAX_NAME = 64
MAX_DESCRIPTION = 2000


def placeholder(bot_id: int) -> str:
    """What stands for a bot's name in a stored text: bots can be renamed and hidden. `reading` puts names in."""
    return f"‹bot {bot_id}›"


class TournamentQuerySet(models.QuerySet["Tournament"]):
    def started(self) -> TournamentQuerySet:
        """Those that have matches to come."""
        return self.filter(state__in=[Tournament.State.RUNNING, Tournament.State.PAUSED])

    def opened(self) -> TournamentQuerySet:
        """Those that are not over."""
        return self.exclude(state__in=[Tournament.State.FINISHED, Tournament.State.CANCELLED])

    def with_results_visible_to(self, user: User | AnonymousUser) -> TournamentQuerySet:
        """Those whose results, and what was decided about them, this person may know by now."""
        if user.has_perm("bots.change_bot"):
            return self
        released = models.Q(embargo_until=None) | models.Q(embargo_until__lte=timezone.now())
        if user.is_authenticated:
            released |= models.Q(organiser=user)
        return self.filter(released)

    def for_lists(self) -> TournamentQuerySet:
        """With all that a row of a list names, and without the snapshots, which are large."""
        return self.select_related("organiser", "ladder", "seeding_ladder", "winner__bot").defer("snapshot")


class Tournament(LimitFields):
    """An event. Its terms may change until it starts, and never after; what it has come to is reckoned from entries,
    results and decisions by its format, and kept in `snapshot` for reading."""

    class State(models.TextChoices):
        REGISTRATION = "registration", _("open for entries")
        RUNNING = "running", _("running")
        PAUSED = "paused", _("paused")
        FINISHED = "finished", _("finished")
        CANCELLED = "cancelled", _("cancelled")

    class Seeding(models.TextChoices):
        RATING = "rating", _("by rating")
        HAND = "hand", _("by hand")
        LOT = "lot", _("by a published random seed")

    name = models.CharField(max_length=MAX_NAME)
    description = models.TextField(max_length=MAX_DESCRIPTION, blank=True)
    organiser = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tournaments"
    )
    state = models.CharField(max_length=16, choices=State.choices, default=State.REGISTRATION)
    format = models.CharField(max_length=32)
    settings = models.JSONField(default=dict, help_text=_("All settings of the format."))
    preset = models.CharField(max_length=32, default="official")
    most_entries = models.PositiveSmallIntegerField(validators=[MinValueValidator(2)])
    most_entries_an_owner = models.PositiveSmallIntegerField(
        default=1, help_text=_("House bots are not counted.")
    )
    closes_at = models.DateTimeField(
        null=True, blank=True, help_text=_("When registration closes (UTC); by hand if empty.")
    )
    embargo_until = models.DateTimeField(
        null=True, blank=True, help_text=_("Until then only organiser and operators see results.")
    )
    seeding = models.CharField(max_length=16, choices=Seeding.choices, default=Seeding.RATING)
    seeding_ladder = models.ForeignKey(
        "arena.Ladder", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    ladder = models.ForeignKey(
        "arena.Ladder",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="tournaments",
        help_text=_("The ladder that its matches count for, if any."),
    )
    lot_seed = models.CharField(
        max_length=64, editable=False, help_text=_("Of all lots; secret until the start.")
    )
    lot_commitment = models.CharField(
        max_length=64, editable=False, help_text=_("SHA-256 of the lot seed's text.")
    )
    snapshot = models.JSONField(
        null=True, editable=False, help_text=_("The state by its format, with placeholders for names.")
    )
    digest = models.CharField(
        max_length=64, blank=True, editable=False, help_text=_("Of all that the snapshot was reckoned from.")
    )
    winner = models.ForeignKey(
        "TournamentEntry",
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text=_("As the snapshot says, for lists that do not read it."),
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)

    objects = TournamentQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state", "closes_at"], name="tournament_states")]

    def __str__(self) -> str:
        return self.name

    @property
    def plays_by(self) -> Format:
        return format_named(self.format)

    @property
    def format_title(self) -> str:
        return words(FORMATS[self.format].title) if self.format in FORMATS else self.format

    @property
    def format_summary(self) -> str:
        return words(self.plays_by.summary)

    @property
    def is_open(self) -> bool:
        """Whether bots can be entered."""
        is_due = self.closes_at is not None and self.closes_at <= timezone.now()
        return self.state == self.State.REGISTRATION and not is_due

    @property
    def is_over(self) -> bool:
        return self.state in {self.State.FINISHED, self.State.CANCELLED}

    @property
    def has_started(self) -> bool:
        return self.started_at is not None

    @property
    def is_embargoed(self) -> bool:
        return self.embargo_until is not None and self.embargo_until > timezone.now()

    @property
    def published_lot_seed(self) -> str | None:
        """The seed of all lots once the event has started, before that None."""
        return self.lot_seed if self.has_started else None

    def is_run_by(self, user: User | AnonymousUser) -> bool:
        """Whether this person decides about the event: its organiser, and operators."""
        return user.is_authenticated and (
            user.pk == self.organiser_id or user.has_perm("arena.change_tournament")
        )

    def shows_results_to(self, user: User | AnonymousUser) -> bool:
        """The rule of `with_results_visible_to` for this one, without asking the database."""
        is_own = user.is_authenticated and user.pk == self.organiser_id
        return not self.is_embargoed or is_own or user.has_perm("bots.change_bot")

    def winner_for(self, user: User | AnonymousUser) -> Bot | None:
        """The bot that has won, as far as this person may know."""
        if self.winner is None or not self.shows_results_to(user):
            return None
        bot = self.winner.bot
        is_visible = not bot.is_hidden or Bot.objects.visible_to(user).filter(pk=bot.pk).exists()
        return bot if is_visible else None


class TournamentEntryQuerySet(models.QuerySet["TournamentEntry"]):
    def visible_to(self, user: User | AnonymousUser) -> TournamentEntryQuerySet:
        return self.filter(visible_bot(user, "bot__"))

    def taking_part(self) -> TournamentEntryQuerySet:
        """Those who have not left."""
        return self.filter(departure="")

    def with_names(self) -> TournamentEntryQuerySet:
        return self.select_related("bot__owner", "version")


class TournamentEntry(models.Model):
    """A bot's place in an event. `version` and `seed` are set when registration closes and never change; one that
    was disqualified before has neither and is kept so that its bot does not come back."""

    class Departure(models.TextChoices):
        WITHDRAWN = "withdrawn", _("withdrawn")
        DISQUALIFIED = "disqualified", _("disqualified")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entries")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="tournament_entries")
    version = models.ForeignKey(
        Version, null=True, on_delete=models.PROTECT, related_name="tournament_entries"
    )
    seed = models.PositiveSmallIntegerField(null=True, help_text=_("1 is the strongest."))
    rating = models.FloatField(null=True, help_text=_("By which it was seeded."))
    place_by_hand = models.PositiveSmallIntegerField(null=True, help_text=_("Where the organiser put it."))
    departure = models.CharField(max_length=16, choices=Departure.choices, blank=True)
    departure_stage = models.PositiveSmallIntegerField(default=0)
    departed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TournamentEntryQuerySet.as_manager()

    class Meta:
        ordering = ["seed", "id"]
        verbose_name_plural = "tournament entries"
        constraints = [
            models.UniqueConstraint(fields=["tournament", "bot"], name="tournament_entry_once"),
            models.UniqueConstraint(fields=["tournament", "seed"], name="tournament_seed_once"),
        ]

    def __str__(self) -> str:
        return f"{self.bot} in {self.tournament}"

    @property
    def has_left(self) -> bool:
        return bool(self.departure)

    def for_format(self) -> FormatEntry:
        """As its format wants it. Its name is put in when the state is read: names change."""
        left = None
        if self.departed_at is not None:
            moment = round(self.departed_at.timestamp() * 1_000_000)
            left = Departure(Leaving(self.departure), self.departure_stage, moment)
        return FormatEntry(id=self.pk, seed=self.seed or 0, name=placeholder(self.bot_id), departure=left)


class TournamentMatchQuerySet(models.QuerySet["TournamentMatch"]):
    def visible_to(self, user: User | AnonymousUser) -> TournamentMatchQuerySet:
        return self.filter(match__in=Match.objects.visible_to(user))


class TournamentMatch(models.Model):
    """A match that a format asked for by `key`, between these entries (ascending ids). `is_current` until it is
    void: then the event asks for another, if it still needs one."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="tournament_matches")
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="tournament_match")
    key = models.CharField(max_length=32)
    entries = models.CharField(max_length=128, help_text=_("Ids, ascending, with commas."))
    is_current = models.BooleanField(default=True)

    objects = TournamentMatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "tournament matches"
        ordering = ["match_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "key", "entries"],
                condition=models.Q(is_current=True),
                name="tournament_match_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.tournament}"

    @property
    def entry_ids(self) -> tuple[int, ...]:
        return tuple(int(one) for one in self.entries.split(","))


class TournamentForfeit(models.Model):
    """The organiser's decision that some, or all, of a match's entries forfeit it; it stands for the result."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="forfeits")
    key = models.CharField(max_length=32)
    entries = models.CharField(max_length=128, help_text=_("Ids, ascending, with commas."))
    forfeits = models.CharField(max_length=128, help_text=_("Ids of those that forfeit, with commas."))
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tournament", "key", "entries"], name="tournament_forfeit_once")
        ]

    def __str__(self) -> str:
        return f"forfeit of {self.key} in {self.tournament}"


class TournamentRecordQuerySet(models.QuerySet["TournamentRecord"]):
    def visible_to(self, user: User | AnonymousUser) -> TournamentRecordQuerySet:
        """The whole records; what was done and when, without `detail`, everybody may know."""
        return self.filter(tournament__in=Tournament.objects.with_results_visible_to(user))


class TournamentRecord(models.Model):
    """Who did what to an event and when; append-only. `by` is None where it was the arena itself. Bots stand in
    `detail` as placeholders."""

    class Action(models.TextChoices):
        CREATED = "created", _("created")
        EDITED = "edited", _("terms changed")
        STARTED = "started", _("started")
        LEFT_OUT = "left out", _("left out")
        WITHDRAWN = "withdrawn", _("withdrawn")
        DISQUALIFIED = "disqualified", _("disqualified")
        PAUSED = "paused", _("paused")
        RESUMED = "resumed", _("resumed")
        REWOUND = "rewound", _("rewound")
        RERUN = "rerun", _("match played again")
        FORFEITED = "forfeited", _("forfeit decided")
        EMBARGO = "embargo", _("embargo changed")
        FINISHED = "finished", _("finished")
        REOPENED = "reopened", _("reopened")
        CANCELLED = "cancelled", _("cancelled")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="records")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="tournament_records"
    )
    action = models.CharField(max_length=16, choices=Action.choices)
    detail = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TournamentRecordQuerySet.as_manager()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.action}: {self.tournament}"
