"""What every arena has from its first start: the standing ladders and the house bots."""

from __future__ import annotations

import hashlib

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from arena.models import Ladder, LadderEntry
from arena.names import free_username
from bots.house import HOUSE, HouseBot, house_source
from bots.models import Bot, Version
from bots.services import SubmissionError, add_version, lock_owner, make_bot

HOUSE_OWNER = "arena"
LADDERS = (
    {
        "slug": "duel",
        "name": gettext_noop("Duel"),
        "description": gettext_noop("Two seats: every match plays five deals, each once from both seats."),
        "seats": 2,
        "deals": 5,
        "position": 0,
    },
    {
        "slug": "table",
        "name": gettext_noop("Table"),
        "description": gettext_noop(
            "Four seats: every match plays two deals, each once from all four seatings."
        ),
        "seats": 4,
        "deals": 2,
        "position": 1,
    },
)


def seed_arena() -> list[str]:
    """Make the ladders, the owner of the house and its bots where they are missing; what was done, in words.

    A house bot whose source has changed gets a new version. Ladders that exist are left as they are: their terms
    never change.
    """
    done = []
    with transaction.atomic():
        owner = house_owner()
        if owner is None:
            owner = User.objects.create_user(free_username(HOUSE_OWNER))
            done.append(f"made the user {owner.username}")
        lock_owner(owner)
        ladders = []
        for terms in LADDERS:
            ladder, is_new = Ladder.objects.get_or_create(slug=terms["slug"], defaults=terms)
            ladders.append(ladder)
            if is_new:
                done.append(f"made the ladder {ladder.slug}")
        for house_bot in HOUSE:
            done += seed_bot(owner, house_bot, ladders)
    return done


def house_owner() -> User | None:
    """Who owns the house bots. Nobody logs in under this account; a person of its name is somebody else."""
    owner = User.objects.filter(bots__is_house=True).order_by("pk").first()
    if owner is None:
        owner = User.objects.filter(username=HOUSE_OWNER).first()
    return None if owner is None or owner.has_usable_password() else owner


def seed_bot(owner: User, house_bot: HouseBot, ladders: list[Ladder]) -> list[str]:
    """Bring one house bot up to its source. It needs no check: what we ship is tested before.

    A house bot that is new in this release may find its name taken: then it is left out.
    """
    done = []
    bot = Bot.objects.filter(name=house_bot.name, is_house=True).first()
    if bot is None:
        try:
            bot = make_bot(owner=owner, name=house_bot.name, is_house=True)
        except SubmissionError:
            return [f"left out the house bot {house_bot.name}: another bot is called so"]
        Bot.objects.filter(pk=bot.pk).update(is_source_public=True)
        LadderEntry.objects.bulk_create(LadderEntry(ladder=ladder, bot=bot) for ladder in ladders)
        done.append(f"made the house bot {bot.name}")
    source = house_source(house_bot.name)
    sha256 = hashlib.sha256(source).hexdigest()
    version = Version.objects.filter(bot=bot, package=sha256).first()
    if version is None:
        version = add_version(
            bot=bot,
            filename=f"{house_bot.name}.py",
            content=source,
            sha256=sha256,
            status=Version.Status.READY,
        )
        Version.objects.filter(pk=version.pk).update(checked_at=timezone.now())
        done.append(f"made {bot.name} version {version.number}")
    if bot.current_version_id != version.pk:
        Bot.objects.filter(pk=bot.pk).update(current_version=version, withdrawn_at=None)
    return done
