"""The ladder that is played while things die, and what must be true of it when it has been played to its end."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.management import call_command
from django.db import close_old_connections, connection
from django.utils import timezone

from arena.models import Ladder, LadderEntry, Rating
from arena.services.rating import anchor_id, fitted
from bots.house import house_source
from bots.models import Version
from matches.engine.deal import commitment
from matches.models import Attempt, Match
from matches.replay import verify
from tests.make import STEADY, make_bot, make_entry, make_match, make_user, make_version

SLUG = "soak"
SEATS = 2
# A match lasts about half a second of a quiet core.
DEALS = 3
PLAYERS = ("greedy", "threshold", "collector", "threshold", "collector", "greedy")
OVER = (Attempt.Outcome.LOST, Attempt.Outcome.INFRASTRUCTURE, Attempt.Outcome.STOPPED)


def prepare() -> None:
    """A database with the house, and one open ladder on which the house bot of the anchor meets people's bots."""
    call_command("migrate", interactive=False, verbosity=0)
    call_command("createcachetable", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("seed", verbosity=0)
    Ladder.objects.update(is_open=False)
    ladder = Ladder.objects.create(slug=SLUG, name="Soak", seats=SEATS, deals=DEALS)
    LadderEntry.objects.create(ladder=ladder, bot=Version.objects.get(pk=anchor_id()).bot)
    for number, name in enumerate(PLAYERS):
        owner = make_user(f"owner{number}")
        version = make_version(make_bot(owner), house_source(name) + f"# {number}\n".encode())
        Version.objects.filter(pk=version.pk).update(checked_at=timezone.now())
        make_entry(ladder, version)
    connection.close()


def matches() -> list[tuple[int, str, str]]:
    """Number, status and commitment of every match of the ladder so far. Raises DatabaseError."""
    close_old_connections()
    found = Match.objects.filter(ladder_match__ladder__slug=SLUG)
    return list(found.order_by("pk").values_list("pk", "status", "commitment"))


def close() -> None:
    """No more matches are paired. Raises DatabaseError."""
    Ladder.objects.filter(slug=SLUG).update(is_open=False)


def is_rated() -> bool:
    """Whether the published ratings are of all finished matches. Raises DatabaseError."""
    close_old_connections()
    run = Ladder.objects.select_related("current_run").get(slug=SLUG).current_run
    n_finished = Match.objects.filter(ladder_match__ladder__slug=SLUG, status=Match.Status.FINISHED).count()
    return run is not None and run.n_matches == n_finished


# --- What must be true ---------------------------------------------------------------------------------------


def problems(promised: dict[int, str]) -> Iterator[str]:
    """A sentence for each broken promise; `promised` is the commitment of each match when it was first seen."""
    found = Match.objects.filter(ladder_match__ladder__slug=SLUG).prefetch_related(
        "attempts", "games__seats", "participants__version"
    )
    by_number = {match.pk: match for match in found.select_related("result")}
    if lost := sorted(promised.keys() - by_number.keys()):
        yield f"matches {lost} are gone"
    for number, match in by_number.items():
        for sentence in _of_match(match, promised[number]):
            yield f"match {number}: {sentence}"
    yield from _of_ratings()
    if suspended := list(Version.objects.exclude(suspended_at=None)):
        yield f"innocent versions were suspended: {', '.join(map(str, suspended))}"


def _of_match(match: Match, promised: str) -> Iterator[str]:
    if match.status != Match.Status.FINISHED:
        yield f"it is {match.status}"
        return
    attempts = sorted(match.attempts.all(), key=lambda attempt: attempt.number)
    finished = [attempt for attempt in attempts if attempt.outcome == Attempt.Outcome.FINISHED]
    if len(finished) != 1 or match.result.attempt_id != finished[0].pk:
        yield f"{len(finished)} attempts have finished it"
    if others := [one.outcome for one in attempts if one not in finished and one.outcome not in OVER]:
        yield f"attempts are left {others}"
    if [attempt.number for attempt in attempts] != list(range(1, match.n_attempts + 1)):
        yield f"its attempts are {[attempt.number for attempt in attempts]} of {match.n_attempts}"
    if match.commitment != promised or commitment(bytes(match.seed)) != promised:
        yield "its seed is not the one that was committed to"
    reckoned = tally_of(match)
    if (stored := {name: match.result.tally[name] for name in reckoned}) != reckoned:
        yield f"its tally is {stored}, its games come to {reckoned}"
    yield from _of_games(match)


def _of_games(match: Match) -> Iterator[str]:
    games = list(match.games.all())
    if len(games) != match.n_games:
        yield f"it has {len(games)} games of {match.n_games}"
    for game in games:
        verified = verify(bytes(game.replay))
        seats = sorted(game.seats.all(), key=lambda seat: seat.seat)
        if (verified.core.seed, verified.core.deal) != (bytes(match.seed), game.deal):
            yield f"deal {game.deal} was dealt from another seed"
        if verified.core_sha256 != game.core_sha256:
            yield f"game {game.pk} is another than its sum says"
        if list(verified.placing) != [seat.placing for seat in seats]:
            yield f"game {game.pk} is placed {[seat.placing for seat in seats]}, but comes to {verified.placing}"


def tally_of(match: Match) -> dict[str, object]:
    """What the result of a match of two must say of placings, points and faults, from its stored games alone."""
    versions = [participant.version_id for participant in match.participants.all()]
    pairs, totals, clean, faults = [0.0], [0, 0], [0, 0], [0, 0]
    games = list(match.games.all())
    for game in games:
        seats = {seat.version_id: seat for seat in game.seats.all()}
        one, other = (seats[version] for version in versions)
        pairs[0] += (one.placing < other.placing) + 0.5 * (one.placing == other.placing)
        for number, seat in enumerate((one, other)):
            if seat.fault:
                faults[number] += 1
            elif seat.total is not None:
                totals[number] += seat.total
                clean[number] += 1
    return {
        "versions": versions,
        "games": len(games),
        "pairs": pairs,
        "totals": totals,
        "clean": clean,
        "faults": faults,
    }


def _of_ratings() -> Iterator[str]:
    """The published snapshot against a fit of every result, one after the other, in this process."""
    ladder = Ladder.objects.select_related("current_run").get(slug=SLUG)
    run = ladder.current_run
    if run is None:
        yield "no ratings were published"
        return
    table = fitted(ladder)
    expected = {row.version: (row.rank, row.elo, row.standard_error, row.n_games) for row in table.rows}
    rows = Rating.objects.published(ladder)
    published = {row.version_id: (row.rank, row.elo, row.standard_error, row.n_games) for row in rows}
    if (run.n_matches, run.input_sha256) != (table.n_matches, table.input_sha256):
        yield f"the ratings are of {run.n_matches} matches, not of these {table.n_matches}"
    if published != expected:
        yield f"the ratings are {published}, a serial fit gives {expected}"


# --- A worker that is told to stop in the middle of a match ---------------------------------------------------

# Thinks for so long by the wall clock that a match takes minutes, and never breaks a limit.
SLOW = STEADY.replace(b"    def draw(self, view):", b"    def draw(self, view):\n        time.sleep(0.4)")


def queue_slow_matches(n_matches: int) -> list[int]:
    """Numbers of new matches that are still being played when a worker's time to stop is over."""
    version = make_version(content=b"import time\n" + SLOW)
    rivals = [
        make_version(content=b"import time\n" + SLOW + f"# {number}\n".encode())
        for number in range(n_matches)
    ]
    numbers = [make_match([version, rival]).pk for rival in rivals]
    connection.close()
    return numbers


def n_running(numbers: list[int]) -> int:
    """Raises DatabaseError."""
    close_old_connections()
    return Match.objects.filter(pk__in=numbers, status=Match.Status.RUNNING).count()


def problems_of_stopped(numbers: list[int]) -> Iterator[str]:
    """A sentence for each of these matches that was not given back when its worker was told to stop."""
    close_old_connections()
    for match in Match.objects.filter(pk__in=numbers).prefetch_related("attempts"):
        outcomes = [attempt.outcome for attempt in match.attempts.all()]
        if match.status != Match.Status.QUEUED or match.n_failures or set(outcomes) - {"stopped"}:
            yield f"match {match.pk} was not given back: it is {match.status}, its attempts are {outcomes}"


def attempts_by_outcome() -> str:
    """How the tries ended, and the most that one match needed."""
    found = Attempt.objects.filter(match__ladder_match__ladder__slug=SLUG)
    counts: dict[str, int] = {}
    for outcome, cause in found.values_list("outcome", "cause"):
        name = f"{outcome} ({cause})" if cause else outcome
        counts[name] = counts.get(name, 0) + 1
    most = max(found.values_list("match__n_attempts", flat=True), default=0)
    said = ", ".join(f"{n} {name}" for name, n in sorted(counts.items()))
    return f"{sum(counts.values())} attempts: {said}; at most {most} at one match"
