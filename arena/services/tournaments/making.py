"""Announcing an event, and what it would come to."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from typing import Any

from django.conf import settings as site
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.formats import Assumptions, Estimate, Format, FormatError, SettingsError, estimate, format_named
from arena.models import Ladder, Tournament, TournamentRecord
from arena.pulse import n_match_workers
from arena.services.tournaments.errors import TournamentError
from arena.services.tournaments.keeping import record
from arena.tournaments.models import MAX_DESCRIPTION, MAX_NAME
from bots.sandbox.limits import Limits
from bots.services import lock_owner
from matches.engine.rules import PRESETS
from matches.models import Result

DEFAULT_ENTRIES = 32
SECONDS_A_GAME = 1.0
MEASURED_RESULTS = 200


def create_tournament(
    *,
    organiser: User,
    name: str,
    format: str,
    settings: dict[str, Any],
    description: str = "",
    preset: str = "official",
    most_entries: int | None = None,
    most_entries_an_owner: int = 1,
    closes_at: datetime | None = None,
    embargo_until: datetime | None = None,
    seeding: str = Tournament.Seeding.RATING,
    seeding_ladder: Ladder | None = None,
    ladder: Ladder | None = None,
) -> Tournament:
    """Announce an event that is open for entries from now on; its terms are fixed. Raises TournamentError."""
    found = checked_format(format)
    most = most_entries if most_entries is not None else min(DEFAULT_ENTRIES, found.most_entries)
    complete = checked_settings(found, settings, most)
    problems: dict[str, str] = {}
    name, description = name.strip(), description.strip()
    if not 2 <= len(name) <= MAX_NAME or not name.isprintable():
        problems["name"] = _("A name has 2 to %(n)d characters on one line.") % {"n": MAX_NAME}
    if len(description) > MAX_DESCRIPTION or "\0" in description:
        problems["description"] = _("A description has at most %(n)d characters.") % {"n": MAX_DESCRIPTION}
    if preset not in PRESETS:
        problems["preset"] = _("There is no such preset.")
    if not 1 <= most_entries_an_owner <= found.most_entries:
        problems["most_entries_an_owner"] = _("From 1 to %(n)d bots.") % {"n": found.most_entries}
    now = timezone.now()
    if closes_at is not None and closes_at <= now:
        problems["closes_at"] = _("This time is over.")
    if embargo_until is not None and embargo_until <= now:
        problems["embargo_until"] = _("This time is over.")
    if seeding not in Tournament.Seeding.values:
        problems["seeding"] = _("One of: %(choices)s.") % {"choices": ", ".join(Tournament.Seeding.values)}
    elif seeding == Tournament.Seeding.RATING:
        seeding_ladder = seeding_ladder or ladder or Ladder.objects.order_by("position", "pk").first()
        if seeding_ladder is None:
            problems["seeding"] = _("There is no ladder to take ratings from.")
    if ladder is not None:
        if embargo_until is not None:
            problems["ladder"] = _(
                "Results under an embargo cannot count for a ladder, whose ratings tell them."
            )
        elif (preset, complete.get("seats", 2)) != (ladder.preset, ladder.seats):
            problems["ladder"] = _("This ladder has other rules or another table size.")
    if problems:
        field, sentence = next(iter(problems.items()))
        raise TournamentError("invalid", sentence, field, problems)
    if not organiser.has_perm("arena.change_tournament"):
        check_size(found, complete, most)
    limits = ladder.limits if ladder is not None else Limits()
    lot_seed = secrets.token_hex(32)
    with transaction.atomic():
        lock_owner(organiser)
        check_quota(organiser)
        tournament = Tournament.objects.create(
            organiser=organiser,
            name=name,
            description=description,
            format=found.name,
            settings=complete,
            preset=preset,
            most_entries=most,
            most_entries_an_owner=most_entries_an_owner,
            closes_at=closes_at,
            embargo_until=embargo_until,
            seeding=seeding,
            seeding_ladder=seeding_ladder if seeding == Tournament.Seeding.RATING else None,
            ladder=ladder,
            lot_seed=lot_seed,
            lot_commitment=hashlib.sha256(lot_seed.encode()).hexdigest(),
            **limits.as_dict(),
        )
        record(tournament, TournamentRecord.Action.CREATED, organiser)
    return tournament


def checked_format(name: str) -> Format:
    try:
        return format_named(name)
    except FormatError as error:
        raise TournamentError("invalid", str(error), "format") from None


def checked_settings(format: Format, given: dict[str, Any], n_entries: int) -> dict[str, Any]:
    """All settings of the format. Raises TournamentError."""
    try:
        return format.checked(given, n_entries)
    except SettingsError as error:
        fields = {
            f"settings.{name}" if name else "most_entries": sentence
            for name, sentence in error.problems.items()
        }
        field, sentence = next(iter(fields.items()))
        raise TournamentError("invalid", sentence, field, fields) from None


def check_quota(organiser: User) -> None:
    """Raises TournamentError. Holds while the organiser is locked."""
    n_open = Tournament.objects.opened().filter(organiser=organiser).count()
    if n_open >= site.QUOTA_TOURNAMENTS and not organiser.has_perm("arena.change_tournament"):
        raise TournamentError(
            "too_many_tournaments",
            _("You have %(n)d tournaments that are not over, as many as an account may have.")
            % {"n": n_open},
        )


def check_size(format: Format, settings: dict[str, Any], n_entries: int) -> None:
    """Raises TournamentError for an event that would keep the arena busy too long."""
    games = estimate(format, n_entries, settings).games
    if games > site.QUOTA_TOURNAMENT_GAMES:
        raise TournamentError(
            "too_large",
            _(
                "With %(entries)d entries this is about %(games)d games; a tournament may have %(most)d. Allow fewer "
                "entries, or play fewer deals."
            )
            % {"entries": n_entries, "games": games, "most": site.QUOTA_TOURNAMENT_GAMES},
            "most_entries",
        )


def preview(*, format: str, settings: dict[str, Any], n_entries: int) -> Estimate:
    """What an event of these terms would come to on this arena. Raises TournamentError."""
    found = checked_format(format)
    complete = checked_settings(found, settings, n_entries)
    return estimate(
        found,
        n_entries,
        complete,
        Assumptions(game_s=measured_game_s(), workers=max(n_match_workers(), 1)),
    )


def measured_game_s() -> float:
    """The mean time of a game in the latest results, rounded so that the estimate stays the same for a while."""
    latest = Result.objects.order_by("-pk").values("pk")[:MEASURED_RESULTS]
    sums = Result.objects.filter(pk__in=list(latest.values_list("pk", flat=True))).aggregate(
        ms=Sum("duration_ms"), games=Sum(F("match__deals") * F("match__seats"))
    )
    if not sums["games"]:
        return SECONDS_A_GAME
    return float(f"{max(sums['ms'] / sums['games'] / 1000, 0.001):.1g}")
