"""Who takes part: bots enter, withdraw and are disqualified."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.formats import FormatError, seeded_by_hand
from arena.models import Tournament, TournamentEntry, TournamentRecord
from arena.services.tournaments.advancing import bring_on
from arena.services.tournaments.errors import TournamentError
from arena.services.tournaments.keeping import locked, locked_for, record, require
from arena.tournaments.models import placeholder
from arena.tournaments.words import words
from bots.models import Bot, Version

Action = TournamentRecord.Action


def enter(*, tournament: Tournament, bot: Bot, by: User) -> TournamentEntry:
    """Enter a bot; the version that is in play when registration closes will play. Raises TournamentError.

    Owners enter their bots, organisers those of the house, operators any.
    """
    with transaction.atomic():
        tournament = locked(tournament.pk)
        may_enter = bot.owner_id == by.pk or by.has_perm("arena.change_tournament")
        if not (may_enter or (bot.is_house and tournament.is_run_by(by))):
            raise TournamentError("forbidden", _("This bot is not yours."), "bot")
        if not tournament.is_open:
            raise TournamentError("closed", _("Registration is closed."))
        if not Version.objects.playing().filter(bot=bot).exists():
            raise TournamentError("not_ready", _("No version of this bot is in play."), "bot")
        known = TournamentEntry.objects.filter(tournament=tournament)
        before = known.filter(bot=bot).first()
        if before is not None and before.has_left:
            raise TournamentError("disqualified", _("This bot has been disqualified here."), "bot")
        if before is not None:
            raise TournamentError("entered", _("This bot is entered already."), "bot")
        entries = known.taking_part()
        if entries.count() >= tournament.most_entries:
            raise TournamentError("full", _("All places are taken."))
        others = entries.filter(bot__owner=bot.owner_id).count()
        if not bot.is_house and others >= tournament.most_entries_an_owner:
            raise TournamentError(
                "too_many_entries",
                _("One owner may enter so many bots here: %(n)d.") % {"n": tournament.most_entries_an_owner},
                "bot",
            )
        return TournamentEntry.objects.create(tournament=tournament, bot=bot)


def leave(*, entry: TournamentEntry, by: User) -> None:
    """Withdraw a bot from the event: before the start it was never in, later it forfeits what it was drawn for.

    Raises TournamentError.
    """
    with transaction.atomic():
        tournament = locked(entry.tournament_id)
        if entry.bot.owner_id != by.pk and not tournament.is_run_by(by):
            raise TournamentError("forbidden", _("This bot is not yours."))
        depart(tournament, entry, TournamentEntry.Departure.WITHDRAWN, by=by)


def disqualify(*, entry: TournamentEntry, by: User, reason: str = "") -> None:
    """Throw a bot out of the event, also of one that is finished: then others move up. Raises TournamentError."""
    with transaction.atomic():
        tournament = locked_for(entry.tournament, by)
        depart(tournament, entry, TournamentEntry.Departure.DISQUALIFIED, by=by, reason=reason)


def depart(
    tournament: Tournament,
    entry: TournamentEntry,
    kind: TournamentEntry.Departure,
    *,
    by: User | None,
    reason: str = "",
) -> None:
    """Let an entry of this locked event go."""
    is_withdrawal = kind == TournamentEntry.Departure.WITHDRAWN
    ended = [] if is_withdrawal else [Tournament.State.FINISHED]
    require(
        tournament, Tournament.State.REGISTRATION, Tournament.State.RUNNING, Tournament.State.PAUSED, *ended
    )
    detail = f"{placeholder(entry.bot_id)}: {reason}" if reason else placeholder(entry.bot_id)
    present = TournamentEntry.objects.filter(pk=entry.pk).taking_part()
    if is_withdrawal and not tournament.has_started:
        gone, _rows = present.delete()
    else:
        stage = tournament.snapshot["stage"] if tournament.snapshot else 0
        gone = present.update(departure=kind, departure_stage=stage, departed_at=timezone.now())
    if not gone:
        raise TournamentError("gone", _("This bot has left already."))
    # Owners come and go as they like before the start, and nothing follows from it.
    if tournament.has_started or by is None or by.pk != entry.bot.owner_id:
        record(tournament, Action(kind.value), by, detail)
    if tournament.has_started:
        bring_on(tournament)


def leave_tournaments(*, bots: QuerySet[Bot], kind: TournamentEntry.Departure) -> None:
    """Take bots out of every event that is not over. To be called before any match of theirs is touched."""
    open_entries = TournamentEntry.objects.filter(
        bot__in=bots, departure="", tournament__in=Tournament.objects.opened()
    )
    for entry in open_entries.select_related("bot").order_by("tournament_id", "pk"):
        tournament = locked(entry.tournament_id)
        # It may have ended, or the entry gone, while this waited for the lock.
        if not tournament.is_over and TournamentEntry.objects.filter(pk=entry.pk, departure=""):
            depart(tournament, entry, kind, by=None)


def order_by_hand(*, tournament: Tournament, order: Sequence[int], by: User) -> None:
    """Seed all entries, given by id, in this order; who enters later follows them. Raises TournamentError."""
    with transaction.atomic():
        tournament = locked_for(tournament, by)
        require(tournament, Tournament.State.REGISTRATION)
        if tournament.seeding != Tournament.Seeding.HAND:
            raise TournamentError("not_by_hand", _("This tournament is not seeded by hand."))
        entries = TournamentEntry.objects.filter(tournament=tournament).taking_part()
        rows = {row.pk: row for row in entries}
        try:
            seeded = seeded_by_hand(list(rows), order)
        except FormatError as error:
            raise TournamentError("invalid", words(str(error)), "order") from None
        for place, pk in enumerate(seeded, 1):
            rows[pk].place_by_hand = place
        TournamentEntry.objects.bulk_update(rows.values(), ["place_by_hand"])
