"""Keeping the queue of each ladder short and full."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Count, QuerySet

from arena.bells import ring_match
from arena.models import Ladder, LadderEntry, LadderMatch, Rating
from arena.pairing.field import MOST_PLACEMENT_MATCHES, Contender, History, Record
from arena.pairing.ladder import pick_tables
from arena.pulse import missing_runtimes
from arena.services.queueing import queue_length
from bots.models import Version
from matches.models import Match, Participant, Result
from matches.services import create_match

# A house bot that plays at random loses to everybody: its games tell that a newcomer can win, and nothing else.
RANDOM = "random"
PENDING = (Match.Status.QUEUED, Match.Status.RUNNING)


def pair_ladder(*, ladder: Ladder, rng: random.Random | None = None) -> list[Match]:
    """Queue the ladder's next matches: none while enough wait, none when every rating is known well enough."""
    with transaction.atomic():
        # One pairing of a ladder at a time, so that two never fill the same gap.
        ladder = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
        if not ladder.is_open:
            return []
        n_tables = room(ladder)
        if n_tables <= 0:
            return []
        versions = {version.pk: version for version in playing(ladder)}
        tables = pick_tables(
            contenders(ladder, versions.values()),
            seats=ladder.seats,
            n_tables=n_tables,
            history=history(ladder),
            rng=rng or random.SystemRandom(),
        )
        made = []
        for table in tables:
            match = create_match(
                versions=[versions[version] for version in table.versions],
                preset=ladder.preset,
                deals=ladder.deals,
                limits=ladder.limits,
            )
            made.append(match)
            ring_match(match)
        LadderMatch.objects.bulk_create(
            LadderMatch(ladder=ladder, match=match, reason=table.reason, made_for_id=table.made_for)
            for table, match in zip(tables, made, strict=True)
        )
    return made


def room(ladder: Ladder) -> int:
    """How many more matches of the ladder may wait."""
    results = Result.objects.filter(match__ladder_match__ladder=ladder)
    waiting = Match.objects.filter(status=Match.Status.QUEUED, ladder_match__ladder=ladder).count()
    return queue_length(results, ladder.deals * ladder.seats) - waiting


def playing(ladder: Ladder) -> QuerySet[Version]:
    """The versions that may be paired: not those whose runtime no worker has."""
    entries = LadderEntry.objects.playing().filter(ladder=ladder)
    versions = Version.objects.filter(pk__in=entries.values("bot__current_version"))
    return versions.exclude(runtime__in=missing_runtimes()).select_related("bot")


def contenders(ladder: Ladder, versions: Iterable[Version]) -> list[Contender]:
    """These versions, with what the published snapshot and the queue say of them."""
    versions = list(versions)
    published = Rating.objects.published(ladder)
    ratings = {rating.version_id: rating for rating in published.filter(version__in=versions)}
    pending = counted(ladder_seats(ladder).filter(match__status__in=PENDING))
    young = [
        version.pk
        for version in versions
        if version.pk not in ratings or ratings[version.pk].n_matches < MOST_PLACEMENT_MATCHES
    ]
    # Of those still being placed, also what has been played since the snapshot.
    played = counted(ladder_seats(ladder).filter(version__in=young))
    unrated = [version for version in versions if version.pk not in ratings]
    guesses = dict(
        published.filter(version__bot__in=[version.bot_id for version in unrated])
        .order_by("version__number")
        .values_list("version__bot", "elo")
    )
    field = []
    for version in versions:
        bot, rating = version.bot, ratings.get(version.pk)
        n_rated = rating.n_matches if rating else 0
        field.append(
            Contender(
                version=version.pk,
                owner=bot.owner_id,
                is_house=bot.is_house,
                is_smoke_test=bot.is_house and bot.name == RANDOM,
                n_rated=n_rated,
                n_pending=max(pending[version.pk], played[version.pk] - n_rated),
                n_opponents=rating.n_opponents if rating else 0,
                elo=rating.elo if rating else guesses.get(bot.pk),
                standard_error=rating.standard_error if rating else None,
                is_one_sided=rating is not None and rating.win_share in (0.0, 1.0),
            )
        )
    return field


def ladder_seats(ladder: Ladder) -> QuerySet[Participant]:
    """Who plays in the ladder's matches, those that are void aside."""
    seats = Participant.objects.filter(match__ladder_match__ladder=ladder)
    return seats.exclude(match__status=Match.Status.VOID)


def counted(seats: QuerySet[Participant]) -> Counter[int]:
    """Matches by version."""
    return Counter(dict(seats.values_list("version").annotate(n=Count("pk"))))


def history(ladder: Ladder) -> History:
    """Whom a version has met on the ladder, in matches that are not void."""

    def record(version: int) -> Record:
        own = ladder_seats(ladder).filter(version=version)
        others = Participant.objects.filter(match__in=own.values("match")).exclude(version=version)
        met: dict[int, int] = {}
        owners: Counter[int] = Counter()
        rows = others.values_list("version", "version__bot__owner", "version__bot__is_house")
        for other, owner, is_house, n in rows.annotate(n=Count("pk")):
            met[other] = n
            if not is_house:
                owners[owner] += n
        return Record(n_matches=sum(met.values()) // (ladder.seats - 1), met=met, owners=owners)

    return record
