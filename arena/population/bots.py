"""The people and bots of a made-up crowd: owners, packages, versions with their checks, and places on the ladders."""

from __future__ import annotations

import hashlib
import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User

from arena.models import Ladder, LadderEntry, Notice
from arena.population.copying import next_key, store
from arena.population.games import package_sources
from bots.models import Bot, CheckStage, Package, Version

FIRST = (
    "amber", "brisk", "calm", "clever", "dapper", "eager", "fuzzy", "gentle", "hasty", "idle", "jolly", "keen",
    "lucky", "mellow", "nimble", "odd", "patient", "quiet", "rapid", "shy", "tidy", "upbeat", "vivid", "wry",
)  # fmt: skip
SECOND = (
    "adder", "badger", "crane", "dingo", "egret", "ferret", "gecko", "heron", "ibis", "jackal", "kiwi", "lynx",
    "marten", "newt", "otter", "puffin", "quail", "raven", "stoat", "tapir", "urchin", "viper", "wombat", "yak",
)  # fmt: skip
BOTS_AN_OWNER = 3
# Of all versions but each bot's newest: of these an author has more than one.
N_VERSIONS = (1, 1, 1, 2, 2, 3, 5)
HIDDEN_SHARE, WITHDRAWN_SHARE, PUBLIC_SHARE, REJECTED_SHARE = 0.002, 0.05, 0.1, 0.05
NOTICES_SHARE = 0.02
# Of the matches with a package that is a house bot's, how many that bot plays itself: all meet the anchors often.
FAVOUR = 0.9
AGE = timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Crowd:
    """Who may meet: the keys of ready versions by their package's number, ascending, each one's bot and owner, and
    which of them are house bots'. `sha256s` are of the packages, by number."""

    sha256s: list[str]
    by_package: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    bot_of: dict[int, int] = field(default_factory=dict)
    owner_of: dict[int, int] = field(default_factory=dict)
    house: set[int] = field(default_factory=set)

    def add(self, version: int, package: int, bot: Bot) -> None:
        self.by_package[package].append(version)
        self.bot_of[version] = bot.pk
        self.owner_of[version] = bot.owner_id

    def meeting(self, packages: Sequence[int], rng: random.Random) -> list[int] | None:
        """Versions with these packages that ascend, as a match's participants do; None where the draw finds none."""
        versions: list[int] = []
        for package in packages:
            known = self.by_package[package]
            start = bisect_right(known, versions[-1]) if versions else 0
            if start == len(known):
                return None
            is_anchor = known[start] in self.house and rng.random() < FAVOUR
            versions.append(known[start if is_anchor else rng.randrange(start, len(known))])
        return versions


def make_crowd(n_bots: int, ladders: list[Ladder], rng: random.Random, now: datetime) -> Crowd:
    owners = _owners(max(n_bots // BOTS_AN_OWNER, 2), now)
    sources = package_sources(n_bots)
    sha256s = [hashlib.sha256(source).hexdigest() for _name, source in sources]
    known = set(Package.objects.values_list("pk", flat=True))
    store(
        Package,
        (
            Package(sha256=sha256, content=source, size=len(source), created_at=now - AGE)
            for sha256, (_name, source) in zip(sha256s, sources, strict=True)
            if sha256 not in known
        ),
    )
    crowd = Crowd(sha256s)
    for house in Version.objects.filter(package__in=known).select_related("bot").order_by("pk"):
        if house.package_id in sha256s:
            crowd.add(house.pk, sha256s.index(house.package_id), house.bot)
            crowd.house.add(house.pk)
    bots: list[Bot] = []
    versions: list[Version] = []
    first = next_key(Version)
    for bot_id in range(next_key(Bot), next_key(Bot) + n_bots):
        bot = Bot(
            pk=bot_id,
            owner_id=owners[int(len(owners) * rng.random() ** 2)],
            name=f"{rng.choice(FIRST)}-{rng.choice(SECOND)}-{bot_id}",
            is_hidden=rng.random() < HIDDEN_SHARE,
            is_source_public=rng.random() < PUBLIC_SHARE,
            created_at=now - AGE * rng.random(),
        )
        bots.append(bot)
        for number, package in enumerate(rng.sample(range(len(sources)), rng.choice(N_VERSIONS)), 1):
            version = _version(first + len(versions), bot, number, sha256s[package], rng)
            versions.append(version)
            if version.status == Version.Status.READY:
                crowd.add(version.pk, package, bot)
                bot.current_version_id = version.pk
        if rng.random() < WITHDRAWN_SHARE:
            bot.current_version_id, bot.withdrawn_at = None, now - AGE * rng.random() / 4
    # Bots and versions name each other; the database looks when the transaction ends.
    store(Bot, bots)
    store(Version, versions)
    store(CheckStage, _stages(versions))
    store(LadderEntry, _entries(bots, ladders))
    store(Notice, _notices(bots, rng, now))
    return crowd


def _owners(n: int, now: datetime) -> list[int]:
    first = next_key(User)
    password = make_password(None)
    store(
        User,
        (
            User(pk=pk, username=f"author-{pk}", password=password, date_joined=now - AGE)
            for pk in range(first, first + n)
        ),
    )
    return list(range(first, first + n))


def _version(pk: int, bot: Bot, number: int, sha256: str, rng: random.Random) -> Version:
    created_at = bot.created_at + timedelta(hours=number)
    is_rejected = rng.random() < REJECTED_SHARE
    return Version(
        pk=pk,
        bot=bot,
        number=number,
        package_id=sha256,
        filename="bot.py",
        status=Version.Status.REJECTED if is_rejected else Version.Status.READY,
        rejection="The bot did not start within 5 s of CPU time." if is_rejected else "",
        created_at=created_at,
        checked_at=created_at + timedelta(seconds=3),
        check_attempts=1,
    )


def _stages(versions: list[Version]) -> Iterator[CheckStage]:
    for version in versions:
        has_failed = version.status == Version.Status.REJECTED
        for position, name in enumerate(CheckStage.Name):
            status = CheckStage.Status.PASSED
            if has_failed and position:
                status = CheckStage.Status.FAILED if position == 1 else CheckStage.Status.WAITING
            is_done = status != CheckStage.Status.WAITING
            yield CheckStage(
                version=version,
                name=name,
                position=position,
                status=status,
                started_at=version.created_at if is_done else None,
                finished_at=version.checked_at if is_done else None,
            )


def _entries(bots: list[Bot], ladders: list[Ladder]) -> Iterator[LadderEntry]:
    for bot in bots:
        for ladder in ladders:
            yield LadderEntry(
                ladder=ladder, bot=bot, is_active=bot.withdrawn_at is None, created_at=bot.created_at
            )


def _notices(bots: list[Bot], rng: random.Random, now: datetime) -> Iterator[Notice]:
    for bot in bots:
        if bot.current_version_id and rng.random() < NOTICES_SHARE:
            facts = {"n_own": 3, "n_faults": 4, "expected": 0.2}
            yield Notice(
                bot=bot,
                version_id=bot.current_version_id,
                kind=Notice.Kind.SUSPENDED,
                facts=facts,
                created_at=now - AGE * rng.random() / 2,
            )
