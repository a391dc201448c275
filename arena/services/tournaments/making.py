"""Announcing an event, changing its terms before it starts, and what it would come to."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from django.conf import settings as site
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.formats import Assumptions, Estimate, Format, FormatError, SettingsError, estimate, format_named
from arena.models import Ladder, Tournament, TournamentRecord
from arena.pulse import n_match_workers
from arena.services.tournaments.errors import TournamentError
from arena.services.tournaments.keeping import locked_for, record, require
from arena.statements import statement
from arena.tournaments.models import MAX_DESCRIPTION, MAX_NAME
from arena.tournaments.words import words
from bots.sandbox.limits import Limits
from bots.services import lock_owner
from matches.engine.rules import PRESETS
from matches.models import Result

DEFAULT_ENTRIES = 32
SECONDS_A_GAME = 1.0
MEASURED_RESULTS = 200


def create_tournament(*, organiser: User, name: str, format: str, **terms: Any) -> Tournament:
    """Announce an event that is open for entries from now on. Raises TournamentError.

    The terms are those of `Terms`; what is left out is as by default.
    """
    checked = checked_terms(Terms(name=name, format=format, **terms), by=organiser)
    lot_seed = secrets.token_hex(32)
    with transaction.atomic():
        lock_owner(organiser)
        check_quota(organiser)
        tournament = Tournament.objects.create(
            organiser=organiser,
            lot_seed=lot_seed,
            lot_commitment=hashlib.sha256(lot_seed.encode()).hexdigest(),
            **checked,
        )
        record(tournament, TournamentRecord.Action.CREATED, organiser)
    return tournament


def edit_tournament(*, tournament: Tournament, by: User, **changes: Any) -> Tournament:
    """Change terms of an event that has not started; those that are left out stay. Raises TournamentError.

    `settings` change those that they name, unless the format changes too. What changed stands in the public record.
    """
    with transaction.atomic():
        tournament = locked_for(tournament, by)
        require(tournament, Tournament.State.REGISTRATION)
        before = Terms.of(tournament)
        if changes.get("format", before.format) == before.format:
            changes["settings"] = before.settings | changes.get("settings", {})
        else:
            changes.setdefault("settings", {})
        checked = checked_terms(replace(before, **changes), by=by, before=tournament)
        n_entries = tournament.entries.filter(departure="").count()
        if checked["most_entries"] < n_entries:
            raise TournamentError(
                "invalid", _("So many are entered already: %(n)d.") % {"n": n_entries}, "most_entries"
            )
        for name, value in checked.items():
            setattr(tournament, name, value)
        changed = differences(before, Terms.of(tournament))
        if changed:
            tournament.save(update_fields=list(checked))
            record(tournament, TournamentRecord.Action.EDITED, by, "; ".join(changed))
    return tournament


@dataclass(frozen=True, slots=True)
class Terms:
    """What an organiser says of an event. `settings` are the format's."""

    name: str
    format: str
    settings: dict[str, Any] = field(default_factory=dict)
    description: str = ""
    preset: str = "official"
    most_entries: int | None = None
    most_entries_an_owner: int = 1
    closes_at: datetime | None = None
    embargo_until: datetime | None = None
    seeding: str = Tournament.Seeding.RATING
    seeding_ladder: Ladder | None = None
    ladder: Ladder | None = None

    @classmethod
    def of(cls, tournament: Tournament) -> Terms:
        return cls(**{one.name: getattr(tournament, one.name) for one in fields(cls)})


def differences(before: Terms, after: Terms) -> list[str]:
    """What changed, in words. A description is long, and read where it stands."""
    found = []
    for one in fields(Terms):
        old, new = getattr(before, one.name), getattr(after, one.name)
        if one.name == "settings":
            found += [
                f"{name}: {old.get(name, '–')} → {new[name]}" for name in new if old.get(name) != new[name]
            ]
        elif old != new:
            shown = [value.isoformat() if isinstance(value, datetime) else value for value in (old, new)]
            words = f"{shown[0] or '–'} → {shown[1] or '–'}"
            found.append(one.name if one.name == "description" else f"{one.name}: {words}")
    return found


def checked_terms(terms: Terms, *, by: User, before: Tournament | None = None) -> dict[str, Any]:
    """The fields of a tournament of these terms. Raises TournamentError. `before`: the event as it stands."""
    found = checked_format(terms.format)
    most = terms.most_entries if terms.most_entries is not None else min(DEFAULT_ENTRIES, found.most_entries)
    settings = checked_settings(found, terms.settings, most)
    name, description = terms.name.strip(), terms.description.strip()
    ladder, seeding_ladder = terms.ladder, terms.seeding_ladder
    problems: dict[str, str] = {}
    if not 2 <= len(name) <= MAX_NAME:
        problems["name"] = _("A name has 2 to %(n)d characters.") % {"n": MAX_NAME}
    elif not name.isprintable():
        problems["name"] = _("A name stands on one line, and each of its characters can be seen.")
    if len(description) > MAX_DESCRIPTION:
        problems["description"] = _("A description has at most %(n)d characters.") % {"n": MAX_DESCRIPTION}
    elif "\0" in description:
        problems["description"] = _("A description has no null characters.")
    if terms.preset not in PRESETS:
        problems["preset"] = _("There is no such preset.")
    if not 1 <= terms.most_entries_an_owner <= found.most_entries:
        problems["most_entries_an_owner"] = _("From 1 to %(n)d bots.") % {"n": found.most_entries}
    now = timezone.now()
    if terms.closes_at is not None and terms.closes_at <= now:
        problems["closes_at"] = _("This time is over.")
    is_old = before is not None and before.embargo_until == terms.embargo_until
    if terms.embargo_until is not None and terms.embargo_until <= now and not is_old:
        problems["embargo_until"] = _("This time is over.")
    if terms.seeding not in Tournament.Seeding.values:
        problems["seeding"] = _("One of: %(choices)s.") % {"choices": ", ".join(Tournament.Seeding.values)}
    elif terms.seeding == Tournament.Seeding.RATING:
        seeding_ladder = seeding_ladder or ladder or Ladder.objects.order_by("position", "pk").first()
        if seeding_ladder is None:
            problems["seeding"] = _("There is no ladder to take ratings from.")
    if ladder is not None:
        if terms.embargo_until is not None:
            problems["ladder"] = _(
                "Results under an embargo cannot count for a ladder, whose ratings tell them."
            )
        elif (terms.preset, settings.get("seats", 2)) != (ladder.preset, ladder.seats):
            problems["ladder"] = _("This ladder has other rules or another table size.")
    if problems:
        first, sentence = next(iter(problems.items()))
        raise TournamentError("invalid", sentence, first, problems)
    if not by.has_perm("arena.change_tournament"):
        check_size(found, settings, most)
    limits = ladder.limits if ladder is not None else Limits()
    return {
        "name": name,
        "description": description,
        "format": found.name,
        "settings": settings,
        "preset": terms.preset,
        "most_entries": most,
        "most_entries_an_owner": terms.most_entries_an_owner,
        "closes_at": terms.closes_at,
        "embargo_until": terms.embargo_until,
        "seeding": terms.seeding,
        "seeding_ladder": seeding_ladder if terms.seeding == Tournament.Seeding.RATING else None,
        "ladder": ladder,
        **limits.as_dict(),
    }


def checked_format(name: str) -> Format:
    try:
        return format_named(name)
    except FormatError as error:
        raise TournamentError("invalid", words(str(error)), "format") from None


def checked_settings(format: Format, given: dict[str, Any], n_entries: int) -> dict[str, Any]:
    """All settings of the format. Raises TournamentError."""
    try:
        return format.checked(given, n_entries)
    except SettingsError as error:
        fields = {
            f"settings.{name}" if name else "most_entries": words(sentence)
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
    latest = _latest_results()
    games = sum(deals * seats for _ms, deals, seats in latest)
    if not games:
        return SECONDS_A_GAME
    return float(f"{max(sum(ms for ms, _deals, _seats in latest) / games / 1000, 0.001):.1g}")


@statement
def _latest_results() -> QuerySet[Result, tuple[int, int, int]]:
    latest = Result.objects.order_by("-pk").values_list("duration_ms", "match__deals", "match__seats")
    return latest[:MEASURED_RESULTS]
