"""What every change of an event begins and ends with: the row's lock, who may do it, and the record of it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from arena.models import Tournament, TournamentRecord
from arena.services.tournaments.errors import TournamentError


def locked(tournament_id: int) -> Tournament:
    """The event, which nobody else changes until the transaction ends. Tournaments are locked before matches."""
    return Tournament.objects.select_for_update(no_key=True).get(pk=tournament_id)


def locked_for(tournament: Tournament, by: User) -> Tournament:
    """The same, for one who decides about the event. Raises TournamentError for anybody else."""
    found = locked(tournament.pk)
    if not found.is_run_by(by):
        raise TournamentError("forbidden", _("Only the organiser and operators may do this."))
    return found


def require(tournament: Tournament, *states: Tournament.State) -> None:
    """Raises TournamentError unless the event is in one of these states."""
    if tournament.state not in states:
        raise TournamentError(
            "wrong_state",
            _("This cannot be done while the tournament is %(state)s.")
            % {"state": tournament.get_state_display()},
        )


def record(
    tournament: Tournament, action: TournamentRecord.Action, by: User | None = None, detail: str = ""
) -> None:
    TournamentRecord.objects.create(tournament=tournament, action=action, by=by, detail=detail[:500])
