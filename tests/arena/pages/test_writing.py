"""How pages write times, ratings, shares and sizes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from arena.templatetags import arena


def test_a_time_is_relative_with_the_exact_one_in_its_title() -> None:
    moment = timezone.now() - timedelta(minutes=5)
    html = arena.when(moment)
    assert f'datetime="{moment.isoformat(timespec="seconds")}"' in html
    assert f'title="{moment:%Y-%m-%d %H:%M:%S} UTC"' in html
    assert "5\xa0minutes ago" in html


def test_a_time_long_ago_is_a_date_and_none_is_a_dash() -> None:
    assert ">1 Feb 2020<" in arena.when(datetime(2020, 2, 1, tzinfo=UTC))
    assert arena.when(None) == "–"


def test_a_moment_of_a_schedule_is_exact_in_utc_and_relative() -> None:
    moment = timezone.now() + timedelta(hours=3, minutes=1)
    html = arena.moment(moment)
    assert f"{moment:%H:%M} UTC</time>" in html
    assert "(3\xa0hours from now)" in html
    assert arena.moment(None) == "–"


@pytest.mark.parametrize(("value", "text"), [(0.5, "30 s"), (12.4, "12 min"), (300, "5 h"), (None, "–")])
def test_a_duration_in_minutes_is_given_in_the_unit_that_suits(value: float | None, text: str) -> None:
    assert arena.minutes(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-1, "0 ms"),
        (0.0004, "0 ms"),
        (0.5, "500 ms"),
        (5, "5 s"),
        (9.58, "9.6 s"),
        (61, "61 s"),
        (600, "10 min"),
        (7200, "2 h"),
        (300_000, "3 days"),
        (None, "–"),
    ],
)
def test_a_duration_carries_its_unit(value: float | None, text: str) -> None:
    assert arena.seconds(value) == text


def test_a_rating_is_never_bare() -> None:
    assert "1712&nbsp;±&nbsp;24" in arena.rating(SimpleNamespace(elo=1711.6, half_width=24.4))


@pytest.mark.parametrize(("low", "high", "text"), [(3, 3, "3"), (2, 5, "2–5")])
def test_a_rank_is_a_range_when_it_is_one(low: int, high: int, text: str) -> None:
    assert arena.rank(SimpleNamespace(rank_low=low, rank_high=high)) == text


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (1024 * 1024, "1 MiB")],
)
def test_a_size_is_in_binary_units(n_bytes: int, text: str) -> None:
    assert arena.size(n_bytes) == text


def test_shares_and_points_without_a_value_are_dashes() -> None:
    assert (arena.percent(0.645), arena.percent(None)) == ("64 %", "–")
    assert (arena.points(80.25), arena.points(None)) == ("80.2", "–")


def test_the_kinds_of_fault_differ_in_class_and_word() -> None:
    assert 'class="fault fault-bot">bot fault: time-out<' in arena.fault("timeout")
    assert 'class="fault fault-infra">infrastructure fault: lag<' in arena.infrastructure_fault("lag")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (-2, "card-neg"),
        (0, "card-zero"),
        (4, "card-low"),
        (5, "card-mid"),
        (9, "card-high"),
        (None, "card-back"),
        ("x", "card-gap"),
    ],
)
def test_a_card_has_the_colour_of_its_value(value: int | str | None, expected: str) -> None:
    assert expected in arena.card(value)


def test_facts_of_a_fault_carry_units_and_leave_out_what_is_unknown() -> None:
    facts = arena.fault_facts(
        {"phase": "draw", "round": 3, "cpu_ms": 612.3, "memory_mib": 101.6, "signal": None}
    )
    assert facts == [
        ("phase", "draw"),
        ("round", "3"),
        ("CPU time used", "612 ms"),
        ("memory used", "102 MiB"),
    ]
