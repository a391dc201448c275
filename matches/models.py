"""What is played: matches, the tries of workers at them, their one result, and the replay of each game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from bots.models import Bot, LimitFields, Version

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class OfEachRow(models.Exists):
    """Exists, asked anew of each row that is read. Without the OFFSET PostgreSQL may find all rows of which it is true
    first, however many, and however few are to be read."""

    template = "EXISTS(%(subquery)s OFFSET 0)"


def released_match(user: User | AnonymousUser, path: str = "") -> models.Q:
    """The condition of `MatchQuerySet.released_to` for whatever has a match at this path, such as `match__`."""
    released = models.Q(**{f"{path}embargo_until": None}) | models.Q(**{f"{path}embargo_until__lte": Now()})
    if user.is_authenticated:
        released |= models.Q(**{f"{path}embargo_viewer": user})
    return released


def visible_match(user: User | AnonymousUser, path: str = "") -> models.Q:
    """The condition of `MatchQuerySet.visible_to` in the same way: on the joined row, so that lists are read in their
    order by index. Each row asks for hidden bots among its own."""
    if user.has_perm("bots.change_bot"):
        return models.Q()
    barred = Participant.objects.filter(match=models.OuterRef(f"{path}pk"), bot__is_hidden=True)
    if user.is_authenticated:
        barred = barred.exclude(bot__owner=user)
    return released_match(user, path) & ~models.Q(OfEachRow(barred))


class MatchQuerySet(models.QuerySet["Match"]):
    def visible_to(self, user: User | AnonymousUser) -> MatchQuerySet:
        """Every match is public, its seed when it is finished (`Match.published_seed`).

        Matches of a bot that an operator has hidden are shown to its owner and to operators alone, matches under an
        embargo to operators and to the one person that they name.
        """
        return self.filter(visible_match(user))

    def released_to(self, user: User | AnonymousUser) -> MatchQuerySet:
        """Those whose result this person may know by now."""
        return self.filter(released_match(user))


class Match(LimitFields):
    """The unit of evidence: the same versions play the same deals once from every cyclic seating."""

    class Status(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        VOID = "void", _("void")
        PARKED = "parked", _("parked")

    preset = models.CharField(max_length=32)
    seats = models.PositiveSmallIntegerField()
    deals = models.PositiveSmallIntegerField()
    seed = models.BinaryField(max_length=32, help_text=_("Secret until the match is finished."))
    commitment = models.CharField(max_length=64, unique=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    token = models.UUIDField(null=True, editable=False, help_text=_("Of the attempt that holds the lease."))
    lease_until = models.DateTimeField(null=True, editable=False)
    n_attempts = models.PositiveIntegerField(default=0)
    n_failures = models.PositiveIntegerField(
        default=0, help_text=_("Attempts that failed since the match was queued; too many park it.")
    )
    has_bot_fault = models.BooleanField(
        default=False, editable=False, help_text=_("Whether a bot faulted in any of its games.")
    )
    embargo_until = models.DateTimeField(
        null=True,
        editable=False,
        help_text=_("Until then the match is nobody's but the viewer's and operators'."),
    )
    embargo_viewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)

    objects = MatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "matches"
        indexes = [
            models.Index(fields=["status", "lease_until"], name="match_leases"),
            models.Index(fields=["status", "id"], name="match_queue"),
            models.Index(fields=["seats", "id"], name="match_tables"),
            # Rare, and looked for among all.
            models.Index(fields=["id"], condition=models.Q(has_bot_fault=True), name="match_bot_faults"),
            models.Index(
                fields=["finished_at", "id"],
                condition=models.Q(finished_at__isnull=False),
                name="match_finished",
            ),
        ]

    def __str__(self) -> str:
        return f"match {self.pk}"

    @property
    def n_games(self) -> int:
        return self.deals * self.seats

    @property
    def published_seed(self) -> str | None:
        """The seed as 64 hex digits once the result stands, before that None."""
        return bytes(self.seed).hex() if self.finished_at is not None else None

    @property
    def wall_limit_s(self) -> int:
        """What all starts and games may take at most; no attempt lasts longer.

        A bot that leaves after each game is started afresh for the next: were that not counted, it could sleep at its
        starts until the attempt is cut off, and so never lose.
        """
        limits = self.limits
        starts_ms = self.n_games * self.seats * limits.start_wall_ms
        games_ms = self.n_games * self.seats * limits.game_wall_ms
        limit_s: int = settings.MATCH_WALL_LIMIT_S
        return min(-(-(starts_ms + games_ms) // 1000), limit_s)


class Participant(models.Model):
    """A version that plays in a match; `number` counts from 0 in ascending version id.

    `bot` is the version's own, by which an index knows what all versions of a bot have played, in order.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="participants", db_index=False)
    version = models.ForeignKey(
        Version, on_delete=models.PROTECT, related_name="participations", db_index=False
    )
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", editable=False, db_index=False)
    number = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="participant_number_once_a_match"),
            models.UniqueConstraint(fields=["match", "version"], name="participant_version_once_a_match"),
        ]
        # The latest matches of a version, or of a bot: there may be thousands.
        indexes = [
            models.Index(fields=["version", "match"], name="participant_matches"),
            models.Index(fields=["bot", "match"], name="participant_bot_matches"),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.match}"


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def visible_to(self, user: User | AnonymousUser) -> AttemptQuerySet:
        return self.filter(visible_match(user, "match__"))


class Attempt(models.Model):
    """One try of a worker at a match. A match may need several; it has one result."""

    class Outcome(models.TextChoices):
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        INFRASTRUCTURE = "infrastructure", _("infrastructure fault")
        LOST = "lost", _("worker lost")
        STOPPED = "stopped", _("worker stopped")

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    token = models.UUIDField(unique=True)
    worker = models.CharField(max_length=128)
    outcome = models.CharField(max_length=16, choices=Outcome.choices, default=Outcome.RUNNING)
    cause = models.CharField(max_length=32, blank=True)
    detail = models.TextField(blank=True, help_text=_("For operators."))
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    objects = AttemptQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="attempt_number_once_a_match")
        ]
        indexes = [
            models.Index(fields=["outcome", "ended_at"], name="attempt_outcomes"),
            # Our faults, by match: rare, and looked for among all.
            models.Index(
                fields=["match"],
                condition=models.Q(outcome__in=["infrastructure", "lost"]),
                name="attempt_our_faults",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} at {self.match}"


class Result(models.Model):
    """The one result of a match, by its primary key; append-only."""

    match = models.OneToOneField(Match, on_delete=models.PROTECT, primary_key=True, related_name="result")
    attempt = models.OneToOneField(Attempt, on_delete=models.PROTECT, related_name="result")
    duration_ms = models.PositiveIntegerField()
    tally = models.JSONField(help_text=_("The match in numbers, reckoned by `matches.tally`: what is rated."))
    times = models.JSONField(
        default=list,
        help_text=_(
            "By participant, how many of its decisions took how long (`matches.tally.times`); empty if not known."
        ),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"result of {self.match}"


class GameQuerySet(models.QuerySet["Game"]):
    def visible_to(self, user: User | AnonymousUser) -> GameQuerySet:
        return self.filter(visible_match(user, "match__"))


class Game(models.Model):
    """One stored game of a finished match; append-only, but for when it was last played again and what came of it."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="games")
    deal = models.PositiveSmallIntegerField()
    seating = models.PositiveSmallIntegerField()
    replay = models.BinaryField(help_text=_("Core and timing, compact, gzip; empty for a forfeit."))
    core_sha256 = models.CharField(max_length=64, blank=True, help_text=_("Of the replay's core."))
    is_forfeit = models.BooleanField(default=False)
    n_rounds = models.PositiveSmallIntegerField()
    n_decisions = models.PositiveIntegerField()
    round_points = models.JSONField(
        default=list, help_text=_("Of each round, the points by seat; empty for a forfeit or if not known.")
    )
    created_at = models.DateTimeField(auto_now_add=True)
    verified_at = models.DateTimeField(
        null=True, editable=False, help_text=_("When the server last played the game again from its replay.")
    )
    difference = models.TextField(
        blank=True,
        editable=False,
        help_text=_("The first thing that then came out otherwise than it is stored; empty if nothing did."),
    )

    objects = GameQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["match", "deal", "seating"], name="game_once_a_match_deal_seating"
            )
        ]
        # Which are to be played again next is asked every minute, and whether any came out otherwise at each scrape.
        indexes = [
            models.Index(
                fields=["id"],
                condition=models.Q(verified_at=None, is_forfeit=False),
                name="game_never_verified",
            ),
            models.Index(
                fields=["verified_at"],
                condition=models.Q(verified_at__isnull=False),
                name="game_verified_longest_ago",
            ),
            models.Index(fields=["id"], condition=~models.Q(difference=""), name="game_differs"),
        ]

    def __str__(self) -> str:
        return f"game {self.pk}"


class GameSeatQuerySet(models.QuerySet["GameSeat"]):
    def visible_to(self, user: User | AnonymousUser) -> GameSeatQuerySet:
        return self.filter(visible_match(user, "game__match__"))

    def with_private_visible_to(self, user: User | AnonymousUser) -> GameSeatQuerySet:
        """The seats whose notes, standard error and offending line this person may read."""
        return self.filter(version__in=Version.objects.with_private_visible_to(user))


class GameSeat(models.Model):
    """What one seat of a game came to. Points of a faulted seat enter no statistic. `bot` is the version's own, as
    `Participant` has it."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="seats", db_index=False)
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="game_seats", db_index=False)
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", editable=False, db_index=False)
    placing = models.PositiveSmallIntegerField()
    total = models.IntegerField(null=True, help_text=_("Points at the end; none in a forfeit."))
    cpu_ms = models.PositiveIntegerField(default=0)
    fault = models.CharField(max_length=16, blank=True, help_text=_("Kind of the bot fault, if any."))
    fault_detail = models.JSONField(
        default=dict, blank=True, help_text=_("Public: phase, round, turn, expected, time, memory, exit.")
    )
    private = models.BinaryField(
        default=b"", help_text=_("Notes, standard error, offending line for the owner alone; gzip JSON.")
    )

    objects = GameSeatQuerySet.as_manager()

    class Meta:
        ordering = ["seat"]
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="game_seat_once")]
        # Looked for every minute among millions.
        indexes = [
            models.Index(fields=["version"], condition=models.Q(fault="timeout"), name="game_seat_timeouts"),
            models.Index(fields=["version", "id"], condition=~models.Q(fault=""), name="game_seat_faults"),
            models.Index(fields=["bot", "id"], condition=~models.Q(fault=""), name="game_seat_bot_faults"),
            models.Index(
                fields=["bot", "fault", "id"], condition=~models.Q(fault=""), name="game_seat_bot_fault_kinds"
            ),
            models.Index(fields=["version", "game"], name="game_seat_games"),
            models.Index(fields=["bot", "game"], name="game_seat_bot_games"),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.game}"
