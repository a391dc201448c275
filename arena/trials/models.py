"""Trials: is this version better than that one? And matches on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from arena.ratings.sequential import SequentialTest
from bots.models import LimitFields, Version, visible_bot
from matches.models import Match

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class TrialQuerySet(models.QuerySet["Trial"]):
    def running(self) -> TrialQuerySet:
        return self.filter(state=Trial.State.RUNNING)

    def visible_to(self, user: User | AnonymousUser) -> TrialQuerySet:
        """Trials are public, as their matches are, unless an operator has hidden one of the bots."""
        return self.filter(visible_bot(user, "version__bot__"), visible_bot(user, "opponent__bot__"))

    def with_names(self) -> TrialQuerySet:
        """With owner, versions and bots, by their names alone: a version also has a report, which is long."""
        named = self.select_related("owner", "version__bot", "opponent__bot")
        sides = [f"{side}__{name}" for side in ("version", "opponent") for name in ("number", "bot__name")]
        own = [field.name for field in self.model._meta.concrete_fields]
        return named.only(*own, "owner__username", *sides)


class Trial(LimitFields):
    """A sequential test of one version against another. What it has come to is reckoned from its matches' results,
    and kept here for reading; its owner's wish to stop is all that is decided by hand."""

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        BETTER = "better", _("better")
        NOT_BETTER = "not_better", _("not better")
        UNDECIDED = "undecided", _("undecided at the limit")
        STOPPED = "stopped", _("stopped")

    class Stop(models.TextChoices):
        OWNER = "owner", _("its owner stopped it")
        VERSION = "version", _("one of the versions may not play any more")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="trials")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="trials")
    opponent = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="trials_against")
    preset = models.CharField(max_length=32)
    deals = models.PositiveSmallIntegerField(help_text=_("Of each match; each deal gives one pair of games."))
    nelo0 = models.FloatField(help_text=_("Not better: normalised Elo."))
    nelo1 = models.FloatField(help_text=_("Better: normalised Elo."))
    alpha = models.FloatField()
    beta = models.FloatField()
    max_pairs = models.PositiveIntegerField(validators=[MinValueValidator(1), MaxValueValidator(1_000_000)])
    stop = models.CharField(max_length=16, choices=Stop.choices, blank=True, editable=False)
    state = models.CharField(max_length=16, choices=State.choices, default=State.RUNNING, editable=False)
    counts = models.JSONField(
        default=list, editable=False, help_text=_("Pairs by what they scored: 0, ½, 1, 1½, 2 games.")
    )
    path = models.JSONField(
        default=list, editable=False, help_text=_("Pairs and log likelihood ratio on the way; thinned out.")
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, editable=False)

    objects = TrialQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state", "id"], name="trial_states")]

    def __str__(self) -> str:
        return f"trial {self.pk}"

    @property
    def test(self) -> SequentialTest:
        return SequentialTest(
            nelo0=self.nelo0, nelo1=self.nelo1, alpha=self.alpha, beta=self.beta, max_pairs=self.max_pairs
        )

    @property
    def n_pairs(self) -> int:
        return sum(self.counts)

    @property
    def is_over(self) -> bool:
        return self.state != self.State.RUNNING

    def may_be_stopped_by(self, user: User | AnonymousUser) -> bool:
        is_own: bool = user.is_authenticated and user.pk == self.owner_id
        return not self.is_over and (is_own or user.has_perm("arena.change_trial"))


class TrialMatchQuerySet(models.QuerySet["TrialMatch"]):
    def visible_to(self, user: User | AnonymousUser) -> TrialMatchQuerySet:
        return self.filter(match__in=Match.objects.visible_to(user))


class TrialMatch(models.Model):
    """A match that a trial asked for."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="trial_matches")
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="trial_match")

    objects = TrialMatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "trial matches"
        ordering = ["match_id"]
        indexes = [models.Index(fields=["trial", "match"], name="trial_matches")]

    def __str__(self) -> str:
        return f"{self.match} of {self.trial}"


class RequestedMatchQuerySet(models.QuerySet["RequestedMatch"]):
    def visible_to(self, user: User | AnonymousUser) -> RequestedMatchQuerySet:
        return self.filter(match__in=Match.objects.visible_to(user))


class RequestedMatch(models.Model):
    """An unrated match that somebody asked for."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="requested_match")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="requested_matches"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = RequestedMatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "requested matches"
        indexes = [models.Index(fields=["by", "created_at"], name="requests_of_a_person")]

    def __str__(self) -> str:
        return f"{self.match} for {self.by}"


def counts_of(tally: dict[str, Any], version: int) -> list[int]:
    """A two-seat match's pairs by what the version scored in them, from its tally (`matches.tally.Tally`)."""
    counts = [0] * 5
    is_first = tally["versions"][0] == version
    for (won,) in tally["deals"]:
        # Half games, from 0 to 4.
        score = round(2 * won)
        counts[score if is_first else 4 - score] += 1
    return counts
