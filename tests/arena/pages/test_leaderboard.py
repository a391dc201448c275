from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from arena.models import Ladder, LadderEntry, LadderMatch, Rating, RatingRun
from arena.selectors.leaderboard import ORDERS, Wanted, leaderboard, unrated
from arena.selectors.trends import MOMENTS, Trend
from arena.sparkline import sparkline
from bots.models import Bot, Version
from matches.models import GameSeat
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site, make_bot, make_ratings, make_version
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_rating_is_shown_with_its_interval_and_a_rank_as_a_range(site: Site, client: Client) -> None:
    text = words(client.get("/ladders/duel/").content.decode())
    assert "1890 ± 16" in text
    assert "1 ev v1" in text
    assert "2–3 mine v1 provisional wide interval 1700 ± 78" in text


def test_faults_are_told_by_their_kinds_on_the_ladder_the_most_frequent_first(
    site: Site, client: Client
) -> None:
    seats = GameSeat.objects.filter(version=site.version, game__match__ladder_match__ladder=site.duel)
    assert sorted(seats.values_list("fault", flat=True)) == ["", "timeout"]
    make_ratings(site.duel, [(site.version, 1700.0, 40.0)])
    Rating.objects.filter(run=site.duel.current_run).update(n_faults=1)
    assert client.get("/ladders/duel/").content.decode().count('title="time-out"') == 1
    seats.filter(fault="").update(fault="crash")
    Rating.objects.filter(run=site.duel.current_run).update(n_faults=2)
    html = client.get("/ladders/duel/").content.decode()
    assert 'title="crash, time-out"' in html
    assert "2 : crash, time-out" in words(html)
    LadderMatch.objects.filter(match=site.match).update(ladder=site.table)
    assert "crash" not in client.get("/ladders/duel/").content.decode()


@pytest.mark.parametrize(("n_matches", "words_of_it"), [(1, "in one match,"), (7, "in 7 matches,")])
def test_what_the_ratings_come_from_is_counted(
    n_matches: int, words_of_it: str, site: Site, client: Client
) -> None:
    RatingRun.objects.filter(ladder=site.duel).update(n_matches=n_matches, n_games=70)
    assert f"From 70 games {words_of_it} computed" in words(client.get("/ladders/duel/").content.decode())


def test_my_bot_is_marked_for_me_alone(site: Site, as_owner: Client, client: Client) -> None:
    assert "yours" in words(as_owner.get("/ladders/duel/").content.decode())
    assert "yours" not in words(client.get("/ladders/duel/").content.decode())


def test_my_rows_of_other_pages_are_kept_in_sight(site: Site) -> None:
    board = leaderboard(ladder=site.duel, user=site.owner, size=2)
    assert [row.bot for row in board.rows] == ["ev", "threshold"]
    assert [row.bot for row in board.mine] == ["mine"]
    assert board.next_after == 2


def test_a_bot_off_the_ladder_is_shown_only_among_all_versions(site: Site, client: Client) -> None:
    LadderEntry.objects.filter(bot=site.mine).update(is_active=False)
    assert ">mine<" not in client.get("/ladders/duel/").content.decode()
    assert ">mine<" in client.get("/ladders/duel/?versions=all").content.decode()


def test_a_hidden_bot_is_shown_to_its_owner_and_operators_alone(
    site: Site, client: Client, as_owner: Client, as_rival: Client, as_operator: Client
) -> None:
    Bot.objects.filter(pk=site.mine.pk).update(is_hidden=True)
    shown = [
        ">mine<" in reader.get("/ladders/duel/").content.decode()
        for reader in (client, as_rival, as_owner, as_operator)
    ]
    assert shown == [False, False, True, True]


def test_a_bot_without_a_rating_is_listed_as_waiting(site: Site, client: Client) -> None:
    bot = make_bot(site.owner, "fresh")
    make_version(bot)
    LadderEntry.objects.create(ladder=site.duel, bot=bot)
    assert [entry.bot for entry in unrated(site.duel, ANYBODY)] == ["fresh"]
    assert "Not rated yet" in words(client.get("/ladders/duel/").content.decode())


def test_a_page_beyond_the_end_says_so(site: Site, client: Client) -> None:
    assert "Nothing follows here." in words(client.get("/ladders/duel/?after=100").content.decode())


def names(
    site: Site, order: str = "rank", after: int | None = None, size: int = 10, **wanted: object
) -> list[str]:
    board = leaderboard(
        ladder=site.duel, user=ANYBODY, wanted=Wanted(**wanted), order=order, after=after, size=size
    )
    return [row.bot for row in board.rows]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=TH", ["threshold"]),
        ("q=hresh", []),
        ("q=%00", []),
        ("author=olivia", ["mine"]),
        ("author=OLIVIA", []),
        ("house=none", ["mine"]),
        ("house=only&provisional=no", ["ev", "threshold", "greedy", "random"]),
        ("provisional=yes", ["mine"]),
        ("games=70", ["ev", "threshold", "mine", "greedy", "random"]),
        ("games=71", []),
    ],
)
def test_a_filter_is_the_same_on_the_page_as_json_and_as_csv(
    site: Site, client: Client, query: str, found: list[str]
) -> None:
    page = client.get(f"/ladders/duel/?{query}").context["board"]
    assert [row.bot for row in page.rows] == found
    rows = client.get(f"/api/v1/ladders/duel/ratings/?{query}").json()["results"]
    assert [row["bot"] for row in rows] == found
    answer = client.get(f"/api/v1/ladders/duel/ratings/?format=csv&{query}")
    lines = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
    assert [line["bot"] for line in lines] == found
    assert [float(line["elo"]) for line in lines] == [row["elo"] for row in rows]


@pytest.mark.parametrize("query", ["sort=worst", "house=some", "provisional=2", "games=x", "after=-1"])
def test_a_parameter_that_cannot_be_is_named(site: Site, client: Client, query: str) -> None:
    response = client.get(f"/ladders/duel/?{query}")
    assert response.status_code == 400
    assert f"“{query.partition('=')[0]}”" in words(response.content.decode())


def test_the_links_to_json_and_csv_carry_the_filter(site: Site, client: Client) -> None:
    html = client.get("/ladders/duel/?house=none&q=m").content.decode()
    assert 'href="/api/v1/ladders/duel/ratings/?q=m&amp;house=none"' in html
    assert 'href="/api/v1/ladders/duel/ratings/?format=csv&amp;q=m&amp;house=none"' in html


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_is_walked_page_by_page_without_a_gap_or_a_repetition(site: Site, order: str) -> None:
    # Some are equal in everything but their rank, one has no points at all.
    Rating.objects.filter(run=site.duel.current_run, version=site.version).update(
        round_points=None, n_games=71, n_faults=2, win_share=0.1
    )
    whole = names(site, order)
    walked: list[str] = []
    after = None
    while True:
        board = leaderboard(ladder=site.duel, user=ANYBODY, wanted=Wanted(), order=order, after=after, size=2)
        walked += [row.bot for row in board.rows]
        after = board.next_after
        if after is None:
            break
    assert walked == whole
    assert len(set(whole)) == 5


def test_rows_are_sorted_by_links_and_equals_stay_by_rank(site: Site, client: Client) -> None:
    Rating.objects.filter(run=site.duel.current_run, version=site.version).update(n_games=71)
    assert names(site, "games") == ["mine", "ev", "threshold", "greedy", "random"]
    assert names(site, "-games") == ["ev", "threshold", "greedy", "random", "mine"]
    assert names(site, "bot") == ["ev", "greedy", "mine", "random", "threshold"]
    html = client.get("/ladders/duel/?house=none&sort=games").content.decode()
    assert 'href="?house=none&amp;sort=-games"' in html
    assert 'href="?house=none&amp;sort=won"' in html
    assert 'href="?house=none"' in html
    assert html.count("aria-sort") == 1


def older(site: Site, days: float, rows: list[tuple[Version, float, float]]) -> None:
    """A snapshot of so many days ago, under the published one."""
    published = site.duel.current_run
    run = make_ratings(site.duel, rows)
    RatingRun.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(days=days))
    Ladder.objects.filter(pk=site.duel.pk).update(current_run=published)
    site.duel.refresh_from_db()


def test_a_row_tells_the_places_won_within_a_day_and_its_week_as_a_line(site: Site, client: Client) -> None:
    _random, greedy, threshold, ev = site.house
    older(site, 1.5, [(site.version, 1900, 8), (ev, 1800, 8), (threshold, 1600, 8), (greedy, 1500, 0)])
    older(site, 0.5, [(site.version, 1500, 8), (ev, 1800, 8)])
    board = leaderboard(ladder=site.duel, user=ANYBODY)
    rises = {row.bot: row.trend.rise for row in board.rows}
    assert rises == {"ev": 1, "threshold": 1, "mine": -2, "greedy": 0, "random": None}
    ways = {row.bot: [elo for _at, elo in row.trend.points] for row in board.rows}
    assert ways["mine"] == [1900, 1500, 1700]
    assert ways["random"] == [1010]
    text = words(client.get("/ladders/duel/").content.decode())
    assert "1 ▲1 1 place up within 24 hours ev" in text
    assert "2–3 ▼2 2 places down within 24 hours mine" in text
    assert 'aria-label="from 1900 to 1700 in the last days"' in client.get("/ladders/duel/").content.decode()
    rows = client.get("/api/v1/ladders/duel/ratings/").json()["results"]
    assert {row["bot"]: row["rise"] for row in rows} == rises


def test_the_next_snapshot_is_shown_at_once(site: Site) -> None:
    older(site, 1.5, [(site.version, 1650, 8)])

    def way() -> list[float]:
        (mine,) = leaderboard(ladder=site.duel, user=ANYBODY, wanted=Wanted(author="olivia")).rows
        assert mine.trend is not None
        return [elo for _at, elo in mine.trend.points]

    assert way() == way() == [1650, 1700]
    make_ratings(site.duel, [(site.version, 1800, 8)])
    site.duel.refresh_from_db()
    assert way() == [1650, 1700, 1800]


def test_of_many_snapshots_a_few_are_read(
    site: Site, django_assert_max_num_queries: Callable[..., object]
) -> None:
    for number in range(12):
        older(site, 6 - number / 2, [(site.version, 1700 + number, 8)])
    with django_assert_max_num_queries(3):
        (mine,) = leaderboard(ladder=site.duel, user=ANYBODY, wanted=Wanted(author="olivia")).rows
    assert mine.trend is not None
    assert len(mine.trend.points) == MOMENTS
    assert [mine.trend.points[0][1], mine.trend.points[-1][1]] == [1700, 1700]


def test_the_line_is_as_high_as_the_interval_so_that_noise_looks_like_noise(site: Site) -> None:
    now = timezone.now()
    row = leaderboard(ladder=site.duel, user=ANYBODY).rows[0]
    row.standard_error = 50

    def heights(*ratings: float) -> list[float]:
        points = [(now + timedelta(hours=number), elo) for number, elo in enumerate(ratings)]
        row.trend = Trend(points)
        line = sparkline(row)
        return [float(point.partition(",")[2]) for point in line.split()]

    assert heights(1500) == []
    assert heights(1500, 1510) == pytest.approx([10.4, 9.6], abs=0.05)
    assert heights(1400, 1800) == [18, 2]


def test_the_leaderboard_without_a_slug_leads_to_the_first_ladder(site: Site, client: Client) -> None:
    assert client.get("/ladders/").headers["Location"] == "/ladders/duel/"
