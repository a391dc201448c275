"""Who plays: bots, their immutable versions, the uploaded packages and the checks of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower, Upper
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from bots.packages import suffix_of
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import EXECUTABLE, PYTHON

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

NAME_PATTERN = r"^[A-Za-z0-9_-]{2,32}\Z"
MAX_FILENAME = 64
# Names of deleted bots and accounts begin so, and nobody else's.
DELETED = "deleted-"
validate_name = RegexValidator(
    NAME_PATTERN, _("A name has 2 to 32 letters, digits, “-” and “_”, and nothing else.")
)


def is_name(text: str) -> bool:
    """Whether a bot or a user may be called so."""
    return re.match(NAME_PATTERN, text) is not None


class LimitFields(models.Model):
    """The four limits under which a bot plays; they belong to a ladder or a match and never change there."""

    start_ms = models.PositiveIntegerField(default=5000)
    decision_ms = models.PositiveIntegerField(default=500)
    bank_ms = models.PositiveIntegerField(default=10_000)
    memory_mib = models.PositiveIntegerField(default=512)

    class Meta:
        abstract = True

    @property
    def limits(self) -> Limits:
        return Limits(
            start_ms=self.start_ms,
            decision_ms=self.decision_ms,
            bank_ms=self.bank_ms,
            memory_mib=self.memory_mib,
        )


class Package(models.Model):
    """An upload, byte for byte, stored once under its SHA-256; a row, so that every worker host sees it.

    When the last account that used it is deleted the content is wiped; the SHA-256 stays, replays name it.
    """

    sha256 = models.CharField(max_length=64, primary_key=True)
    content = models.BinaryField()
    size = models.PositiveIntegerField()
    wiped_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256[:12]


def visible_bot(user: User | AnonymousUser, path: str = "") -> models.Q:
    """The condition of `BotQuerySet.visible_to` for whatever has a bot at this path, such as `version__bot__`.

    A condition on the joined row, and no subquery, for which databases would read all bots.
    """
    if user.has_perm("bots.change_bot"):
        return models.Q()
    visible = models.Q(**{f"{path}is_hidden": False})
    if user.is_authenticated:
        visible |= models.Q(**{f"{path}owner": user})
    return visible


class BotQuerySet(models.QuerySet["Bot"]):
    def visible_to(self, user: User | AnonymousUser) -> BotQuerySet:
        """The bots that this person may know of: all but those an operator has hidden."""
        return self.filter(visible_bot(user))

    def owned_by(self, user: User | AnonymousUser) -> BotQuerySet:
        return self.filter(owner=user) if user.is_authenticated else self.none()


class Bot(models.Model):
    """A program's public identity; what plays is its current version."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="bots")
    name = models.CharField(max_length=32, unique=True, validators=[validate_name])
    is_house = models.BooleanField(default=False, help_text=_("Belongs to the arena; exempt from quotas."))
    is_hidden = models.BooleanField(default=False, help_text=_("Hidden by an operator."))
    is_source_public = models.BooleanField(default=False)
    current_version = models.ForeignKey(
        "Version",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text=_("The version that plays; none while the bot is withdrawn or has no ready version."),
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = BotQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(Lower("name"), name="bot_name_ignores_case")]
        # Few, and left out of almost everything.
        indexes = [
            models.Index(fields=["id"], condition=models.Q(is_hidden=True), name="bot_hidden"),
            # By which PostgreSQL finds a name in any case.
            models.Index(Upper("name"), name="bot_upper_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @cached_property
    def version_ids(self) -> list[int]:
        """The keys of its versions, by which long tables are sought."""
        return list(self.versions.values_list("pk", flat=True))

    @property
    def is_withdrawn(self) -> bool:
        return self.withdrawn_at is not None


class VersionQuerySet(models.QuerySet["Version"]):
    def playing(self) -> VersionQuerySet:
        """The versions that new matches may be made with: current, ready, not suspended, not hidden."""
        return self.filter(
            bot__current_version=models.F("pk"),
            status=Version.Status.READY,
            suspended_at=None,
            bot__is_hidden=False,
            bot__owner__is_active=True,
        )

    def able(self) -> VersionQuerySet:
        """The versions that an unrated match may be made with, current or not: ready, still there, and neither they
        nor their bots suspended, withdrawn or hidden."""
        return self.filter(
            status=Version.Status.READY,
            suspended_at=None,
            package__wiped_at=None,
            bot__withdrawn_at=None,
            bot__is_hidden=False,
            bot__owner__is_active=True,
        )

    def visible_to(self, user: User | AnonymousUser) -> VersionQuerySet:
        return self.filter(visible_bot(user, "bot__"))

    def with_private_visible_to(self, user: User | AnonymousUser) -> VersionQuerySet:
        """The versions whose check report, notes and standard error this person may read."""
        if user.has_perm("bots.view_private"):
            return self
        return self.filter(bot__owner=user) if user.is_authenticated else self.none()

    def with_source_visible_to(self, user: User | AnonymousUser) -> VersionQuerySet:
        """The versions whose source this person may read: their own, and what owners have published."""
        if user.has_perm("bots.view_private"):
            return self
        public = models.Q(bot__is_source_public=True, bot__is_hidden=False)
        if user.is_authenticated:
            public |= models.Q(bot__owner=user)
        return self.filter(public)


class Version(models.Model):
    """One immutable upload of a bot."""

    class Status(models.TextChoices):
        RECEIVED = "received", _("received")
        CHECKING = "checking", _("checking")
        READY = "ready", _("ready")
        REJECTED = "rejected", _("rejected")
        PARKED = "parked", _("parked")

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    package = models.ForeignKey(Package, on_delete=models.PROTECT, related_name="versions")
    filename = models.CharField(max_length=MAX_FILENAME)
    runtime = models.CharField(
        max_length=16,
        default=PYTHON,
        blank=True,
        help_text=_("What it runs with; empty until its check where the upload could not be read."),
    )
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.RECEIVED)
    rejection = models.CharField(
        max_length=500, blank=True, help_text=_("The one sentence that matters first, for everybody.")
    )
    report = models.JSONField(
        default=dict,
        blank=True,
        help_text=_("For the owner: what is wrong, the exchange that failed, standard error, the command."),
    )
    suspended_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=_("Set while infrastructure faults cluster around it; an operator looks and clears it."),
    )
    cleared_at = models.DateTimeField(
        null=True, editable=False, help_text=_("When an operator last ended a suspension.")
    )
    check_token = models.UUIDField(null=True, editable=False)
    check_lease_until = models.DateTimeField(
        null=True,
        editable=False,
        help_text=_("While checking, the end of the lease; while received, the next try is not before."),
    )
    check_worker = models.CharField(max_length=128, blank=True, editable=False)
    check_started_at = models.DateTimeField(null=True, editable=False)
    check_attempts = models.PositiveIntegerField(default=0, editable=False)
    check_trouble = models.TextField(
        blank=True, editable=False, help_text=_("For operators: the infrastructure fault of the last try.")
    )
    created_at = models.DateTimeField(auto_now_add=True)
    checked_at = models.DateTimeField(null=True, editable=False)

    objects = VersionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bot", "number"], name="version_number_once_a_bot"),
            models.UniqueConstraint(
                fields=["bot", "package", "runtime"], name="version_package_once_a_bot_and_runtime"
            ),
        ]
        indexes = [
            models.Index(fields=["status", "check_lease_until"], name="version_checks"),
            models.Index(fields=["status", "id"], name="version_states"),
            models.Index(
                fields=["suspended_at"],
                condition=models.Q(suspended_at__isnull=False),
                name="version_suspended",
            ),
        ]
        permissions = [("view_private", "Can read sources, logs and notes of other people's bots")]

    def __str__(self) -> str:
        return f"{self.bot.name} v{self.number}"

    @property
    def sha256(self) -> str:
        return str(self.package_id)

    @property
    def suffix(self) -> str:
        """How a file with the package would end: what it is, and nothing that its author called it."""
        if (ending := suffix_of(self.filename)) in {"zip", "mjs", "cjs"}:
            return ending
        return {PYTHON: "py", EXECUTABLE: "elf"}.get(self.runtime, "js")

    @property
    def is_binary(self) -> bool:
        """Whether it is a program of the processor's own code, which nobody can read."""
        return self.runtime == EXECUTABLE

    @property
    def is_being_checked(self) -> bool:
        return self.status in {self.Status.RECEIVED, self.Status.CHECKING}


class CheckStage(models.Model):
    """One stage of a version's check, as its page shows it live."""

    class Name(models.TextChoices):
        PACKAGE = "package", _("package")
        START = "start", _("start")
        QUALIFICATION = "qualification", _("qualification match")

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        PASSED = "passed", _("passed")
        FAILED = "failed", _("failed")

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="stages")
    name = models.CharField(max_length=16, choices=Name.choices)
    position = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.WAITING)
    facts = models.JSONField(
        default=dict, blank=True, help_text=_("What a passed stage came to; `bots.words` words it.")
    )
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["version", "name"], name="stage_once_a_version")]

    def __str__(self) -> str:
        return f"{self.name}: {self.status}"
