"""What operators do to matches, bots and people."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from arena.bells import ring_asker_of, ring_check, ring_match, ring_rating
from arena.models import LadderMatch, TournamentEntry, TournamentMatch, TrialMatch
from arena.services.tokens import revoke_all_tokens
from arena.services.tournaments import leave_tournaments
from bots import services as bot_services
from bots.models import Bot, Version
from bots.services import withdraw_bot
from matches import services as matches
from matches.models import Match


def void_match(*, match: Match) -> bool:
    """Take a match out of the ratings, which are fitted again without it. False if it was void already.

    A tournament that needs it has it played again, and a trial has another played.
    """
    with transaction.atomic():
        is_voided = matches.void_match(match=match)
        if is_voided:
            ring_rating()
            ring_asker_of(match)
    return is_voided


def requeue_match(*, match: Match) -> bool:
    """Have a parked match tried again, with the same seed. False if it is not parked."""
    with transaction.atomic():
        is_queued = matches.requeue_match(match=match)
        if is_queued:
            ring_match(match)
    return is_queued


def requeue_check(*, version: Version) -> bool:
    """Have a parked check tried again. False if it is not parked."""
    with transaction.atomic():
        is_queued = bot_services.requeue_check(version=version)
        if is_queued:
            ring_check(version.pk)
    return is_queued


def rerun_match(*, match: Match) -> Match:
    """Play a void match once more: a new match of the same versions, with a new seed.

    Raises ValueError if the match is not void, or a tournament's or a trial's, which itself asks for what it needs.
    """
    if match.status != Match.Status.VOID:
        raise ValueError(f"{match} is not void.")
    if TournamentMatch.objects.filter(match=match).exists():
        raise ValueError(f"{match} belongs to a tournament, which asks for another itself.")
    if TrialMatch.objects.filter(match=match).exists():
        raise ValueError(f"{match} belongs to a trial, which asks for another itself.")
    with transaction.atomic():
        participants = match.participants.select_related("version")
        rerun = matches.create_match(
            versions=[participant.version for participant in participants],
            preset=match.preset,
            deals=match.deals,
            limits=match.limits,
        )
        for link in LadderMatch.objects.filter(match=match):
            LadderMatch.objects.create(
                ladder=link.ladder, match=rerun, made_for=link.made_for, reason=link.reason
            )
        ring_match(rerun)
    return rerun


def hide_bot(*, bot: Bot, is_hidden: bool) -> None:
    """Show a bot and its matches to its owner and operators alone, or to everybody again.

    A hidden bot is not paired, and out of all tournaments; matches of it that wait are void. Ratings are fitted again
    without its matches, or with them.
    """
    with transaction.atomic():
        if is_hidden:
            leave_tournaments(bots=Bot.objects.filter(pk=bot.pk), kind=TournamentEntry.Departure.DISQUALIFIED)
        Bot.objects.filter(pk=bot.pk).update(is_hidden=is_hidden)
        if is_hidden:
            void_waiting(Bot.objects.filter(pk=bot.pk))
        ring_rating()


def ban_user(*, user: User) -> None:
    """Shut a person out: no log-in, no tokens, no bot in play. What the bots played stays readable, and ratings are
    fitted again without it."""
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(is_active=False)
        revoke_all_tokens(user=user)
        retire_bots(user=user)
        ring_rating()


def retire_bots(*, user: User) -> None:
    """Withdraw all bots of an account, from tournaments too, and void those of their matches that nobody has begun."""
    leave_tournaments(bots=Bot.objects.filter(owner=user), kind=TournamentEntry.Departure.WITHDRAWN)
    for bot in Bot.objects.filter(owner=user, withdrawn_at=None):
        withdraw_bot(bot=bot)
    void_waiting(Bot.objects.filter(owner=user))


def void_waiting(bots: QuerySet[Bot]) -> None:
    waiting = Match.objects.filter(
        status__in=[Match.Status.QUEUED, Match.Status.PARKED], participants__version__bot__in=bots
    )
    for match in waiting.distinct():
        void_match(match=match)


def end_suspension(*, version: Version) -> None:
    """An operator has looked: the version is paired again, and earlier faults count no longer."""
    Version.objects.filter(pk=version.pk).update(suspended_at=None, cleared_at=timezone.now())
