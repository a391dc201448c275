"""Rows for tests, one plain function each; what a test does not care for has a default."""

import dataclasses
import hashlib
import random
from collections.abc import Sequence
from datetime import timedelta
from itertools import count

from django.contrib.auth.models import User
from django.utils import timezone

from arena.models import Ladder, LadderEntry, LadderMatch
from bots.models import Bot, CheckStage, Package, Version
from bots.sandbox.limits import Limits
from matches.engine.deal import SeededDeal
from matches.engine.game import Game as Play
from matches.engine.rules import rules_from
from matches.models import Match
from matches.referee import GameRecord, MatchRecord, MatchSpec
from matches.replay import Recorder
from matches.services import Claim, claim_match, create_match, finish_match

WORKER = "matches@test"
numbers = count(1)

# A bot that plays: never looks, always takes the draw pile and throws the card away.
STEADY = b"""
from skyjo import Bot, run

class Steady(Bot):
    def reveal(self, view):
        return 0, 1

    def draw(self, view):
        return view.draw()

    def place(self, view, card):
        return view.flip(view.hidden()[0])

run(Steady())
"""


def make_user(name: str | None = None) -> User:
    return User.objects.create_user(name or f"user{next(numbers)}")


def make_bot(owner: User | None = None, name: str | None = None, **fields: object) -> Bot:
    """A bot without a version."""
    owner = owner or make_user()
    return Bot.objects.create(owner=owner, name=name or f"bot{next(numbers)}", **fields)


def make_version(
    bot: Bot | None = None,
    content: bytes | None = None,
    status: str = Version.Status.READY,
    is_current: bool = True,
) -> Version:
    """A version of a bot of its own, ready and in play, unless said otherwise."""
    bot = bot or make_bot()
    content = content if content is not None else STEADY + f"# {next(numbers)}\n".encode()
    sha256 = hashlib.sha256(content).hexdigest()
    package, _ = Package.objects.get_or_create(
        sha256=sha256, defaults={"content": content, "size": len(content)}
    )
    number = bot.versions.count() + 1
    version = Version.objects.create(
        bot=bot, number=number, package=package, filename="bot.py", status=status
    )
    CheckStage.objects.bulk_create(
        CheckStage(version=version, name=name, position=position)
        for position, name in enumerate(CheckStage.Name)
    )
    if is_current and status == Version.Status.READY:
        bot.current_version = version
        bot.save(update_fields=["current_version"])
    return version


def make_ladder(slug: str = "duel", seats: int = 2, deals: int = 2, **fields: object) -> Ladder:
    return Ladder.objects.create(slug=slug, name=slug.title(), seats=seats, deals=deals, **fields)


def make_entry(ladder: Ladder, version: Version | None = None, is_active: bool = True) -> LadderEntry:
    version = version or make_version()
    return LadderEntry.objects.create(ladder=ladder, bot=version.bot, is_active=is_active)


def make_match(
    versions: Sequence[Version] | None = None, ladder: Ladder | None = None, deals: int = 1
) -> Match:
    """A queued match, of two new versions unless said otherwise."""
    versions = versions if versions is not None else [make_version(), make_version()]
    match = create_match(versions=versions, preset="official", deals=deals, limits=Limits())
    if ladder is not None:
        LadderMatch.objects.create(ladder=ladder, match=match)
    return match


def make_claim(match: Match | None = None, worker: str = WORKER) -> Claim:
    """A worker's hold on a match."""
    claim = claim_match(match_id=(match or make_match()).pk, worker=worker)
    assert claim is not None
    return claim


def make_finished_match(
    versions: Sequence[Version] | None = None,
    ladder: Ladder | None = None,
    deals: int = 1,
    winner: Version | None = None,
) -> Match:
    """A match with its result and games, played at random; who is named as winner is said to have won each game."""
    claim = make_claim(make_match(versions, ladder, deals))
    record = make_record(claim.match, claim.versions)
    if winner is not None:
        record = won_by(record, claim.versions.index(winner))
    assert finish_match(claim=claim, record=record)
    return Match.objects.get(pk=claim.match.pk)


def won_by(record: MatchRecord, participant: int) -> MatchRecord:
    """The same games, but this participant is placed first and all others share the next place."""
    games = tuple(
        dataclasses.replace(game, placing=tuple(1 if one == participant else 2 for one in game.participants))
        for game in record.games
    )
    return dataclasses.replace(record, games=games)


def make_record(match: Match, versions: Sequence[Version] = ()) -> MatchRecord:
    """What a referee would hand over after a match between players who choose at random, at once."""
    sha256s = [version.sha256 for version in versions] or ["0" * 64] * match.seats
    spec = MatchSpec(
        seed=bytes(match.seed),
        rules=rules_from(match.preset),
        seats=match.seats,
        deals=match.deals,
        limits=match.limits,
    )
    games = tuple(
        random_game(spec, deal, seating, sha256s)
        for seating in range(match.seats)
        for deal in range(match.deals)
    )
    return MatchRecord(games=games, cpu_ms=(0,) * match.seats, wall_ms=1)


def random_game(spec: MatchSpec, deal: int, seating: int, sha256s: Sequence[str]) -> GameRecord:
    participants = spec.participants(deal, seating)
    rng = random.Random(f"{spec.seed.hex()} {deal} {seating}")
    recorder = Recorder(spec.rules, spec.seed, deal, [sha256s[participant] for participant in participants])
    play = Play(spec.rules, spec.seats, SeededDeal(spec.seed, deal))
    while play.seat is not None:
        action = rng.choice(play.legal_actions())
        recorder.decision(play.seat, action)
        play.apply(action)
    assert play.outcome is not None
    return GameRecord(
        deal=deal,
        seating=seating,
        participants=participants,
        placing=tuple(play.outcome.placing),
        core=recorder.core(),
        timing=recorder.timing(),
        totals=tuple(play.outcome.totals),
        rounds=tuple(play.rounds),
        cpu_ms=(0,) * spec.seats,
    )


def expire(match: Match) -> None:
    """Let the lease of a running match be over."""
    Match.objects.filter(pk=match.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
