"""Who plays whom and what it means: ladders, their entries and matches, published ratings, and the pulse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from knox.models import AbstractAuthToken

from arena.ratings.compare import SURE_ERRORS

# Django looks for models here.
from arena.tournaments.models import (  # noqa: F401
    Tournament,
    TournamentEntry,
    TournamentForfeit,
    TournamentMatch,
    TournamentRecord,
)
from arena.trials.models import RequestedMatch, Trial, TrialMatch  # noqa: F401
from bots.models import Bot, LimitFields, Version, visible_bot
from matches.models import Match, OfEachRow

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class Ladder(LimitFields):
    """A standing competition; its rule set, table size, limits and match size never change."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=64)
    description = models.TextField(blank=True)
    preset = models.CharField(max_length=32, default="official")
    seats = models.PositiveSmallIntegerField()
    deals = models.PositiveSmallIntegerField()
    position = models.PositiveSmallIntegerField(default=0)
    is_open = models.BooleanField(default=True)
    current_run = models.ForeignKey(
        "RatingRun",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text=_("The published snapshot of ratings."),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return self.name

    @property
    def title(self) -> str:
        """Its name in the reader's language, where that is known; so is the summary."""
        return gettext(self.name)

    @property
    def summary(self) -> str:
        return gettext(self.description) if self.description else ""


class LadderEntryQuerySet(models.QuerySet["LadderEntry"]):
    def visible_to(self, user: User | AnonymousUser) -> LadderEntryQuerySet:
        return self.filter(visible_bot(user, "bot__"))

    def playing(self) -> LadderEntryQuerySet:
        """Active entries whose bot has a version that may play."""
        return self.filter(is_active=True, bot__current_version__in=Version.objects.playing())


class LadderEntry(models.Model):
    """A bot's place on a ladder; its current version plays while the entry is active."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="entries")
    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="ladder_entries")
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LadderEntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "ladder entries"
        constraints = [models.UniqueConstraint(fields=["ladder", "bot"], name="entry_once_a_ladder")]

    def __str__(self) -> str:
        return f"{self.bot} on {self.ladder}"


class LadderMatchQuerySet(models.QuerySet["LadderMatch"]):
    def visible_to(self, user: User | AnonymousUser) -> LadderMatchQuerySet:
        return self.filter(match__in=Match.objects.visible_to(user))


class LadderMatch(models.Model):
    """Says that a match counts for a ladder, and if pairing made it, for which version and why."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="ladder_matches")
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="ladder_match")
    made_for = models.ForeignKey(
        Version, null=True, editable=False, on_delete=models.PROTECT, related_name="+"
    )
    reason = models.CharField(
        max_length=16, blank=True, editable=False, help_text=_("A code of `arena.pairing.first.Reason`.")
    )

    objects = LadderMatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "ladder matches"
        indexes = [models.Index(fields=["ladder", "match"], name="ladder_matches")]

    def __str__(self) -> str:
        return f"{self.match} on {self.ladder}"


class RatingRun(models.Model):
    """One published snapshot of a ladder's ratings: a pure function of its complete matches that count."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="rating_runs")
    algorithm = models.CharField(max_length=32)
    input_sha256 = models.CharField(max_length=64, help_text=_("Of every rated result, in order of match."))
    basis_sha256 = models.CharField(
        max_length=64, blank=True, help_text=_("Of what tells whether any result has come or gone since.")
    )
    prior_sd = models.FloatField(
        default=0, help_text=_("Width of the field in Elo points, as the fit found it.")
    )
    n_matches = models.PositiveIntegerField()
    n_games = models.PositiveIntegerField()
    n_rated = models.PositiveIntegerField(default=0, help_text=_("Versions with a rating in it."))
    n_left_out = models.PositiveIntegerField(
        default=0,
        help_text=_("Finished matches of the ladder that are void, or whose players are banned or hidden."),
    )
    n_playing = models.PositiveIntegerField(
        default=0, help_text=_("Versions with a place in it: those that played when it was published.")
    )
    duration_ms = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"ratings {self.pk} of {self.ladder}"


class RatingQuerySet(models.QuerySet["Rating"]):
    def published(self, ladder: Ladder) -> RatingQuerySet:
        """The rows of the ladder's current snapshot."""
        return self.filter(run=ladder.current_run_id)

    def visible_to(self, user: User | AnonymousUser) -> RatingQuerySet:
        return self.filter(visible_bot(user, "version__bot__"))

    def current(self) -> RatingQuerySet:
        """The rows that have a place, of versions that still play: their bot's current one, on the run's ladder."""
        entered = LadderEntry.objects.filter(
            ladder=models.OuterRef("run__ladder"),
            bot__current_version=models.OuterRef("version"),
            is_active=True,
        )
        return self.filter(OfEachRow(entered), place__isnull=False)

    def with_names(self) -> RatingQuerySet:
        return self.select_related("version__bot__owner")


class Rating(models.Model):
    """One version's row in a snapshot, on the Elo scale."""

    run = models.ForeignKey(RatingRun, on_delete=models.CASCADE, related_name="ratings")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="ratings")
    rank = models.PositiveIntegerField(help_text=_("Among all rows of the snapshot, from 1."))
    rank_low = models.PositiveIntegerField(
        null=True, help_text=_("The best rank that is possible there; unknown in old snapshots.")
    )
    rank_high = models.PositiveIntegerField(null=True, help_text=_("The worst rank that is possible there."))
    place = models.PositiveIntegerField(
        null=True,
        help_text=_(
            "The rank among the versions that played when the snapshot was published; none for others."
        ),
    )
    place_low = models.PositiveIntegerField(null=True)
    place_high = models.PositiveIntegerField(null=True)
    better_than_next = models.FloatField(
        null=True, help_text=_("The chance that it is truly above the next place; none for the last.")
    )
    elo = models.FloatField()
    standard_error = models.FloatField(help_text=_("In Elo points, about the mean of the field."))
    doubts = models.JSONField(default=list, help_text=_("Why the rating is provisional; empty if it is not."))
    n_games = models.PositiveIntegerField()
    n_matches = models.PositiveIntegerField()
    n_opponents = models.PositiveIntegerField()
    win_share = models.FloatField(help_text=_("Wins plus half the ties, over all pairs."))
    mean_points = models.FloatField(null=True, help_text=_("Mean total a game, games with its fault aside."))
    round_points = models.FloatField(
        null=True, help_text=_("Mean points a round, games with its fault aside.")
    )
    n_faults = models.PositiveIntegerField(help_text=_("Games in which the version itself faulted."))

    objects = RatingQuerySet.as_manager()

    class Meta:
        ordering = ["rank", "version_id"]
        constraints = [models.UniqueConstraint(fields=["run", "version"], name="rating_once_a_run")]
        indexes = [models.Index(fields=["run", "rank"], name="rating_board")]

    def __str__(self) -> str:
        return f"{self.version}: {self.elo:.0f} ± {self.half_width:.0f}"

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval."""
        return SURE_ERRORS * self.standard_error

    @property
    def is_provisional(self) -> bool:
        """Whether too little is known yet for the rating to be read as more than a first guess."""
        return bool(self.doubts)

    @property
    def fault_rate(self) -> float:
        """The share of its games in which the version itself faulted."""
        return self.n_faults / self.n_games if self.n_games else 0.0


class Pulse(models.Model):
    """The last sign of life of a worker or of a periodic job, for /healthz and the status page."""

    class Kind(models.TextChoices):
        WORKER = "worker", _("worker")
        JOB = "job", _("periodic job")

    name = models.CharField(max_length=128, primary_key=True)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    is_well = models.BooleanField(default=True)
    detail = models.JSONField(default=dict, blank=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Host(models.Model):
    """A machine whose workers play, by what stands after the @ of their names."""

    name = models.CharField(max_length=128, primary_key=True)
    quarantined_at = models.DateTimeField(
        null=True, editable=False, help_text=_("Set while an operator gives it no matches.")
    )
    reported_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text=_(
            "Set while its faults, or time-outs of bots there, stand out and no operator has looked."
        ),
    )
    evidence = models.JSONField(
        default=dict, blank=True, editable=False, help_text=_("What was reported: `arena.outliers.Outlier`.")
    )
    cleared_at = models.DateTimeField(
        null=True, editable=False, help_text=_("When an operator last let it play again.")
    )

    def __str__(self) -> str:
        return self.name

    @property
    def state(self) -> str:
        """For operators in a terminal."""
        words = [
            f"in quarantine since {self.quarantined_at:%F %H:%M} UTC" if self.quarantined_at else "plays"
        ]
        return "; ".join([*words, *([self.report] if self.report else [])])

    @property
    def report(self) -> str:
        """Why it stands out, in a sentence; empty if it does not."""
        if not self.evidence:
            return ""
        facts = {
            "host": self.name,
            "own": self.evidence["n_own"],
            "all": self.evidence["n_faults"],
            "expected": f"{self.evidence['expected']:.1f}",
        }
        if self.evidence["kind"] == "timeouts":
            return (
                gettext(
                    "Bots time out on host %(host)s more than elsewhere: in %(own)d of the %(all)d matches with a "
                    "time-out, where chance would lay %(expected)s."
                )
                % facts
            )
        return (
            gettext(
                "Host %(host)s stands out: %(own)d of %(all)d infrastructure faults happened there, where chance "
                "would lay %(expected)s."
            )
            % facts
        )


class NoticeQuerySet(models.QuerySet["Notice"]):
    def visible_to(self, user: User | AnonymousUser) -> NoticeQuerySet:
        """Those about a person's own bots; all of them for who may read what is private."""
        if user.has_perm("bots.view_private"):
            return self
        return self.filter(bot__owner=user) if user.is_authenticated else self.none()


class Notice(models.Model):
    """What the arena tells the owner of a bot about something that it has done to it."""

    class Kind(models.TextChoices):
        SUSPENDED = "suspended", _("suspended")
        DEACTIVATED = "deactivated", _("deactivated")

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="notices")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    facts = models.JSONField(default=dict, blank=True, help_text=_("What the text is made of."))
    created_at = models.DateTimeField(auto_now_add=True)

    objects = NoticeQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.kind}: {self.version}"

    @property
    def text(self) -> str:
        """For the owner, in the reader's language."""
        names = {"bot": self.bot.name, "number": self.version.number}
        if self.kind == self.Kind.SUSPENDED:
            return gettext(
                "Version %(number)d of %(bot)s is suspended, not judged: %(own)d of %(all)d infrastructure faults of "
                "ours happened in its matches, where chance would lay %(expected)s. It plays no matches until an "
                "operator has looked. No result was changed, and a new version may play."
            ) % {
                **names,
                "own": self.facts["n_own"],
                "all": self.facts["n_faults"],
                "expected": f"{self.facts['expected']:.1f}",
            }
        return gettext(
            "%(bot)s is deactivated: version %(number)d did not start in its last matches (%(matches)s). What it wrote "
            "to standard error stands on the pages of their games. Submit a version that starts, or re-activate the "
            "bot on its page."
        ) % {**names, "matches": ", ".join(map(str, self.facts["matches"]))}


class ApiToken(AbstractAuthToken):
    """A person's key to the API: hashed, named, expiring, revocable, good for so much and no more."""

    class Scope(models.TextChoices):
        READ = "read", _("read, your private things included")
        SUBMIT = "submit", _("read, and submit bots")
        ALL = "all", _("everything that you may do by the API")

    name = models.CharField(max_length=64)
    scope = models.CharField(max_length=16, choices=Scope.choices, default=Scope.ALL)
    last_used_at = models.DateTimeField(null=True, help_text=_("To within a minute."))

    def __str__(self) -> str:
        return self.name
