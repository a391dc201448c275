"""How many matches may wait: little work for each worker, shared evenly by those who always want more.

Those are the open ladders and, while any trial runs, all trials together. Matches are played in the order in which they
were queued, so each of them gets workers as its share of the queue is, and none can starve another. What a person or a
tournament asks for goes to the end of the same short queue.
"""

from __future__ import annotations

import math
from statistics import median

from django.db.models import QuerySet

from arena.models import Ladder, Trial
from arena.pulse import n_match_workers
from matches.models import Result

# Seconds of work that wait for each worker, over all who share the queue: more than a pairing takes to come round.
WORK_S = 10.0
# Bells take time too: so many matches a worker wait however long they last, and no more however short.
LEAST_A_WORKER, MOST_A_WORKER = 2, 12
# Durations are those of the latest results.
MEASURED_RESULTS = 20


def n_sharing() -> int:
    """Who shares the queue: the open ladders, and the trials as one."""
    return max(Ladder.objects.filter(is_open=True).count() + Trial.objects.running().exists(), 1)


def queue_length(results: QuerySet[Result], n_games: int) -> int:
    """How many matches of so many games may wait for one who shares the queue, whose results are these.

    Where there is no result yet, other matches tell how long a game takes.
    """
    workers = max(n_match_workers(), 1)
    match_s = duration_s(results, n_games) or duration_s(Result.objects.all(), n_games)
    a_worker = WORK_S / match_s if match_s else LEAST_A_WORKER
    return math.ceil(workers * min(max(a_worker, LEAST_A_WORKER), MOST_A_WORKER) / n_sharing())


def most_waiting() -> int:
    """How many matches wait at most while nobody asks for one out of turn."""
    return MOST_A_WORKER * max(n_match_workers(), 1)


def duration_s(results: QuerySet[Result], n_games: int) -> float | None:
    """What a match of so many games takes a worker: the median of the latest of these. None without any."""
    latest = results.order_by("-match_id").values_list("duration_ms", "match__deals", "match__seats")
    games_s = [
        duration_ms / 1000 / (deals * seats) for duration_ms, deals, seats in latest[:MEASURED_RESULTS]
    ]
    # A match that nothing was measured of, as one between forfeits, takes its time all the same.
    return max(median(games_s) * n_games, 0.001) if games_s else None
