"""Bringing a trial on: from its matches' results to its state, and from that to further matches.

All is reckoned from the beginning each time, under the lock of the trial's row and in one transaction with what
follows. So the order of results, repeated calls, void matches and a worker killed in the middle do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from arena.bells import ring_match
from arena.models import Trial, TrialMatch
from arena.ratings.sequential import SequentialTest, Verdict
from arena.services.one_by_one import Done, one_by_one
from arena.services.queueing import queue_length
from arena.trials.models import counts_of
from bots.models import Version
from matches import services as matches
from matches.models import Match, Result

# A path of more points is thinned out: nobody could see them.
PATH_POINTS = 120
# Neither counts: what is void never will, what is parked waits for an operator, and another match takes its place.
ASIDE = (Match.Status.VOID, Match.Status.PARKED)


@dataclass(slots=True)
class Course:
    """How far a test has come: `counts` of pairs up to its verdict, and the ratio after each match."""

    counts: list[int] = field(default_factory=lambda: [0] * 5)
    path: list[tuple[int, float]] = field(default_factory=list)
    verdict: Verdict | None = None


def course(test: SequentialTest, found: list[list[int]]) -> Course:
    """Take the counts of matches one by one, in the order in which they were made, up to a verdict."""
    now = Course()
    for counts in found:
        now.counts = [sum(pair) for pair in zip(now.counts, counts, strict=True)]
        now.path.append((sum(now.counts), round(test.llr(now.counts), 4)))
        now.verdict = test.verdict(now.counts)
        if now.verdict is not None:
            break
    return now


def advance(*, trial_id: int) -> list[Match]:
    """Reckon a trial anew and make the matches that it needs next."""
    with transaction.atomic():
        trial = locked(trial_id)
        links = list(
            TrialMatch.objects.filter(trial=trial)
            .exclude(match__status__in=ASIDE)
            .order_by("match_id")
            .values_list("match", "match__status", "match__result__tally")
        )
        played: list[list[int]] = []
        for _, status, tally in links:
            if status != Match.Status.FINISHED:
                # Whatever was made later waits: a test that took quick matches first would favour who wins quickly.
                break
            played.append(counts_of(tally, trial.version_id))
        now = course(trial.test, played)
        turn(trial, now)
        queued = [match for match, status, _ in links if status == Match.Status.QUEUED]
        if trial.is_over:
            for match in Match.objects.filter(pk__in=queued):
                # What is being played is played to its end, and counts no more.
                matches.void_match(match=match, unless_finished=True)
            return []
        wanted = -(-trial.max_pairs // trial.deals) - len(links)
        return [make(trial) for _ in range(min(wanted, room(trial) - len(queued)))]


def locked(trial_id: int) -> Trial:
    """The trial, which nobody else changes until the transaction ends. Trials are locked before matches."""
    found = Trial.objects.select_for_update(no_key=True, of=("self",))
    return found.select_related("version", "opponent").get(pk=trial_id)


def turn(trial: Trial, now: Course) -> None:
    """Keep what was reckoned. A trial that has ended goes on where a result was taken back."""
    may_play = Version.objects.able().filter(pk__in=[trial.version_id, trial.opponent_id]).count() == 2
    if now.verdict is None and not may_play:
        trial.stop = trial.stop or Trial.Stop.VERSION
    if trial.stop:
        state = Trial.State.STOPPED
    else:
        state = Trial.State(now.verdict.value) if now.verdict is not None else Trial.State.RUNNING
    if state == Trial.State.RUNNING:
        trial.finished_at = None
    elif state != trial.state:
        trial.finished_at = timezone.now()
    trial.state, trial.counts, trial.path = state, now.counts, thinned(now.path)
    trial.save(update_fields=["state", "stop", "counts", "path", "finished_at"])


def thinned(path: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Every so many points of it, and the last."""
    step = -(-len(path) // PATH_POINTS) or 1
    return [*path[:-1:step], *path[-1:]]


def room(trial: Trial) -> int:
    """How many matches of the trial may wait: trials together share the queue as one ladder does."""
    results = Result.objects.filter(match__trial_match__trial=trial)
    together = queue_length(results, trial.deals * 2)
    return -(-together // max(Trial.objects.running().count(), 1))


def make(trial: Trial) -> Match:
    match = matches.create_match(
        versions=[trial.version, trial.opponent], preset=trial.preset, deals=trial.deals, limits=trial.limits
    )
    TrialMatch.objects.create(trial=trial, match=match)
    ring_match(match)
    return match


def bring_on_all() -> Done:
    """Bring on what is running; how many matches were made."""
    running = Trial.objects.running().order_by("pk").values_list("pk", flat=True)
    return one_by_one(running, lambda pk: len(advance(trial_id=pk)), name=lambda pk: f"trial {pk}")
