"""Every change to matches: making, claiming, finishing, failing, voiding.

Claims and finishes are conditional UPDATEs on status and token, so that a bell that rings twice, late or
never changes nothing. No transaction is open while a match is played.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, Prefetch, QuerySet
from django.utils import timezone

from bots.leases import LeaseLost, lease_end
from bots.models import Version
from bots.sandbox.limits import Limits
from matches.engine.deal import commitment
from matches.engine.rules import MAX_SEATS, MIN_SEATS, PRESETS
from matches.models import Attempt, Game, GameSeat, Match, Participant, Result
from matches.referee.record import GameRecord, MatchRecord
from matches.replay import PrivateSeat, core_sha256, encode, encode_private
from matches.tally import tally, times
from matches.verification import difference_of

SEED_BYTES = 32


@dataclass(frozen=True, slots=True)
class Claim:
    """A worker's hold on a match: this attempt alone may renew, finish or fail it."""

    match: Match
    versions: tuple[Version, ...]
    attempt: Attempt

    @property
    def token(self) -> uuid.UUID:
        return self.attempt.token


def create_match(
    *,
    versions: Sequence[Version],
    preset: str,
    deals: int,
    limits: Limits,
    embargo_until: datetime | None = None,
    embargo_viewer: int | None = None,
) -> Match:
    """Queue a match between these versions, with a fresh secret seed that is committed to from now on.

    Until its embargo ends only operators and the viewer, a user's id, know of it.
    Raises ValueError for a table that cannot be: unknown preset, wrong number of or equal versions, no deal.
    """
    seated = sorted({version.pk: version for version in versions}.values(), key=lambda version: version.pk)
    if len(seated) != len(versions):
        raise ValueError("A version plays once in a match.")
    if not MIN_SEATS <= len(seated) <= MAX_SEATS:
        raise ValueError(f"A table has {MIN_SEATS} to {MAX_SEATS} seats, not {len(seated)}.")
    if preset not in PRESETS:
        raise ValueError(f"There is no preset “{preset}”.")
    if deals < 1:
        raise ValueError(f"A match has at least one deal, not {deals}.")
    seed = secrets.token_bytes(SEED_BYTES)
    with transaction.atomic():
        match = Match.objects.create(
            preset=preset,
            seats=len(seated),
            deals=deals,
            seed=seed,
            commitment=commitment(seed),
            embargo_until=embargo_until,
            embargo_viewer_id=embargo_viewer,
            **limits.as_dict(),
        )
        Participant.objects.bulk_create(
            Participant(match=match, version=version, bot_id=version.bot_id, number=number)
            for number, version in enumerate(seated)
        )
    return match


# --- An attempt ---------------------------------------------------------------------------------------------


def claim_match(
    *, match_id: int, worker: str, match_mib: int | None = None, runtimes: Collection[str] | None = None
) -> Claim | None:
    """Take a queued match, or None if it is not to be had: unknown, taken, finished, void or parked.

    A match that needs more than `match_mib` of memory, or another runtime than these, stays in the queue too.
    """
    token = uuid.uuid4()
    queued = Match.objects.filter(pk=match_id, status=Match.Status.QUEUED)
    if match_mib is not None:
        queued = queued.filter(memory_mib__lte=match_mib / F("seats"))
    if runtimes is not None:
        others = Participant.objects.filter(match=match_id).exclude(version__runtime__in=runtimes)
        queued = queued.exclude(Exists(others))
    with transaction.atomic():
        claimed = queued.update(
            status=Match.Status.RUNNING,
            token=token,
            lease_until=lease_end(),
            n_attempts=F("n_attempts") + 1,
            started_at=timezone.now(),
        )
        if not claimed:
            return None
        seated = Participant.objects.select_related("version__bot")
        match = Match.objects.prefetch_related(Prefetch("participants", seated)).get(pk=match_id)
        attempt = Attempt.objects.create(match=match, number=match.n_attempts, token=token, worker=worker)
    versions = tuple(participant.version for participant in match.participants.all())
    return Claim(match=match, versions=versions, attempt=attempt)


def held(claim: Claim) -> QuerySet[Match]:
    return Match.objects.filter(pk=claim.match.pk, status=Match.Status.RUNNING, token=claim.token)


def renew_lease(*, claim: Claim) -> None:
    """Hold on to a match that makes progress. Raises LeaseLost."""
    if not held(claim).update(lease_until=lease_end()):
        raise LeaseLost(claim.match)


def finish_match(*, claim: Claim, record: MatchRecord) -> bool:
    """Store the one result of a match with all its games. False, and nothing stored, if the lease is lost."""
    now = timezone.now()
    version_ids = [version.pk for version in claim.versions]
    # Encoded before the transaction, so that it stays short.
    games = [game_row(claim.match, game) for game in record.games]
    seats = [
        seat_row(game, row, seat, claim.versions[participant])
        for game, row in zip(record.games, games, strict=True)
        for seat, participant in enumerate(game.participants)
    ]
    has_bot_fault = any(row.fault for row in seats)
    with transaction.atomic():
        if not held(claim).update(
            status=Match.Status.FINISHED,
            token=None,
            lease_until=None,
            finished_at=now,
            has_bot_fault=has_bot_fault,
        ):
            return False
        Attempt.objects.filter(pk=claim.attempt.pk).update(outcome=Attempt.Outcome.FINISHED, ended_at=now)
        Result.objects.create(
            match=claim.match,
            attempt=claim.attempt,
            duration_ms=record.wall_ms,
            tally=tally(record, version_ids),
            times=times(record, len(version_ids)),
        )
        Game.objects.bulk_create(games)
        GameSeat.objects.bulk_create(seats)
    return True


def game_row(match: Match, game: GameRecord) -> Game:
    """The game as it is stored; a forfeit has no replay."""
    played = game.core is not None and game.timing is not None
    return Game(
        match=match,
        deal=game.deal,
        seating=game.seating,
        replay=encode(game.core, game.timing) if game.core and game.timing else b"",
        core_sha256=core_sha256(game.core) if game.core else "",
        is_forfeit=not played,
        n_rounds=len(game.rounds),
        n_decisions=game.n_decisions,
        round_points=[list(one.points) for one in game.rounds],
    )


def seat_row(game: GameRecord, row: Game, seat: int, version: Version) -> GameSeat:
    fault = game.fault_of(seat)
    private = game.private[seat] if game.private else PrivateSeat()
    return GameSeat(
        game=row,
        seat=seat,
        version=version,
        bot_id=version.bot_id,
        placing=game.placing[seat],
        total=game.totals[seat] if game.totals else None,
        cpu_ms=game.cpu_ms[seat] if game.cpu_ms else 0,
        fault=fault.kind if fault else "",
        fault_detail=fault.as_dict() if fault else {},
        private=encode_private([private]) if private != PrivateSeat() else b"",
    )


def fail_attempt(*, claim: Claim, cause: str, detail: str) -> bool:
    """An infrastructure fault: the match is queued again, with the same seed, or parked after too many.

    False, and nothing changed, if the lease is lost.
    """
    return return_match(held(claim), outcome=Attempt.Outcome.INFRASTRUCTURE, cause=cause, detail=detail)


def stop_attempt(*, claim: Claim) -> bool:
    """The worker is told to stop: the match goes back to the queue and nothing counts against it."""
    return return_match(held(claim), outcome=Attempt.Outcome.STOPPED, is_failure=False)


def return_expired_leases() -> int:
    """Put the matches of silent workers back into the queue; the number of them."""
    expired = Match.objects.filter(status=Match.Status.RUNNING, lease_until__lt=timezone.now())
    return return_lost(expired, cause="lease")


def free_leases_of(worker: str, *, before: datetime) -> int:
    """Queue the matches again that a worker of this name, now dead, began before this time."""
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING, worker=worker, started_at__lt=before)
    held_by_it = Match.objects.filter(status=Match.Status.RUNNING, token__in=running.values("token"))
    return return_lost(held_by_it, cause="restart")


def return_lost(matches: QuerySet[Match], *, cause: str) -> int:
    """Return these running matches one by one, each only if it is still as it was found."""
    return sum(
        return_match(matches.filter(pk=pk, token=token), outcome=Attempt.Outcome.LOST, cause=cause)
        for pk, token in matches.values_list("pk", "token")
        if token is not None
    )


def return_match(
    held: QuerySet[Match],
    *,
    outcome: Attempt.Outcome,
    cause: str = "",
    detail: str = "",
    is_failure: bool = True,
) -> bool:
    """End the attempt at the one match of this queryset; queue it again, or park it if it keeps failing."""
    with transaction.atomic():
        row = held.select_for_update(no_key=True).values_list("token", "n_failures").first()
        if row is None or row[0] is None:
            return False
        token, n_failures = row[0], row[1] + is_failure
        is_parked = n_failures >= settings.MAX_ATTEMPTS
        held.update(
            status=Match.Status.PARKED if is_parked else Match.Status.QUEUED,
            n_failures=n_failures,
            token=None,
            lease_until=None,
        )
        Attempt.objects.filter(token=token).update(
            outcome=outcome, cause=cause[:32], detail=detail, ended_at=timezone.now()
        )
    return True


# --- Games that were played -----------------------------------------------------------------------------------


def verify_game(*, game: Game) -> None:
    """Play a stored game again, and note when, and what came out otherwise than it is stored. Never for a forfeit."""
    game.difference = difference_of(game)
    game.verified_at = timezone.now()
    Game.objects.filter(pk=game.pk).update(difference=game.difference, verified_at=game.verified_at)


# --- Operators ----------------------------------------------------------------------------------------------


def void_match(*, match: Match, unless_finished: bool = False) -> bool:
    """Take a match out of everything that is reckoned; what it was stays readable.

    False if it was void, or is finished and may stay so.
    """
    kept = [Match.Status.VOID, *([Match.Status.FINISHED] if unless_finished else [])]
    with transaction.atomic():
        voided = (
            Match.objects.filter(pk=match.pk)
            .exclude(status__in=kept)
            .update(status=Match.Status.VOID, token=None, lease_until=None)
        )
        if not voided:
            return False
        Attempt.objects.filter(match=match, outcome=Attempt.Outcome.RUNNING).update(
            outcome=Attempt.Outcome.STOPPED, cause="void", ended_at=timezone.now()
        )
    return True


def requeue_match(*, match: Match) -> bool:
    """Let a parked match be tried again, with the same seed. False if it is not parked."""
    return bool(
        Match.objects.filter(pk=match.pk, status=Match.Status.PARKED).update(
            status=Match.Status.QUEUED, n_failures=0
        )
    )
