"""An arena full of secrets: who owns which, and who may see it.

Every secret is a text that occurs nowhere else, planted where people or bots would put one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.utils import timezone

from arena.models import (
    Host,
    Notice,
    Pulse,
    RequestedMatch,
    Tournament,
    TournamentMatch,
    Trial,
    TrialMatch,
)
from arena.services import create_api_token, rate_ladder, tournaments
from bots.models import CheckStage, Version
from matches.models import Attempt, GameSeat, Match
from matches.replay import Exchange, Note, PrivateSeat, encode_private
from matches.services import fail_attempt
from tests import people
from tests.arena.pages.staging import TIMEOUT
from tests.arena.tournaments.events import enter, finish, make_tournament, start, waiting
from tests.make import (
    STEADY,
    make_bot,
    make_claim,
    make_entry,
    make_finished_match,
    make_ladder,
    make_match,
    make_user,
    make_version,
)

ANYBODY, RIVAL, OWNER, CLERK, READER, OPERATOR = PEOPLE = (
    "anybody", "rival", "owner", "clerk", "reader", "operator",
)  # fmt: skip
"""Without an account; with bots; whose secrets these are; staff without, with all permissions to view, with all."""
MARKUP = '"><script>'
"""What no page may hold, whoever wrote it."""


@dataclass
class Scene:
    """`places` are the parameters of addresses; `secrets` say by name what is planted, `may_see` who may see it."""

    users: dict[str, User]
    places: dict[str, Any] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    may_see: dict[str, frozenset[str]] = field(default_factory=dict)

    def keep(self, name: str, text: str, *may_see: str) -> str:
        """Note a secret, and return it."""
        self.secrets[name], self.may_see[name] = text, frozenset(may_see)
        return text

    def word(self, name: str, *may_see: str) -> str:
        """A new secret of this name, for where only letters, digits and hyphens can stand."""
        return self.keep(name, f"canary-{name.replace(' ', '-')}-7c1f", *may_see)

    def plant(self, name: str, *may_see: str) -> str:
        """A new secret of this name with markup behind it, for where any text can stand."""
        return self.word(name, *may_see) + MARKUP

    def leaked(self, person: str, text: str) -> list[str]:
        """The secrets in this text that the person may not see."""
        return [
            name
            for name, secret in self.secrets.items()
            if secret in text and person not in self.may_see[name]
        ]

    def client(self, person: str, **options: Any) -> Client:
        client = Client(**options)
        if person != ANYBODY:
            client.force_login(self.users[person])
        return client


def make_scene() -> Scene:
    """Olivia, the owner, organises two tournaments, one under an embargo; one bot of hers is hidden."""
    scene = Scene({OWNER: people.make_owner(), RIVAL: people.make_rival(), OPERATOR: people.make_operator()})
    clerk = User.objects.create_user("clerk", "clerk@example.org", people.PASSWORD, is_staff=True)
    reader = User.objects.create_user("reader", "reader@example.org", people.PASSWORD, is_staff=True)
    reader.user_permissions.set(
        Permission.objects.filter(codename__startswith="view_").exclude(codename="view_private")
    )
    scene.users |= {CLERK: clerk, READER: reader}
    scene.places |= {"user": scene.users[OWNER].pk, "group": Group.objects.create(name="crew").pk}
    plant_accounts(scene)
    plant_bots(scene)
    plant_matches(scene)
    plant_trials(scene)
    plant_tournaments(scene)
    scene.keep("secret key", settings.SECRET_KEY)
    return scene


def plant_accounts(scene: Scene) -> None:
    for who in (CLERK, READER, OPERATOR):
        EmailAddress.objects.create(user=scene.users[who], email=scene.users[who].email, primary=True)
    for who in (OWNER, RIVAL):
        user = scene.users[who]
        address = scene.word(f"address of {who}", who, READER, OPERATOR) + "@example.org"
        password = scene.word(f"password of {who}")
        user.email = address
        user.set_password(password)
        user.save()
        EmailAddress.objects.create(user=user, email=address, primary=True)
        scene.keep(f"hash of {who}", user.password)
        token, secret = create_api_token(user=user, name=scene.plant(f"name of a token of {who}", who))
        scene.keep(f"token of {who}", secret)
        scene.keep(f"digest of a token of {who}", token.digest, who)
        scene.places[f"token_{who}"] = token.digest
    scene.places |= {
        "address": scene.users[OWNER].email,
        "password": scene.secrets["password of owner"],
        "new": "another horse battery",
    }


def plant_bots(scene: Scene) -> None:
    """A bot of the owner's and one of the rival's, each with a version that plays and one that was rejected; a bot of
    the owner's that an operator has hidden; a house bot with a public source."""
    owner = scene.users[OWNER]
    ladder = make_ladder()
    for who, name in ((OWNER, "mine"), (RIVAL, "theirs")):
        bot = make_bot(scene.users[who], name)
        source = scene.plant(f"source of {name}", who, OPERATOR)
        version = make_version(bot, STEADY + f"# {source}\n".encode())
        Version.objects.filter(pk=version.pk).update(
            filename=scene.word(f"file of {name}", who, OPERATOR) + ".py",
            check_trouble=scene.plant(f"trouble of {name}", READER, OPERATOR),
        )
        rejected = make_version(bot, STEADY + f"# {source} 2\n".encode(), status=Version.Status.REJECTED)
        path = scene.word(f"path in {name}", who, OPERATOR)
        Version.objects.filter(pk=rejected.pk).update(
            rejection="Syntax error in a Python file, line 3.",
            report={
                "stage": "start",
                "sentence": "Syntax error in a Python file, line 3.",
                "code": "syntax",
                "facts": {
                    "path": f"{path}.py",
                    "line": 3,
                    "message": scene.plant(f"line of {name}", who, OPERATOR),
                },
                "exchange": [{"to": "{}", "from": scene.plant(f"answer of {name}", who, OPERATOR)}],
                "stderr": scene.plant(f"error of the check of {name}", who, OPERATOR),
                "command": scene.plant(f"command for {name}", who, OPERATOR),
            },
        )
        rejected.stages.filter(name="start").update(status=CheckStage.Status.FAILED)
        make_entry(ladder, version)
        scene.places |= {name: name, f"version_{name}": version.pk, f"rejected_{name}": rejected.pk}
    shown = make_version(make_bot(make_user("arena"), "greedy", is_house=True, is_source_public=True))
    ghost = make_version(make_bot(owner, "canary-ghost", is_hidden=True, is_source_public=True))
    scene.keep("hidden bot", "canary-ghost", OWNER, OPERATOR)
    scene.keep("package of the hidden bot", ghost.sha256, OWNER, OPERATOR)
    scene.places |= {
        "ladder": ladder.pk,
        "entry_on_ladder": ladder.entries.first().pk,
        "ghost": ghost.bot.name,
        "version_ghost": ghost.pk,
        "version_greedy": shown.pk,
    }
    for name in ("mine", "theirs", "greedy", "ghost"):
        scene.places[f"bot_{name}"] = Version.objects.get(pk=scene.places[f"version_{name}"]).bot_id


def plant_matches(scene: Scene) -> None:
    """A finished match between the owner and the rival, one that waits after a failure, one of the hidden bot."""
    mine, theirs, ghost, greedy = (
        Version.objects.get(pk=scene.places[f"version_{name}"])
        for name in ("mine", "theirs", "ghost", "greedy")
    )
    ladder = mine.bot.ladder_entries.get().ladder
    match = make_finished_match([mine, theirs], ladder)
    for who, version in ((OWNER, mine), (RIVAL, theirs)):
        name = version.bot.name
        private = PrivateSeat(
            notes=(Note(3, scene.plant(f"note of {name}", who, OPERATOR)),),
            stderr=scene.plant(f"error of {name}", who, OPERATOR),
            offending=scene.plant(f"offending line of {name}", who, OPERATOR),
            exchanges=(Exchange("{}", scene.plant(f"exchange of {name}", who, OPERATOR)),),
        )
        # What belongs to a fault is shown where one is.
        GameSeat.objects.filter(version=version).update(
            private=encode_private([private]), fault="timeout", fault_detail=TIMEOUT
        )
    waiting = make_match([mine, theirs], ladder)
    fail_attempt(
        claim=make_claim(waiting),
        cause="sandbox",
        detail=scene.plant("detail of an attempt", READER, OPERATOR),
    )
    scene.keep("seed of a match that waits", bytes(waiting.seed).hex())
    hidden = make_finished_match([ghost, greedy])
    scene.keep("match of the hidden bot", hidden.commitment, OWNER, OPERATOR)
    notice = Notice.objects.create(
        bot=ghost.bot,
        version=ghost,
        kind=Notice.Kind.SUSPENDED,
        facts={"n_own": 1234567, "n_faults": 1234568, "expected": 1.0, "chance": 0.0},
    )
    scene.keep("notice to the owner", "1234567 of 1234568", OWNER, OPERATOR)
    scene.places |= {
        "match": match.pk,
        "game": match.games.first().pk,
        "waiting": waiting.pk,
        "attempt": Attempt.objects.get(match=waiting).pk,
        "hidden_match": hidden.pk,
        "hidden_game": hidden.games.first().pk,
        "link": match.ladder_match.pk,
        "run": rate_ladder(ladder=ladder).pk,
        "pulse": "sweep",
        "host": Host.objects.create(name="here").pk,
        "notice": notice.pk,
    }
    Pulse.objects.create(name="sweep", kind=Pulse.Kind.JOB, seen_at=timezone.now())


def plant_trials(scene: Scene) -> None:
    """One of the owner's bot, one of her hidden bot, and a match that she asked for."""
    mine, ghost, greedy = (
        Version.objects.get(pk=scene.places[f"version_{name}"]) for name in ("mine", "ghost", "greedy")
    )
    terms = {"owner": scene.users[OWNER], "preset": "official", "deals": 5, "nelo0": 0, "nelo1": 10}
    for name, version in (("trial", mine), ("hidden_trial", ghost)):
        trial = Trial.objects.create(
            **terms, version=version, opponent=greedy, alpha=0.05, beta=0.05, max_pairs=99, counts=[0] * 5
        )
        scene.places[name] = trial.pk
    link = TrialMatch.objects.create(trial=trial, match=make_match([ghost, greedy]))
    scene.keep("match of a trial of the hidden bot", link.match.commitment, OWNER, OPERATOR)
    asked = RequestedMatch.objects.create(match=make_match([mine, greedy]), by=scene.users[OWNER])
    scene.places |= {"trial_link": link.pk, "asked": asked.pk}


def plant_tournaments(scene: Scene) -> None:
    """One that runs, one that is open for entries, and one that is over and under an embargo, all the owner's."""
    organiser = scene.users[OWNER]
    theirs = Version.objects.get(pk=scene.places["version_theirs"])
    mine = Version.objects.get(pk=scene.places["version_mine"])
    for name, terms in (("cup", {}), ("sealed", {"embargo_until": timezone.now() + timedelta(days=1)})):
        # Seeded in the order of entering: mine, theirs, and two more.
        event = make_tournament(
            organiser=organiser, name=name + MARKUP, description=MARKUP, seeding="hand", **terms
        )
        entries = [enter(event, version) for version in (mine, theirs, make_version(), make_version())]
        start(event)
        first = waiting_of(event)[0]
        finish(first)
        tournaments.advance(tournament_id=event.pk)
        scene.places |= {
            name: event.pk,
            f"entry_{name}": entries[1].pk,
            f"own_entry_{name}": entries[0].pk,
            f"match_{name}": first.match_id,
            f"game_{name}": Match.objects.get(pk=first.match_id).games.first().pk,
            f"link_{name}": first.pk,
            f"record_{name}": event.records.first().pk,
            f"key_{name}": first.key,
        }
    sealed = Tournament.objects.get(pk=scene.places["sealed"])
    for number, link in enumerate(TournamentMatch.objects.filter(tournament=sealed).select_related("match")):
        scene.keep(f"match {number} under an embargo", link.match.commitment, OWNER, OPERATOR)
    sealed.refresh_from_db()
    reason = scene.plant("reason under an embargo", OWNER, OPERATOR)
    tournaments.rerun(link=waiting_of(sealed)[0], by=organiser, reason=reason)
    sealed.refresh_from_db()
    scene.keep("state under an embargo", sealed.digest[:16], OWNER, OPERATOR)
    opened = make_tournament(organiser=organiser, name="open", seeding="hand")
    entries = [enter(opened, version) for version in (theirs, make_version())]
    scene.places |= {"open": opened.pk, "entry_open": entries[0].pk, "other_entry_open": entries[1].pk}
    scene.keep("lots to come", opened.lot_seed)


def waiting_of(event: Tournament) -> list[TournamentMatch]:
    event.refresh_from_db()
    return waiting(event)
