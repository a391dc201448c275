"""Plays stored games again, a few a minute, so that what replays promise is known to hold and not believed."""

from __future__ import annotations

import logging
from datetime import timedelta
from itertools import chain

from django.conf import settings
from django.utils import timezone

from arena import pulse
from matches.models import Game
from matches.services import verify_game

logger = logging.getLogger(__name__)

# A game is played again so often at most, however few there are.
ONCE_IN = timedelta(days=1)


def verify_games() -> dict[str, int]:
    """Play again up to `VERIFY_GAMES_A_MINUTE` games: the new ones first, then those for which it is longest ago.

    How many, and how many of them came out otherwise than they are stored.
    """
    limit = settings.VERIFY_GAMES_A_MINUTE
    games = Game.objects.select_related("match").filter(is_forfeit=False)
    fresh = games.filter(verified_at=None).order_by("pk")[:limit]
    stale = games.filter(verified_at__lt=timezone.now() - ONCE_IN).order_by("verified_at")[:limit]
    done = {"games": 0, "differences": 0}
    for game in list(chain(fresh, stale))[:limit]:
        try:
            verify_game(game=game)
        except Exception as error:  # one game must not keep the others waiting
            logger.exception("%s could not be played again", game)
            game.difference = f"Our own code broke while it played this game again ({type(error).__name__})."
            Game.objects.filter(pk=game.pk).update(verified_at=timezone.now(), difference=game.difference)
        done["games"] += 1
        if game.difference:
            done["differences"] += 1
            logger.error("%s comes out otherwise than it is stored: %s", game, game.difference)
    pulse.record_job("verify", **done)
    return done
