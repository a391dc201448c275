"""A small arena to show on pages: two ladders, house bots, a person's bot, matches and games with real replays."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import asdict, dataclass, field
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from arena.models import Ladder, LadderEntry, LadderMatch, Rating, RatingRun, Trial
from arena.ratings.compare import placed
from arena.services.rating import playing_versions
from bots.models import Bot, CheckStage, Package, Version
from matches.engine.autopilot import autopilot
from matches.engine.deal import SeededDeal, commitment, seating
from matches.engine.game import Game as EngineGame
from matches.engine.rules import PRESETS
from matches.models import Attempt, Game, GameSeat, Match, Participant, Result
from matches.replay import (
    Exchange,
    PrivateSeat,
    Recorder,
    core_sha256,
    encode,
    encode_private,
    final_placing,
)

SOURCE = b'from skyjo import Bot, run\n\n\nclass Mine(Bot):\n    """<b>Mine</b>"""\n'

TIMEOUT = {
    "kind": "timeout",
    "sentence": "The decision took more than 500 ms of CPU time.",
    "decision": 20,
    "phase": "draw",
    "round": 1,
    "turn": 9,
    "expected": "an answer",
    "cpu_ms": 512.0,
    "wall_ms": 530.0,
    "memory_mib": None,
    "exit_status": None,
    "signal": None,
}


def make_bot(owner: User, name: str, **fields: object) -> Bot:
    return Bot.objects.create(owner=owner, name=name, **fields)


def make_version(bot: Bot, *, status: str = "ready", content: bytes = SOURCE, plays: bool = True) -> Version:
    content = content + f"# {bot.name} {bot.versions.count() + 1}\n".encode()
    sha256 = hashlib.sha256(content).hexdigest()
    package, _ = Package.objects.get_or_create(
        sha256=sha256, defaults={"content": content, "size": len(content)}
    )
    version = Version.objects.create(
        bot=bot, number=bot.versions.count() + 1, package=package, filename="mine.py", status=status
    )
    states = {
        "ready": "passed",
        "received": "waiting",
        "checking": "running",
        "rejected": "failed",
        "parked": "waiting",
    }
    now = timezone.now()
    for position, name in enumerate(CheckStage.Name.values):
        state = states[status]
        if status in {"checking", "rejected"} and position != 1:
            state = "passed" if position == 0 else "waiting"
        CheckStage.objects.create(
            version=version,
            name=name,
            position=position,
            status=state,
            started_at=None if state == "waiting" else now - timedelta(seconds=3),
            finished_at=now - timedelta(seconds=1) if state in {"passed", "failed"} else None,
        )
    if status == "ready" and plays:
        bot.current_version = version
        bot.save()
    return version


def make_match(ladder: Ladder, versions: list[Version], *, status: str = "queued") -> Match:
    # No key of a row: PostgreSQL counts on over tests, and the games would be other ones in another order of tests.
    seed = hashlib.sha256(f"{ladder.slug} {Match.objects.count()}".encode()).digest()
    match = Match.objects.create(
        preset=ladder.preset,
        seats=ladder.seats,
        deals=1,
        seed=seed,
        commitment=commitment(seed),
        status=status,
    )
    LadderMatch.objects.create(ladder=ladder, match=match)
    for number, version in enumerate(versions):
        Participant.objects.create(match=match, version=version, bot=version.bot, number=number)
    return match


def finish_match(match: Match, *, faulted: Version | None = None) -> list[Game]:
    """One game a seating, played by the autopilot; the faulted version's seat is marked in the first game."""
    versions = [participant.version for participant in match.participants.all()]
    n = len(versions)
    base = seating(bytes(match.seed), 0, n)
    games = []
    for shift in range(n):
        seats = [versions[base[(seat + shift) % n]] for seat in range(n)]
        rules = PRESETS[match.preset].rules
        engine = EngineGame(rules, n, SeededDeal(bytes(match.seed), 0))
        recorder = Recorder(rules, bytes(match.seed), 0, [version.sha256 for version in seats])
        bad = seats.index(faulted) if faulted is not None and shift == 0 else None
        while engine.seat is not None:
            seat, action = engine.seat, autopilot(engine)
            if seat == bad and recorder.n_decisions >= 20 and not recorder.core().faults:
                recorder.fault(seat, recorder.n_decisions, "timeout")
            is_autopilot = bool(recorder.core().faults) and seat == bad
            recorder.decision(seat, action, autopilot=is_autopilot, cpu_ns=1_500_000)
            engine.apply(action)
        outcome = engine.outcome
        assert outcome is not None
        game = Game.objects.create(
            match=match,
            deal=0,
            seating=shift,
            replay=encode(recorder.core(), recorder.timing()),
            core_sha256=core_sha256(recorder.core()),
            n_rounds=len(engine.rounds),
            n_decisions=engine.n_decisions,
        )
        placing = final_placing(outcome.placing, set() if bad is None else {bad})
        for seat, version in enumerate(seats):
            is_bad = seat == bad
            GameSeat.objects.create(
                game=game,
                seat=seat,
                version=version,
                bot=version.bot,
                placing=placing[seat],
                total=outcome.totals[seat],
                cpu_ms=90,
                fault="timeout" if is_bad else "",
                fault_detail=TIMEOUT if is_bad else {},
                private=encode_private(
                    [
                        PrivateSeat(
                            stderr=f"stderr of {version} <script>",
                            offending="secret line" if is_bad else None,
                            exchanges=(Exchange("{}", None),) if is_bad else (),
                        )
                    ]
                ),
            )
        games.append(game)
    now = timezone.now()
    attempt = Attempt.objects.create(
        match=match, number=1, token=uuid.uuid4(), worker="w", outcome="finished", ended_at=now
    )
    Result.objects.create(
        match=match,
        attempt=attempt,
        duration_ms=4321,
        tally={
            "versions": [version.pk for version in versions],
            "games": n,
            "pairs": [n / 2] * (n * (n - 1) // 2),
            "totals": [100] * n,
            "clean": [n] * n,
            "rounds": [4 * n] * n,
            "faults": [int(version == faulted) for version in versions],
        },
    )
    Match.objects.filter(pk=match.pk).update(
        status="finished",
        started_at=now - timedelta(seconds=5),
        finished_at=now,
        has_bot_fault=faulted is not None,
    )
    match.refresh_from_db()
    return games


def make_ratings(ladder: Ladder, rows: list[tuple[Version, float, float]]) -> RatingRun:
    """A published snapshot of (version, elo, standard error)."""
    in_order = sorted(rows, key=lambda row: -row[1])
    playing = playing_versions(ladder)
    places = placed([row[1:] for row in in_order], [row[0].pk in playing for row in in_order])
    run = RatingRun.objects.create(
        ladder=ladder,
        n_playing=sum(place.place is not None for place in places),
        algorithm="test",
        input_sha256="0" * 64,
        n_matches=7,
        n_games=70,
        n_rated=len(rows),
        n_left_out=0,
        duration_ms=1,
    )
    for rank, ((version, elo, error), place) in enumerate(zip(in_order, places, strict=True), start=1):
        Rating.objects.create(
            run=run,
            version=version,
            rank=rank,
            elo=elo,
            standard_error=error,
            n_games=70,
            n_matches=7,
            n_opponents=2,
            win_share=0.5,
            mean_points=80.25,
            round_points=20.25,
            doubts=["error"] if error > 30 else [],
            n_faults=0,
            **asdict(place),
        )
    Ladder.objects.filter(pk=ladder.pk).update(current_run=run)
    ladder.refresh_from_db()
    return run


@dataclass
class Site:
    """What the pages show. `owner` has the bot `mine` (version 1 plays, version 2 was rejected), and a
    trial of it against `greedy`."""

    duel: Ladder
    table: Ladder
    owner: User
    mine: Bot
    version: Version
    rejected: Version
    house: list[Version]
    match: Match
    trial: Trial
    games: list[Game] = field(default_factory=list)


def stage(owner: User) -> Site:
    arena = User.objects.create_user("arena")
    duel = Ladder.objects.create(slug="duel", name="Duel", seats=2, deals=5, position=0)
    table = Ladder.objects.create(slug="table", name="Table", seats=4, deals=2, position=1)
    house = []
    for name in ("random", "greedy", "threshold", "ev"):
        bot = make_bot(arena, name, is_house=True, is_source_public=True)
        house.append(make_version(bot))
    mine = make_bot(owner, "mine")
    version = make_version(mine)
    rejected = make_version(mine, status="rejected")
    rejected.rejection = "The bot answered after 612 ms; limit 500 ms, round 3, turn 17."
    rejected.report = {
        "sentence": rejected.rejection,
        "stage": "start",
        "exchange": [{"to": '{"type":"hello"}', "from": "<i>private answer</i>"}],
        "stderr": "Traceback <private>",
        "command": "python3 skyjo.pyz check mine.py",
        "fault": {"kind": "timeout", "round": 3},
    }
    rejected.save()
    for each in (*house, version):
        for ladder in (duel, table):
            LadderEntry.objects.create(ladder=ladder, bot=each.bot)
    match = make_match(duel, [house[1], version])
    games = finish_match(match, faulted=version)
    for ladder in (duel, table):
        make_ratings(
            ladder,
            [
                (house[3], 1890, 8),
                (house[2], 1710, 8),
                (house[1], 1500, 0),
                (house[0], 1010, 20),
                (version, 1700, 40),
            ],
        )
    trial = make_trial(owner, version, house[1])
    return Site(duel, table, owner, mine, version, rejected, house, match, trial, games)


def make_trial(owner: User, version: Version, opponent: Version, **fields: object) -> Trial:
    """A running trial that stands at 43 pairs."""
    terms = {
        "preset": "official",
        "deals": 5,
        "nelo0": 0,
        "nelo1": 10,
        "alpha": 0.05,
        "beta": 0.05,
        "max_pairs": 20_000,
        "counts": [6, 2, 15, 3, 17],
        "path": [(5, 0.1), (10, -0.05), (15, 0.2), (43, 0.6)],
    }
    return Trial.objects.create(
        **{"owner": owner, "version": version, "opponent": opponent, **terms, **fields}
    )
