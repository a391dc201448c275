"""Keeping the queue of each ladder short and full."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from django.db import transaction
from django.db.models import Count, QuerySet

from arena.bells import ring_match
from arena.models import Ladder, LadderEntry, LadderMatch, Rating
from arena.pairing.ladder import Contender, Meeting, pick_tables
from arena.pulse import n_match_workers
from bots.models import Version
from matches.models import Match, Participant
from matches.services import create_match

# Bells in flight, over all ladders: enough that no worker waits, few enough that a newcomer does not either.
MATCHES_A_WORKER = 4
# Who met whom is judged by so many of the ladder's latest matches.
RECENT_MATCHES = 300
# Beyond this, further matches teach next to nothing about a version.
MAX_MATCHES = 1000
# A bot that plays at random loses to everybody: its games say nothing more after a few.
RANDOM = "random"
MAX_MATCHES_OF_RANDOM = 40


def pair_ladder(*, ladder: Ladder, rng: random.Random | None = None) -> list[Match]:
    """Queue the ladder's next matches: none while enough wait, none when every rating is known well enough."""
    with transaction.atomic():
        # One pairing of a ladder at a time, so that two never fill the same gap.
        ladder = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
        n_tables = queue_length() - waiting(ladder)
        if n_tables <= 0 or not ladder.is_open:
            return []
        versions = {version.pk: version for version in playing(ladder)}
        tables = pick_tables(
            contenders(ladder, versions.values()),
            seats=ladder.seats,
            n_tables=n_tables,
            meetings=recent_meetings(ladder),
            rng=rng or random.SystemRandom(),
        )
        made = []
        for table in tables:
            match = create_match(
                versions=[versions[version] for version in table],
                preset=ladder.preset,
                deals=ladder.deals,
                limits=ladder.limits,
            )
            made.append(match)
            ring_match(match)
        LadderMatch.objects.bulk_create(LadderMatch(ladder=ladder, match=match) for match in made)
    return made


def queue_length() -> int:
    """How many matches each open ladder may have waiting."""
    n_ladders = max(Ladder.objects.filter(is_open=True).count(), 1)
    return math.ceil(MATCHES_A_WORKER * max(n_match_workers(), 1) / n_ladders)


def waiting(ladder: Ladder) -> int:
    return Match.objects.filter(status=Match.Status.QUEUED, ladder_match__ladder=ladder).count()


def playing(ladder: Ladder) -> QuerySet[Version]:
    entries = LadderEntry.objects.playing().filter(ladder=ladder)
    return Version.objects.filter(pk__in=entries.values("bot__current_version")).select_related("bot")


def contenders(ladder: Ladder, versions: Iterable[Version]) -> list[Contender]:
    """These versions, with what the published snapshot and the queue say of them."""
    versions = list(versions)
    rows = Rating.objects.published(ladder).filter(version__in=versions)
    ratings = {rating.version_id: rating for rating in rows}
    pending = dict(
        Participant.objects.filter(
            match__ladder_match__ladder=ladder,
            match__status__in=[Match.Status.QUEUED, Match.Status.RUNNING],
        )
        .values_list("version")
        .annotate(n=Count("pk"))
    )
    field = []
    for version in versions:
        bot = version.bot
        rating = ratings.get(version.pk)
        is_random = bot.is_house and bot.name == RANDOM
        field.append(
            Contender(
                version=version.pk,
                owner=bot.owner_id,
                is_house=bot.is_house,
                n_matches=pending.get(version.pk, 0) + (rating.n_matches if rating else 0),
                max_matches=MAX_MATCHES_OF_RANDOM if is_random else MAX_MATCHES,
                elo=rating.elo if rating else None,
                standard_error=rating.standard_error if rating else None,
            )
        )
    return field


def recent_meetings(ladder: Ladder) -> Iterator[Meeting]:
    rows = (
        Participant.objects.filter(match__ladder_match__ladder=ladder)
        .exclude(match__status=Match.Status.VOID)
        .order_by("-match_id")
        .values_list("match_id", "version_id")
    )
    tables: dict[int, list[int]] = defaultdict(list)
    for match_id, version_id in rows[: RECENT_MATCHES * ladder.seats]:
        tables[match_id].append(version_id)
    for versions in tables.values():
        yield from combinations(sorted(versions), 2)
