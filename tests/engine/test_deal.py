"""The deal generator against vectors that were worked out from its description by other means (docs/rules.md)."""

from __future__ import annotations

import hashlib

import pytest

from matches.engine import DECK, SeededDeal, Stream, bot_random_seed, commitment, parse_seed, seating

SEED_7 = "3ab620ef2c2643cfa47e32e3791aefb922dc76d9644b1b10fd683e25a98a1704"
SEED = bytes.fromhex(SEED_7)

DEAL_0_ROUND_1 = """
    5 0 9 2 2 11 6 7 0 5 -1 0 3 -1 9 12 -1 -1 4 0 4 6 -2 1 7 3 1 3 6 10 5 4 12 5 -2 2 4 9 0 6 2 10 3 -1 7 11 0 12 10 1
    8 1 10 0 8 5 7 0 7 4 0 7 4 1 11 7 1 4 5 9 3 10 6 -2 -2 7 9 5 0 9 12 0 -1 2 12 7 1 11 8 8 10 8 6 1 10 2 8 9 1 10 2
    8 7 8 2 6 12 4 5 3 -1 2 -1 8 9 5 3 0 4 5 12 6 4 11 9 3 6 0 12 3 2 0 -2 11 0 6 11 11 9 12 11 11 -1 1 12 3 10 8 10 -1
"""


def numbers(text):
    return [int(word) for word in text.split()]


def sha256_of(cards):
    return hashlib.sha256(" ".join(map(str, cards)).encode()).hexdigest()


def test_seed_7_of_a_command_line():
    assert parse_seed("7").hex() == SEED_7


def test_64_hex_digits_are_the_seed_itself():
    assert parse_seed(SEED_7) == parse_seed(SEED_7.upper()) == SEED
    assert parse_seed("0" * 64) == bytes(32)


@pytest.mark.parametrize(
    "text", ["", "-1", "07", "+7", " 7", "7\n", "seven", "½", "٧", SEED_7[:-1], SEED_7 + "0", "0x7"]
)
def test_any_other_text_is_no_seed(text):
    with pytest.raises(ValueError, match=r"A seed is 64 hex digits, or a number without sign"):
        parse_seed(text)


def test_the_commitment():
    assert commitment(SEED) == "52274317d12334b2839262ec704adcf1f6573e42044cae705ce2668a24f9539f"


def test_the_words_of_a_stream():
    stream = Stream(SEED, "deal 0 round 1")
    assert [stream.word() for _ in range(9)] == [
        914414113,
        1930807093,
        3608678485,
        4191604572,
        2780891547,
        2097155297,
        3593461710,
        3751719124,
        3176092980,
    ]


def test_below_passes_over_words_past_the_last_whole_multiple():
    stream = Stream(SEED, "any")
    stream._words = iter([2**32 - 1, 2**32 - 2, 5])
    assert stream.below(3) == (2**32 - 2) % 3
    stream._words = iter([2**32 - 1, 2**32 - 4, 2**32 - 5, 8])
    assert stream.below(12) == (2**32 - 5) % 12
    stream._words = iter([2**32 - 1])
    assert stream.below(2) == 1


def test_a_seed_of_another_length_is_refused():
    with pytest.raises(ValueError, match="A seed has 32 bytes, not 31"):
        Stream(bytes(31), "any")


def test_the_pack_of_a_round():
    assert SeededDeal(SEED, 0).pack(1) == numbers(DEAL_0_ROUND_1)


@pytest.mark.parametrize(
    ("deal", "round", "digest"),
    [
        (0, 1, "f9e907f5fa42eebe9049afac3cec493e49ef7a791baf7279f12cca86306747d5"),
        (0, 2, "7c1413d385b442588f27e7be9337bb81248b2955eead3c554ec043277c37c904"),
        (3, 1, "b3012ac535a6d786881c22867f34016e2dbea86f28d4b42d822dd873ad9a69ff"),
    ],
)
def test_packs_by_their_digest(deal, round, digest):
    pack = SeededDeal(SEED, deal).pack(round)
    assert sorted(pack) == list(DECK)
    assert sha256_of(pack) == digest


def test_reshuffles():
    pile = [*range(1, 13), -2]
    assert SeededDeal(SEED, 0).reshuffle(1, 0, pile) == [5, -2, 11, 7, 4, 12, 10, 2, 9, 6, 1, 8, 3]
    assert SeededDeal(SEED, 0).reshuffle(1, 1, pile) == [6, 9, 4, -2, 5, 10, 8, 12, 11, 3, 1, 7, 2]
    assert pile == [*range(1, 13), -2]


def test_base_orders():
    assert [seating(SEED, 0, n) for n in (2, 4, 8)] == [(0, 1), (0, 2, 3, 1), (5, 2, 6, 4, 0, 7, 3, 1)]
    assert seating(SEED, 1, 8) == (2, 0, 4, 1, 3, 7, 6, 5)


def test_random_seeds_of_bots():
    seeds = [bot_random_seed(SEED, deal, seat) for deal in (0, 1) for seat in (0, 1)]
    assert seeds == [141574918720460, 221631149583273, 69877522832079, 68235241582347]
    assert all(seed == float(seed) for seed in seeds)


def test_the_deck():
    counts = {value: DECK.count(value) for value in sorted(set(DECK))}
    assert counts == {-2: 5, -1: 10, 0: 15} | dict.fromkeys(range(1, 13), 10)
    assert list(DECK) == sorted(DECK)
    assert len(DECK) == 150
