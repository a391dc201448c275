"""What an organiser decides while the event goes on: pause, resume, rewind, play again, forfeit, cancel."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, F, Sum, Value, When
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.formats.results import pairing_of
from arena.models import (
    Tournament,
    TournamentEntry,
    TournamentForfeit,
    TournamentMatch,
    TournamentRecord,
)
from arena.services.tournaments.advancing import Book, Place, bring_on, drop, listed, take_back
from arena.services.tournaments.errors import TournamentError
from arena.services.tournaments.keeping import locked, locked_for, record, require
from arena.tournaments.models import placeholder
from matches.models import Match

Action = TournamentRecord.Action
RUNNING, PAUSED, FINISHED = Tournament.State.RUNNING, Tournament.State.PAUSED, Tournament.State.FINISHED


def pause(*, tournament: Tournament, by: User) -> None:
    """Let nothing new begin. Matches that are being played end and count; those that wait are made again later.

    Raises TournamentError.
    """
    with transaction.atomic():
        tournament = locked_for(tournament, by)
        require(tournament, RUNNING)
        check_repeats(tournament, by)
        change_state(tournament, PAUSED)
        record(tournament, Action.PAUSED, by)
        bring_on(tournament)


def resume(*, tournament: Tournament, by: User) -> None:
    """Let a paused event go on. Raises TournamentError."""
    with transaction.atomic():
        tournament = locked_for(tournament, by)
        require(tournament, PAUSED)
        change_state(tournament, RUNNING)
        record(tournament, Action.RESUMED, by)
        bring_on(tournament)


def cancel(*, tournament: Tournament, by: User, reason: str = "") -> None:
    """End an event without a result; what was played stays. Raises TournamentError."""
    with transaction.atomic():
        tournament = locked_for(tournament, by)
        require(tournament, Tournament.State.REGISTRATION, RUNNING, PAUSED)
        end(tournament, by, reason)


def end(tournament: Tournament, by: User | None, reason: str) -> None:
    """Cancel this locked event."""
    waiting = TournamentMatch.objects.filter(tournament=tournament, is_current=True)
    for link in waiting.exclude(match__status=Match.Status.FINISHED).select_related("match"):
        drop(link, unless_finished=True)
    change_state(tournament, Tournament.State.CANCELLED)
    record(tournament, Action.CANCELLED, by, reason)


def abandon_tournaments(*, organiser: User) -> None:
    """Cancel what this account has announced and not ended, and wipe what it wrote about its events."""
    with transaction.atomic():
        for pk in (
            Tournament.objects.opened()
            .filter(organiser=organiser)
            .order_by("pk")
            .values_list("pk", flat=True)
        ):
            tournament = locked(pk)
            if not tournament.is_over:
                end(tournament, None, _("The organiser's account is gone."))
        Tournament.objects.filter(organiser=organiser).update(description="")


def check_repeats(tournament: Tournament, by: User) -> None:
    """Raises TournamentError where the event has had so much taken back that it would keep the arena busy for ever.

    Operators are not bound. A match that nobody had begun counts as one game.
    """
    if by.has_perm("arena.change_tournament"):
        return
    taken_back = TournamentMatch.objects.filter(tournament=tournament, is_current=False)
    cost = Case(When(match__n_attempts=0, then=Value(1)), default=F("match__deals") * F("match__seats"))
    games = taken_back.aggregate(games=Sum(cost))["games"] or 0
    if games > settings.QUOTA_TOURNAMENT_GAMES:
        raise TournamentError(
            "too_many_repeats",
            _(
                "Matches with %(games)d games of this tournament have been taken back, more than one may have. Ask "
                "an operator."
            )
            % {"games": games},
        )


def change_state(tournament: Tournament, state: Tournament.State) -> None:
    is_over = state in {FINISHED, Tournament.State.CANCELLED}
    tournament.state, tournament.finished_at = state, timezone.now() if is_over else None
    tournament.save(update_fields=["state", "finished_at"])


def rewind_preview(*, tournament: Tournament, round: str) -> list[TournamentMatch]:
    """The matches that `rewind` would take back. Raises TournamentError."""
    require(tournament, RUNNING, PAUSED, FINISHED)
    book = Book(tournament)
    places = rewound(book, round)
    return [link for place, link in sorted(book.links.items()) if place in places]


def rewind(*, tournament: Tournament, round: str, by: User) -> int:
    """Take back a round, and whatever hangs on it: its matches (see `take_back`) and its forfeits; how many matches.

    The event is paused then; when it is resumed the round is played again. Raises TournamentError.
    """
    with transaction.atomic():
        tournament = locked_for(tournament, by)
        require(tournament, RUNNING, PAUSED, FINISHED)
        check_repeats(tournament, by)
        book = Book(tournament)
        places = rewound(book, round)
        links = [link for place, link in book.links.items() if place in places]
        for link in links:
            take_back(link)
        decided = [forfeit.pk for place, forfeit in book.forfeits.items() if place in places]
        TournamentForfeit.objects.filter(pk__in=decided).delete()
        # Who left in a round that is drawn anew has left before it.
        stage = book.state(without=places).stage
        TournamentEntry.objects.filter(tournament=tournament, departure_stage__gt=stage).update(
            departure_stage=stage
        )
        change_state(tournament, PAUSED)
        record(
            tournament,
            Action.REWOUND,
            by,
            _("Round %(round)s; taken back: %(matches)s.")
            % {"round": round, "matches": ", ".join(str(link.match_id) for link in links) or "–"},
        )
        bring_on(tournament)
    return len(links)


def rewound(book: Book, round: str) -> set[Place]:
    """Where the matches and forfeits of a round stand, and those that answer nothing without them."""
    found = next((one for one in book.state().rounds if one.key == round), None)
    if found is None:
        raise TournamentError("unknown_round", _("There is no such round."), "round")
    keys = {pairing.key for pairing in found.pairings}
    all_places = book.links.keys() | book.forfeits.keys()
    places = {place for place in all_places if pairing_of(place[0]) in keys}
    if not places:
        raise TournamentError("nothing_to_rewind", _("Nothing of this round has been played."), "round")
    while True:
        unused = {(one.match, listed(one.entries)) for one in book.state(without=places).unused}
        if unused <= places:
            return places
        places |= unused


def rerun(*, link: TournamentMatch, by: User, reason: str = "") -> bool:
    """Take a match back and play it again, with a new seed, if the event still needs it; whether it became void.

    Raises TournamentError.
    """
    with transaction.atomic():
        tournament = locked_for(link.tournament, by)
        require(tournament, RUNNING, PAUSED, FINISHED)
        check_repeats(tournament, by)
        current = (
            TournamentMatch.objects.filter(pk=link.pk, is_current=True)
            .exclude(match__status=Match.Status.VOID)
            .select_related("match")
            .first()
        )
        if current is None:
            raise TournamentError("void", _("This match has been taken back already."))
        is_void = take_back(current)
        TournamentForfeit.objects.filter(
            tournament=tournament, key=current.key, entries=current.entries
        ).delete()
        detail = _("Match %(match)d (%(key)s)") % {"match": current.match_id, "key": current.key}
        record(tournament, Action.RERUN, by, f"{detail}: {reason}" if reason else detail)
        bring_on(tournament)
    return is_void


def forfeit(*, tournament: Tournament, key: str, forfeits: Sequence[int], by: User) -> None:
    """Decide that these entries forfeit a match, all of them for a double forfeit; none takes the decision back.

    What was played stays rated, if it counts for a ladder, but decides nothing. Raises TournamentError.
    """
    with transaction.atomic():
        tournament = locked_for(tournament, by)
        require(tournament, RUNNING, PAUSED, FINISHED)
        check_repeats(tournament, by)
        state = Book(tournament).state()
        known = [match.entries for match in state.to_play if match.key == key]
        known += [entries for match, entries in state.used if match == key]
        if not known:
            raise TournamentError("unknown_match", _("The tournament has no such match now."), "key")
        entries = known[0]
        if not set(forfeits) <= set(entries):
            raise TournamentError("invalid", _("Only entries of the match can forfeit it."), "forfeits")
        place = listed(entries)
        decided = TournamentForfeit.objects.filter(tournament=tournament, key=key, entries=place)
        n_taken_back, _rows = decided.delete()
        if forfeits:
            TournamentForfeit.objects.create(
                tournament=tournament, key=key, entries=place, forfeits=listed(set(forfeits))
            )
        elif not n_taken_back:
            raise TournamentError("invalid", _("Nobody forfeits this match."), "forfeits")
        bots = TournamentEntry.objects.filter(pk__in=forfeits).order_by("seed").values_list("bot", flat=True)
        record(tournament, Action.FORFEITED, by, f"{key}: {', '.join(map(placeholder, bots)) or '–'}")
        bring_on(tournament)


def change_embargo(*, tournament: Tournament, until: datetime | None, by: User) -> None:
    """Hold results back until another time, or publish them now. Raises TournamentError."""
    with transaction.atomic():
        tournament = locked_for(tournament, by)
        if until is not None and tournament.ladder_id is not None:
            raise TournamentError(
                "invalid",
                _("Results under an embargo cannot count for a ladder, whose ratings tell them."),
                "embargo_until",
            )
        if until is not None and until <= timezone.now():
            raise TournamentError("invalid", _("This time is over."), "embargo_until")
        tournament.embargo_until = until
        tournament.save(update_fields=["embargo_until"])
        Match.objects.filter(tournament_match__tournament=tournament).update(embargo_until=until)
        record(tournament, Action.EMBARGO, by, until.isoformat() if until else "")
