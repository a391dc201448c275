"""The house bots are as strong as competent versions should be: two seats, official rules, full games.

A hundred duplicate deals a pair. The bound lies four standard errors below what is asked for.
"""

from __future__ import annotations

import pytest

from matches.engine import parse_seed

from .driver import NAMES, duel, summary

# Much work for one test: on a busy host it takes its time.
pytestmark = pytest.mark.timeout(600)

SEED = parse_seed("11")
DEALS = range(100)


@pytest.mark.parametrize(
    ("stronger", "weaker", "share"),
    [("threshold", "greedy", 0.75), ("ev", "threshold", 0.75), ("ev", "greedy", 0.97)],
)
def test_a_house_bot_beats_the_weaker_one_as_often_as_it_should(stronger, weaker, share):
    result = summary(duel(stronger, weaker, SEED, DEALS))

    assert result.share >= share - 4 * result.error
    assert result.share > 0.5 + 4 * result.error


@pytest.mark.parametrize("name", NAMES[1:])
def test_every_house_bot_with_a_plan_beats_random(name):
    result = summary(duel(name, "random", SEED, DEALS))

    assert result.share >= 0.99
