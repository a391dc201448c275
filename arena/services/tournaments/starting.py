"""Closing registration: versions are pinned, seeds given, and the first matches made."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from arena.formats import SettingsError, seeded_by_lot, seeded_by_rating
from arena.models import Rating, Tournament, TournamentEntry, TournamentRecord
from arena.services.one_by_one import Done, one_by_one
from arena.services.tournaments.advancing import bring_on
from arena.services.tournaments.errors import TournamentError
from arena.services.tournaments.keeping import locked, locked_for, record, require
from arena.tournaments.models import placeholder
from arena.tournaments.words import words
from bots.models import Version

Action = TournamentRecord.Action


def start_tournament(*, tournament: Tournament, by: User) -> None:
    """Close registration now and begin. Raises TournamentError, also for too few or unsuitable entries."""
    with transaction.atomic():
        tournament = locked_for(tournament, by)
        require(tournament, Tournament.State.REGISTRATION)
        begin(tournament, by)


def start_due() -> Done:
    """Begin every event whose registration ends by now; one that cannot be played is cancelled. How many began."""
    due = Tournament.objects.filter(state=Tournament.State.REGISTRATION, closes_at__lte=timezone.now())
    return one_by_one(
        due.order_by("closes_at", "pk").values_list("pk", flat=True),
        start_or_cancel,
        name=lambda pk: f"tournament {pk}",
    )


def start_or_cancel(tournament_id: int) -> bool:
    with transaction.atomic():
        tournament = locked(tournament_id)
        if tournament.state != Tournament.State.REGISTRATION:
            return False
        try:
            with transaction.atomic():
                begin(tournament, None)
        except TournamentError as error:
            Tournament.objects.filter(pk=tournament_id).update(
                state=Tournament.State.CANCELLED, finished_at=timezone.now()
            )
            record(tournament, Action.CANCELLED, None, error.sentence)
            return False
    return True


def begin(tournament: Tournament, by: User | None) -> None:
    rows = list(tournament.entries.filter(departure="").select_related("bot"))
    playing = Version.objects.playing().filter(bot__in=[row.bot_id for row in rows])
    version_of = {version.bot_id: version for version in playing}
    for row in rows:
        if row.bot_id not in version_of:
            record(tournament, Action.LEFT_OUT, None, placeholder(row.bot_id))
            row.delete()
    rows = [row for row in rows if row.bot_id in version_of]
    try:
        tournament.plays_by.checked(tournament.settings, len(rows))
    except SettingsError as error:
        raise TournamentError("unplayable", " ".join(map(words, error.problems.values()))) from None
    for row in rows:
        row.version = version_of[row.bot_id]
    by_id = {row.pk: row for row in rows}
    for seed, pk in enumerate(seeded(tournament, rows), 1):
        by_id[pk].seed = seed
    TournamentEntry.objects.bulk_update(rows, ["version", "seed", "rating"])
    tournament.state, tournament.started_at = Tournament.State.RUNNING, timezone.now()
    tournament.save(update_fields=["state", "started_at"])
    record(tournament, Action.STARTED, by)
    bring_on(tournament)


def seeded(tournament: Tournament, rows: list[TournamentEntry]) -> list[int]:
    """The entries' ids, seed 1 first; ratings are noted on the rows."""
    ids = [row.pk for row in rows]
    if tournament.seeding == Tournament.Seeding.HAND:
        # Those that the organiser has not placed follow in the order in which they entered.
        ordered = sorted(rows, key=lambda row: (row.place_by_hand is None, row.place_by_hand or 0, row.pk))
        return [row.pk for row in ordered]
    if tournament.seeding == Tournament.Seeding.LOT or tournament.seeding_ladder is None:
        return seeded_by_lot(ids, tournament.lot_seed)
    published = Rating.objects.published(tournament.seeding_ladder)
    elo = dict(
        published.filter(version__in=[row.version_id for row in rows]).values_list("version_id", "elo")
    )
    for row in rows:
        row.rating = elo.get(row.version_id or 0)
    rated = {row.pk: row.rating for row in rows if row.rating is not None}
    return seeded_by_rating(ids, rated, tournament.lot_seed)
