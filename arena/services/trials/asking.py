"""What an owner asks for: a trial, its end, a single match."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.bells import ring_match, ring_trial
from arena.models import Ladder, RequestedMatch, Trial
from arena.ratings.sequential import SequentialTest
from arena.services.trials.advancing import advance, locked
from bots.errors import Refusal
from bots.models import Version
from bots.sandbox.limits import Limits
from bots.services import lock_owner
from matches.models import Match
from matches.services import create_match

PRESET = "official"
# A match of a trial is no longer than one of the duel.
DEALS = 5
DAY = timedelta(days=1)
# Bounds further apart are quicker, and say less. Between these a test neither ends at once nor never.
LEAST_NELO, MOST_NELO, LEAST_APART = -100.0, 100.0, 2.0
LEAST_RISK, MOST_RISK = 0.001, 0.25


class TrialError(Refusal):
    """A trial, its end or a match on request that is refused."""


def start_trial(
    *,
    owner: User,
    version: Version,
    opponent: Version,
    nelo0: float = 0.0,
    nelo1: float = 10.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    max_pairs: int | None = None,
) -> Trial:
    """Ask whether a version of this owner's is better than another of theirs, or than a house bot.

    Raises TrialError.
    """
    if version.bot.owner_id != owner.pk:
        raise TrialError("forbidden", _("This bot is not yours."), "version")
    if opponent.bot.owner_id != owner.pk and not opponent.bot.is_house:
        raise TrialError("not_yours", _("A trial is against a version of yours, or a house bot."), "opponent")
    check_able(version, "version")
    check_able(opponent, "opponent")
    if version.pk == opponent.pk:
        raise TrialError("same_version", _("A version cannot play against itself."), "opponent")
    most = settings.QUOTA_TRIAL_PAIRS
    max_pairs = most if max_pairs is None else max_pairs
    if not 1 <= max_pairs <= most:
        raise TrialError("invalid", _("From 1 to %(n)d pairs.") % {"n": most}, "max_pairs")
    if not (nelo0 >= LEAST_NELO and nelo1 <= MOST_NELO and nelo1 - nelo0 >= LEAST_APART):
        raise TrialError(
            "invalid",
            _("Bounds lie between %(low)d and %(high)d, the second at least %(apart)d above the first.")
            % {"low": LEAST_NELO, "high": MOST_NELO, "apart": LEAST_APART},
            "nelo1",
        )
    for name, risk in (("alpha", alpha), ("beta", beta)):
        if not LEAST_RISK <= risk <= MOST_RISK:
            raise TrialError(
                "invalid", _("From %(low)s to %(high)s.") % {"low": LEAST_RISK, "high": MOST_RISK}, name
            )
    test = SequentialTest(nelo0=nelo0, nelo1=nelo1, alpha=alpha, beta=beta, max_pairs=max_pairs)
    limits = usual_limits()
    with transaction.atomic():
        lock_owner(owner)
        check_trials(owner)
        trial = Trial(
            owner=owner,
            version=version,
            opponent=opponent,
            preset=PRESET,
            deals=min(DEALS, max_pairs),
            nelo0=test.nelo0,
            nelo1=test.nelo1,
            alpha=test.alpha,
            beta=test.beta,
            max_pairs=test.max_pairs,
            counts=[0] * 5,
            **limits.as_dict(),
        )
        check_new(trial)
        trial.save()
        ring_trial(trial.pk)
    return trial


def stop_trial(*, trial: Trial, by: User) -> None:
    """End a trial without a verdict; matches of it that nobody has begun are not played. Raises TrialError."""
    with transaction.atomic():
        trial = locked(trial.pk)
        if trial.owner_id != by.pk and not by.has_perm("arena.change_trial"):
            raise TrialError("forbidden", _("Only its owner may stop a trial."))
        if trial.is_over:
            raise TrialError("over", _("This trial is over."))
        Trial.objects.filter(pk=trial.pk).update(stop=Trial.Stop.OWNER)
        advance(trial_id=trial.pk)


def request_match(*, by: User, version: Version, opponent: Version) -> Match:
    """Queue an unrated match of this person's version against another that plays. Raises TrialError."""
    if version.bot.owner_id != by.pk:
        raise TrialError("forbidden", _("This bot is not yours."), "version")
    check_able(version, "version")
    if not Version.objects.playing().filter(pk=opponent.pk).exists() and opponent.bot.owner_id != by.pk:
        raise TrialError("not_ready", _("This bot does not play now."), "opponent")
    check_able(opponent, "opponent")
    if version.pk == opponent.pk:
        raise TrialError("same_version", _("A version cannot play against itself."), "opponent")
    limits = usual_limits()
    with transaction.atomic():
        lock_owner(by)
        check_requests(by)
        match = create_match(versions=[version, opponent], preset=PRESET, deals=DEALS, limits=limits)
        RequestedMatch.objects.create(match=match, by=by)
        ring_match(match)
    return match


def check_able(version: Version, field: str) -> None:
    if not Version.objects.able().filter(pk=version.pk).exists():
        raise TrialError("not_ready", _("%(version)s may not play now.") % {"version": version}, field)


def check_trials(owner: User) -> None:
    """Raises TrialError. Holds while the owner is locked."""
    own = Trial.objects.filter(owner=owner)
    n_running = own.running().count()
    if n_running >= settings.QUOTA_TRIALS:
        raise TrialError(
            "too_many_trials",
            _("You have %(n)d trials running, as many as an account may have. Stop one, or wait for its end.")
            % {"n": n_running},
        )
    n_today = own.filter(created_at__gt=timezone.now() - DAY).count()
    if n_today >= settings.QUOTA_TRIALS_A_DAY:
        raise TrialError(
            "too_many_trials",
            _("You have started %(n)d trials within 24 hours, as many as an account may.") % {"n": n_today},
        )


def check_new(trial: Trial) -> None:
    """Raises TrialError for a question that a trial of this owner's is asking, as a form that is sent twice does.

    Holds while the owner is locked.
    """
    asked = ("owner", "version", "opponent", "nelo0", "nelo1", "alpha", "beta", "max_pairs")
    same = Trial.objects.running().filter(**{name: getattr(trial, name) for name in asked}).first()
    if same is not None:
        raise TrialError(
            "already_running",
            _("Trial %(n)d asks the same and is running. Wait for its end, or stop it.") % {"n": same.pk},
        )


def check_requests(by: User) -> None:
    """Raises TrialError. Holds while the person is locked."""
    own = RequestedMatch.objects.filter(by=by)
    pending = (Match.Status.QUEUED, Match.Status.RUNNING)
    n_pending = own.filter(match__status__in=pending).count()
    if n_pending >= settings.QUOTA_PENDING_REQUESTS:
        raise TrialError(
            "too_many_requests",
            _("%(n)d matches that you asked for are not played yet. Wait for one of them.")
            % {"n": n_pending},
        )
    n_today = own.filter(created_at__gt=timezone.now() - DAY).count()
    if n_today >= settings.QUOTA_REQUESTS_A_DAY:
        raise TrialError(
            "too_many_requests",
            _("You have asked for %(n)d matches within 24 hours, as many as an account may.")
            % {"n": n_today},
        )


def usual_limits() -> Limits:
    """Those of the first two-seat ladder, so that a trial tells what would happen there."""
    ladder = Ladder.objects.filter(seats=2, preset=PRESET).first()
    return ladder.limits if ladder is not None else Limits()
