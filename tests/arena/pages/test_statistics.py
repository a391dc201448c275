"""The statistics of a version: the page, the same as JSON, and the figures behind both."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.models import Ladder, RatingRun
from arena.pages.charts import HEIGHT, WIDTH, bar_chart, history_chart, round_step, short_count
from arena.selectors.histories import MOMENTS_SHOWN, Moment, thinned
from arena.selectors.statistics import Statistics, statistics
from bots.models import Bot, Version
from matches.models import GameSeat, Match, Result
from tests import make
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site, make_ratings, make_version
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def figures(site: Site, version: Version | None = None, ladder: Ladder | None = None) -> Statistics:
    ladders = list(Ladder.objects.all())
    return statistics(
        version=version or site.version, ladder=ladder or ladders[0], ladders=ladders, user=ANYBODY
    )


def moments(versions: Sequence[int]) -> list[Moment]:
    now = timezone.now()
    return [
        Moment(1500.0 + number, 10.0, now + timedelta(minutes=number), version)
        for number, version in enumerate(versions)
    ]


def test_an_opponent_is_shown_with_what_the_ratings_predict(site: Site, client: Client) -> None:
    ev = site.house[3]
    for _ in range(3):
        make.make_finished_match([site.version, ev], site.duel, deals=2, winner=site.version)
    row = figures(site).opponents[0]
    assert (row.opponent, row.n_matches, row.n_games) == (ev.pk, 3, 12)
    assert row.win_share == 1
    # 190 Elo points behind.
    assert row.expected == pytest.approx(0.250917, abs=1e-6)
    assert row.residual == pytest.approx(0.749083, abs=1e-6)
    assert row.z == pytest.approx(0.749083 / (0.749083 * 0.250917 / 12) ** 0.5, abs=1e-4)
    text = words(client.get("/bots/mine/statistics/").content.decode())
    assert "ev v1 12 100 % 25 % +75 % +6.0" in text


def test_a_sure_win_has_a_residual_and_no_standard_errors(site: Site, client: Client) -> None:
    make.make_finished_match([site.version, site.house[0]], site.duel, winner=site.version)
    make_ratings(site.duel, [(site.version, 9000, 30), (site.house[0], 10, 30)])
    row = next(row for row in figures(site).opponents if row.opponent == site.house[0].pk)
    assert (row.expected, row.residual, row.z) == (1, 0, None)
    assert client.get("/bots/mine/statistics/").status_code == 200


def test_the_other_side_of_a_pair_has_the_opposite_residual(site: Site) -> None:
    greedy = site.house[1]
    make.make_finished_match([site.version, greedy], site.duel, deals=3)
    (mine,) = figures(site).opponents
    (theirs,) = figures(site, greedy).opponents
    assert mine.won + theirs.won == mine.n_games == theirs.n_games
    assert mine.residual == pytest.approx(-theirs.residual)


def test_at_a_table_of_four_every_opponent_has_its_own_pairs(site: Site) -> None:
    others = site.house[1:]
    match = make.make_finished_match([site.version, *others], site.table, winner=site.version)
    found = figures(site, ladder=site.table)
    assert {row.opponent for row in found.opponents} == {version.pk for version in others}
    assert {(row.n_games, row.won) for row in found.opponents} == {(match.n_games, match.n_games)}


def test_points_leave_out_games_with_a_fault_of_its_own(site: Site) -> None:
    found = figures(site)
    assert found.points is not None
    # Of the two staged games the first has its time-out.
    assert found.points.n_games == sum(bar.n_games for bar in found.points.bars) == 1
    assert sum(seat.n_games for seat in found.seats) == 2
    theirs = figures(site, site.house[1]).points
    assert theirs is not None
    assert theirs.n_games == 2


def test_a_single_game_has_no_mean_and_no_quartiles(site: Site, client: Client) -> None:
    page = words(client.get("/bots/mine/statistics/").content.decode())
    only = GameSeat.objects.get(version=site.version, fault="")
    assert f"Its only game so far ended at {only.total}. Fewer is better." in page
    assert "Mean 1" not in page
    assert "(2 games)" in words(client.get("/bots/greedy/statistics/").content.decode())


def test_every_seat_has_its_own_figures(site: Site) -> None:
    found = figures(site)
    assert [seat.seat for seat in found.seats] == [0, 1]
    assert {seat.n_games for seat in found.seats} == {1}
    assert sum(seat.mean_points is None for seat in found.seats) == 1


def test_the_time_that_its_decisions_took_is_told_in_doublings(site: Site, client: Client) -> None:
    assert figures(site).thinking is None
    assert "before the arena kept the times of decisions" in words(
        client.get("/bots/mine/statistics/").content.decode()
    )
    match = make.make_finished_match([site.version, site.house[0]], site.duel)
    number = match.participants.get(version=site.version).number
    times = [[1, 0, 0, 7], [1, 0, 0, 7]]
    times[number] = [60, 38, 0, 2]
    Result.objects.filter(match=match).update(times=times)
    thinking = figures(site).thinking
    assert thinking is not None
    assert (thinking.n_decisions, thinking.half_below_ms, thinking.most_below_ms) == (100, 1, 8)
    assert [(bar.below_ms, bar.n_decisions) for bar in thinking.bars] == [(1, 60), (2, 38), (4, 0), (8, 2)]
    text = words(client.get("/bots/mine/statistics/").content.decode())
    assert (
        "Half of them took less than 1 ms of CPU time, 99 of 100 less than 8 ms; the limit is 500 ms" in text
    )
    assert "under 2 ms 38" in text
    found = client.get("/api/v1/bots/mine/statistics/").json()["thinking"]
    assert found["bars"][1] == {"below_ms": 2, "n_decisions": 38}


def test_no_snapshot_is_read_as_a_whole(site: Site, client: Client) -> None:
    make.make_finished_match([site.version, site.house[3]], site.duel)
    with CaptureQueriesContext(connection) as queries:
        client.get("/bots/mine/statistics/")
    read = [query["sql"] for query in queries if ' FROM "arena_rating"' in query["sql"]]
    assert len(read) == 3
    assert all("version_id" in sql.partition(" WHERE ")[2] or "bot_id" in sql for sql in read)


def test_a_history_follows_the_newest_version_through_the_snapshots(site: Site, client: Client) -> None:
    second = make_version(site.mine)
    make_ratings(site.duel, [(site.version, 1690, 30), (second, 1720, 60)])
    history = figures(site).history
    assert [(moment.version, moment.elo) for moment in history] == [(1, 1700), (second.number, 1720)]
    page = client.get("/bots/mine/statistics/").content.decode()
    picture = ElementTree.fromstring(
        page[page.index("<svg", page.index('id="history"')) :].split("</svg>")[0] + "</svg>"
    )
    labels = [text.text for text in picture.iter("text")]
    assert {"v1", f"v{second.number}"} <= set(labels)
    assert f"v{second.number} 1720 ± 118" in words(page)


def test_a_hidden_opponent_and_a_sealed_match_tell_nothing(site: Site) -> None:
    make.make_finished_match([site.version, site.house[0]], site.duel)
    make.make_finished_match([site.version, site.house[1]], site.duel)
    assert len(figures(site).opponents) == 2
    Bot.objects.filter(pk=site.house[0].bot_id).update(is_hidden=True)
    assert [row.opponent for row in figures(site).opponents] == [site.house[1].pk]
    Match.objects.update(embargo_until=timezone.now() + timedelta(hours=1))
    sealed = figures(site)
    assert (sealed.opponents, sealed.points, sealed.seats, sealed.n_matches) == ([], None, [], 0)


def test_strength_by_table_size_gives_a_place_on_each_ladder(site: Site) -> None:
    sizes = [(one.ladder.slug, one.n_rated, one.rating.rank) for one in figures(site).table_sizes]
    assert sizes == [("duel", 5, 3), ("table", 5, 3)]


def test_json_has_the_figures_of_the_page(site: Site, client: Client) -> None:
    make.make_finished_match([site.version, site.house[3]], site.duel, deals=2, winner=site.version)
    found = client.get("/api/v1/bots/mine/statistics/?ladder=duel&version=1").json()
    assert (found["bot"], found["version"], found["ladder"]) == ("mine", 1, "duel")
    by_bot = {row["bot"]: row for row in found["opponents"]}
    assert (by_bot["ev"]["version"], by_bot["ev"]["n_games"], by_bot["ev"]["win_share"]) == (1, 4, 1.0)
    assert [seat["seat"] for seat in found["seats"]] == [0, 1]
    assert {size["ladder"] for size in found["table_sizes"]} == {"duel", "table"}
    assert found["history"][0]["elo"] == 1700


@pytest.mark.parametrize(
    ("query", "status", "sentence"),
    [
        ("?ladder=chess", 400, "there are: duel, table."),
        ("?version=9", 400, "This bot has no version of this number."),
        ("?version=x", 400, "A whole number."),
    ],
)
def test_what_cannot_be_asked_for_is_named(
    site: Site, client: Client, query: str, status: int, sentence: str
) -> None:
    answer = client.get(f"/api/v1/bots/mine/statistics/{query}")
    assert answer.status_code == status
    assert sentence in answer.content.decode()
    assert client.get(f"/bots/mine/statistics/{query}").status_code in {400, 404}


def test_a_bot_without_matches_says_how_each_part_begins(site: Site, client: Client) -> None:
    RatingRun.objects.all().delete()
    version = make_version(make.make_bot(name="fresh"))
    page = words(client.get(f"/bots/{version.bot.name}/statistics/").content.decode())
    for sentence in (
        "No history yet.",
        "No finished matches",
        "No game without a fault",
        "Time a decision No finished games",
        "not rated on any ladder",
    ):
        assert sentence in page


def test_a_long_history_is_thinned_but_keeps_every_change_of_version() -> None:
    long = moments([1] * 400 + [2] + [3] * 600)
    kept = thinned(long, MOMENTS_SHOWN)
    assert len(kept) <= MOMENTS_SHOWN + 4
    assert (kept[0], kept[-1]) == (long[0], long[-1])
    assert [long[399], long[400], long[401]] == [moment for moment in kept if moment in long[399:402]]


def test_a_chart_stays_inside_its_frame() -> None:
    chart = history_chart(moments([1, 1, 2, 2]))
    assert chart is not None
    for stretch in chart.stretches:
        for point in stretch.outline.split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= WIDTH
            assert 0 <= y <= HEIGHT
    bars = bar_chart([("0", 0), ("10", 7)])
    assert bars.columns[0].height == 0
    assert all(column.x >= 0 and column.x + column.width <= WIDTH for column in bars.columns)


def test_few_bars_are_no_wider_than_many() -> None:
    (alone,) = bar_chart([("110", 1)]).columns
    first, *_ = bar_chart([(str(10 * number), 1) for number in range(12)]).columns
    assert (alone.x, alone.width) == (first.x, first.width)
    assert alone.width < WIDTH / 10


@pytest.mark.parametrize(("span", "step"), [(6, 1), (7, 2), (100, 20), (300, 50), (0.6, 0.1)])
def test_a_scale_has_round_steps(span: float, step: float) -> None:
    assert round_step(span) == pytest.approx(step)


@pytest.mark.parametrize(
    ("count", "label"),
    [(0, "0"), (7, "7"), (9_000, "9000"), (50_000, "50 k"), (2_500_000, "2.5 M"), (2e10, "20 G")],
)
def test_the_numbers_of_a_scale_are_short_enough_for_its_margin(count: float, label: str) -> None:
    assert short_count(count) == label


def test_one_match_more_and_one_made_void_are_told_at_once(site: Site) -> None:
    random = site.house[0]

    def games() -> list[int]:
        return [row.n_games for row in figures(site).opponents if row.opponent == random.pk]

    assert games() == []
    match = make.make_finished_match([site.version, random], site.duel)
    assert games() == [match.n_games]
    make.make_finished_match([site.version, random], site.duel)
    assert games() == [2 * match.n_games]
    Match.objects.filter(pk=match.pk).update(status=Match.Status.VOID)
    assert games() == [match.n_games]


def test_an_opponent_is_named_as_it_is_named_now(site: Site) -> None:
    make.make_finished_match([site.version, site.house[0]], site.duel)
    figures(site)
    site.house[0].bot.name = "another"
    site.house[0].bot.save()
    assert "another" in {row.bot for row in figures(site).opponents}
