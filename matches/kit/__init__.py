"""The kit that authors run: `skyjo.pyz`, or `python -m matches.kit` in a checkout. One command a file.

What bots import is `bots.kit.skyjo`; `building` packs both, with engine, referee and house bots, into one file. All of
it needs the standard library alone. Commands speak English, and end with a status: 0, 1 where the answer is no, 2 for
what was asked wrongly, 3 where something else than the bot is to blame, 130 for an interrupt.
"""

from .main import main

__all__ = ["main"]
