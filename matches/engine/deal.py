"""The order of the cards, drawn from a secret seed so that anyone who learns the seed can deal the same
again.

A stream of 32-bit words belongs to each label: SHA-256(seed ‖ label ‖ counter), counter from 0 as 8
big-endian bytes, read as big-endian words. docs/rules.md has the whole recipe with test vectors for other
languages.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import struct
from collections.abc import Iterator
from typing import Final, Protocol, TypeVar

from .cards import DECK
from .quoting import quoted

SEED_BYTES: Final = 32

T = TypeVar("T")


class Deal(Protocol):
    """Where a game's cards come from. A game asks for each thing once, in the order of play."""

    def pack(self, round: int, /) -> list[int]:
        """The shuffled deck of a round (counted from 1), its first card first."""

    def reshuffle(self, round: int, k: int, pile: list[int], /) -> list[int]:
        """The new draw pile, its top first, of the discards `pile`, bottom first; k counts from 0 within the round."""


def parse_seed(text: str) -> bytes:
    """The seed that a command line names: 64 hex digits are the seed itself, a plain number N stands for
    SHA-256("skyjo-arena seed N"). Raises ValueError for anything else.
    """
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text)
    if re.fullmatch(r"0|[1-9][0-9]{0,62}", text):
        return hashlib.sha256(f"skyjo-arena seed {text}".encode("ascii")).digest()
    raise ValueError(
        f"A seed is 64 hex digits, or a number without sign or leading zeros such as 7, not {quoted(text)}."
    )


def commitment(seed: bytes) -> str:
    """SHA-256("skyjo-arena" ‖ seed) in hex: published with a match, whose seed then stays as it is."""
    return hashlib.sha256(b"skyjo-arena" + seed).hexdigest()


_WORDS: Final = 2**32
_EIGHT_WORDS: Final = struct.Struct(">8I")


def _words(prefix: bytes) -> Iterator[int]:
    for counter in itertools.count():
        yield from _EIGHT_WORDS.unpack(hashlib.sha256(prefix + counter.to_bytes(8, "big")).digest())


class Stream:
    """The endless words of one label under one seed of 32 bytes."""

    __slots__ = ("_words",)

    def __init__(self, seed: bytes, label: str) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError(f"A seed has {SEED_BYTES} bytes, not {len(seed)}.")
        self._words = _words(seed + label.encode("ascii"))

    def word(self) -> int:
        """The next word, 0 to 2³² − 1."""
        return next(self._words)

    def below(self, n: int) -> int:
        """An integer from 0 to n − 1, each equally likely.

        Words above the last whole multiple of n are passed over.
        """
        for word in self._words:
            rest = word % n
            if word - rest <= _WORDS - n:
                break
        return rest

    def shuffle(self, cards: list[T]) -> None:
        """Shuffle in place: for i from the last index down to 1, swap i and below(i + 1)."""
        below = self.below
        for i in range(len(cards) - 1, 0, -1):
            j = below(i + 1)
            cards[i], cards[j] = cards[j], cards[i]


class SeededDeal:
    """Deal number `deal` (from 0) of a match: the order of the cards of every round of a game."""

    __slots__ = ("_deal", "_seed")

    def __init__(self, seed: bytes, deal: int) -> None:
        self._seed = seed
        self._deal = deal

    def pack(self, round: int, /) -> list[int]:
        cards = list(DECK)
        Stream(self._seed, f"deal {self._deal} round {round}").shuffle(cards)
        return cards

    def reshuffle(self, round: int, k: int, pile: list[int], /) -> list[int]:
        cards = list(pile)
        Stream(self._seed, f"reshuffle {self._deal} {round} {k}").shuffle(cards)
        return cards


def seating(seed: bytes, deal: int, n: int) -> tuple[int, ...]:
    """The base order of a deal: the participant (0 to n − 1, as given) of each seat in the first seating."""
    order = list(range(n))
    Stream(seed, f"seating {deal}").shuffle(order)
    return tuple(order)


def bot_random_seed(seed: bytes, deal: int, seat: int) -> int:
    """The `random_seed` that the bot in `seat` is told: the first 6 bytes of its own stream, 0 to 2⁴⁸ − 1."""
    stream = Stream(seed, f"bot {deal} {seat}")
    return stream.word() << 16 | stream.word() >> 16
