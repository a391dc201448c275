import hashlib
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from arena.formats import FORMATS, seeded_by_lot
from arena.models import Rating, RatingRun, Tournament
from arena.services import hide_bot, sweep, tournaments, withdraw_bot
from arena.services.tournaments import TournamentError
from arena.tournaments.exports import export_json
from arena.tournaments.reading import records_for
from bots.models import Bot, Version
from tests.arena.tournaments.events import enter, make_entries, make_tournament, start
from tests.make import make_bot, make_ladder, make_version
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def refusal(**terms: Any) -> TournamentError:
    with pytest.raises(TournamentError) as error:
        make_tournament(**terms)
    return error.value


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"name": "x"}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"description": "x" * 2001}, "description"),
        ({"preset": "mine"}, "preset"),
        ({"most_entries": 1}, "most_entries"),
        ({"most_entries": 129}, "most_entries"),
        ({"most_entries_an_owner": 0}, "most_entries_an_owner"),
        ({"settings": {"deals": 0}}, "settings.deals"),
        ({"settings": {"colour": 1}}, "settings.colour"),
        ({"closes_at": timezone.now() - timedelta(days=1)}, "closes_at"),
        ({"embargo_until": timezone.now() - timedelta(days=1)}, "embargo_until"),
        ({"seeding": "beauty"}, "seeding"),
        ({"seeding": "rating"}, "seeding"),
    ],
)
def test_terms_that_cannot_be_are_refused_by_field(terms: dict[str, Any], field: str) -> None:
    error = refusal(**terms)
    assert error.field == field
    assert error.fields[field] == error.sentence


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"name": "x" * 65}, "2 to 64 characters"),
        ({"name": "cup\u202e"}, "can be seen"),
        ({"description": "a\0b"}, "null characters"),
    ],
)
def test_a_text_that_cannot_be_is_refused_for_what_is_wrong_with_it(
    terms: dict[str, Any], words: str
) -> None:
    assert words in refusal(**terms).sentence


def test_an_unknown_format_is_refused(owner: User) -> None:
    with pytest.raises(TournamentError) as error:
        tournaments.create_tournament(organiser=owner, name="Cup", format="darts", settings={})
    assert error.value.field == "format"


def test_results_under_an_embargo_count_for_no_ladder() -> None:
    later = timezone.now() + timedelta(days=1)
    assert refusal(ladder=make_ladder(), embargo_until=later).field == "ladder"


def test_a_ladder_of_another_table_size_or_rules_is_refused() -> None:
    assert refusal(ladder=make_ladder(seats=4)).field == "ladder"
    assert refusal(format="pods", ladder=make_ladder("other", seats=2)).field == "ladder"


def test_events_are_within_quotas_but_for_operators(owner: User, operator: User, settings: Any) -> None:
    settings.QUOTA_TOURNAMENTS = 1
    settings.QUOTA_TOURNAMENT_GAMES = 100
    assert refusal(organiser=owner, settings={"deals": 200}).code == "too_large"
    first = make_tournament(organiser=owner)
    assert refusal(organiser=owner).code == "too_many_tournaments"
    tournaments.cancel(tournament=first, by=owner)
    make_tournament(organiser=owner)
    for _ in range(2):
        make_tournament(organiser=operator, settings={"deals": 200})


def test_who_may_enter_which_bot(owner: User, rival: User, operator: User) -> None:
    event = make_tournament(organiser=owner, most_entries_an_owner=2)
    house = make_version(make_bot(is_house=True)).bot
    theirs = [make_version(make_bot(rival)).bot for _ in range(3)]
    for bot, by in ((theirs[0], owner), (house, rival)):
        with pytest.raises(TournamentError) as error:
            tournaments.enter(tournament=event, bot=bot, by=by)
        assert error.value.code == "forbidden"
    tournaments.enter(tournament=event, bot=house, by=owner)
    tournaments.enter(tournament=event, bot=theirs[0], by=rival)
    tournaments.enter(tournament=event, bot=theirs[1], by=operator)
    assert refused_entry(event, theirs[2], rival) == "too_many_entries"
    assert refused_entry(event, theirs[0], rival) == "entered"


def refused_entry(event: Tournament, bot: Bot, by: User) -> str:
    with pytest.raises(TournamentError) as error:
        tournaments.enter(tournament=event, bot=bot, by=by)
    return error.value.code


def test_a_bot_without_a_version_a_full_and_a_closed_event_are_refused(owner: User) -> None:
    event = make_tournament(most_entries=2)
    unready = make_bot(owner)
    assert refused_entry(event, unready, owner) == "not_ready"
    make_entries(event, 2)
    late = make_version(make_bot(owner)).bot
    assert refused_entry(event, late, owner) == "full"
    start(event)
    assert refused_entry(event, late, owner) == "closed"


def test_before_the_start_a_bot_can_leave_and_return() -> None:
    event = make_tournament()
    version = make_version()
    entry = enter(event, version)
    tournaments.leave(entry=entry, by=version.bot.owner)
    assert not event.entries.exists()
    enter(event, version)
    assert event.entries.count() == 1


def test_who_comes_and_goes_before_the_start_leaves_no_trace_in_the_record() -> None:
    event = make_tournament()
    version = make_version()
    for _ in range(3):
        tournaments.leave(entry=enter(event, version), by=version.bot.owner)
    assert [one.action for one in event.records.all()] == ["created"]
    tournaments.leave(entry=enter(event, version), by=event.organiser)
    assert [one.action for one in event.records.all()] == ["created", "withdrawn"]


def test_who_is_disqualified_before_the_start_does_not_come_back_and_takes_no_place() -> None:
    event = make_tournament(most_entries=2, seeding="hand")
    out, stays = make_entries(event, 2)
    tournaments.disqualify(entry=out, by=event.organiser, reason="Two accounts")
    assert refused_entry(event, out.bot, out.bot.owner) == "disqualified"
    (late,) = make_entries(event, 1)
    tournaments.order_by_hand(tournament=event, order=[late.pk, stays.pk], by=event.organiser)
    start(event)
    seeds = event.entries.order_by("pk").values_list("seed", "departure")
    assert list(seeds) == [(None, "disqualified"), (2, ""), (1, "")]
    assert {row["entry"] for row in event.snapshot["standings"]} == {stays.pk, late.pk}
    assert len(export_json(event, ANYBODY)["entries"]) == 3


def test_a_version_that_is_withdrawn_rejected_or_suspended_before_the_close_does_not_play() -> None:
    event = make_tournament()
    stays = make_entries(event, 2)
    gone, suspended, hidden = make_entries(event, 3)
    withdraw_bot(bot=gone.bot)
    Version.objects.filter(bot=suspended.bot).update(suspended_at=timezone.now())
    hide_bot(bot=hidden.bot, is_hidden=True)
    make_version(bot=stays[0].bot, status=Version.Status.REJECTED)
    start(event)
    assert set(event.entries.exclude(seed=None)) == set(stays)
    assert {one.version.number for one in event.entries.exclude(seed=None) if one.version} == {1}


def test_terms_may_change_until_the_start_and_what_changed_is_recorded(owner: User, rival: User) -> None:
    event = make_tournament("swiss", organiser=owner, most_entries=8)
    make_entries(event, 4)
    later = timezone.now() + timedelta(days=1)
    tournaments.edit_tournament(
        tournament=event, by=owner, name="Winter cup", settings={"rounds": 2}, closes_at=later
    )
    event.refresh_from_db()
    assert (event.name, event.closes_at, event.settings["rounds"]) == ("Winter cup", later, 2)
    assert event.settings["deals"] == 1, "what is left out stays"
    record = event.records.get(action="edited")
    assert record.by == owner
    for words in ("name: Autumn cup → Winter cup", "rounds: 0 → 2", later.isoformat()):
        assert words in record.detail
    tournaments.edit_tournament(tournament=event, by=owner, name="Winter cup")
    assert event.records.filter(action="edited").count() == 1, "nothing changed"
    tournaments.edit_tournament(tournament=event, by=owner, format="single-elimination")
    event.refresh_from_db()
    assert event.settings == FORMATS["single-elimination"].checked({})
    with pytest.raises(TournamentError) as error:
        tournaments.edit_tournament(tournament=event, by=rival, name="Mine")
    assert error.value.code == "forbidden"
    start(event)
    with pytest.raises(TournamentError) as error:
        tournaments.edit_tournament(tournament=event, by=owner, name="Too late")
    assert error.value.code == "wrong_state"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"most_entries": 3}, "most_entries"),
        ({"name": "x"}, "name"),
        ({"settings": {"rounds": 99}}, "settings.rounds"),
        ({"closes_at": timezone.now() - timedelta(days=1)}, "closes_at"),
        ({"embargo_until": timezone.now() - timedelta(days=1)}, "embargo_until"),
        ({"format": "darts"}, "format"),
    ],
)
def test_a_change_that_cannot_be_changes_nothing(change: dict[str, Any], field: str) -> None:
    event = make_tournament("swiss")
    make_entries(event, 4)
    before = Tournament.objects.values().get()
    with pytest.raises(TournamentError) as error:
        tournaments.edit_tournament(tournament=event, by=event.organiser, **change)
    assert error.value.field == field
    assert Tournament.objects.values().get() == before


def test_an_edited_event_stays_within_quotas_and_keeps_its_ladder_free_of_secrets(settings: Any) -> None:
    event = make_tournament(ladder=make_ladder())
    settings.QUOTA_TOURNAMENT_GAMES = 100
    with pytest.raises(TournamentError) as error:
        tournaments.edit_tournament(tournament=event, by=event.organiser, settings={"deals": 200})
    assert error.value.code == "too_large"
    later = timezone.now() + timedelta(days=1)
    with pytest.raises(TournamentError) as error:
        tournaments.edit_tournament(tournament=event, by=event.organiser, embargo_until=later)
    assert error.value.field == "ladder"


def test_seeds_by_lot_are_those_of_the_seed_that_was_committed_to() -> None:
    event = make_tournament(seeding="lot")
    entries = make_entries(event, 6)
    assert event.published_lot_seed is None
    start(event)
    seed = event.published_lot_seed
    assert seed is not None
    assert hashlib.sha256(seed.encode()).hexdigest() == event.lot_commitment
    expected = seeded_by_lot([entry.pk for entry in entries], seed)
    assert list(event.entries.order_by("seed").values_list("pk", flat=True)) == expected


def test_seeds_by_rating_follow_the_ladders_snapshot_and_note_it() -> None:
    ladder = make_ladder()
    event = make_tournament(seeding="rating", seeding_ladder=ladder)
    versions = [make_version() for _ in range(3)]
    for version in versions:
        enter(event, version)
    ladder.current_run = RatingRun.objects.create(
        ladder=ladder, algorithm="a", input_sha256="", n_matches=1, n_games=1, n_left_out=0, duration_ms=1
    )
    ladder.save()
    for rank, (version, elo) in enumerate([(versions[2], 1600.0), (versions[1], 1500.0)], 1):
        Rating.objects.create(
            run=ladder.current_run, version=version, rank=rank, elo=elo, standard_error=20.0, n_games=1,
            n_matches=1, n_opponents=1, win_share=0.5, n_faults=0,
        )  # fmt: skip
    start(event)
    assert list(event.entries.order_by("seed").values_list("version", "rating")) == [
        (versions[2].pk, 1600.0),
        (versions[1].pk, 1500.0),
        (versions[0].pk, None),
    ]


def test_seeds_by_hand_are_the_organisers_and_latecomers_follow() -> None:
    event = make_tournament(seeding="hand")
    one, two, three = make_entries(event, 3)
    with pytest.raises(TournamentError):
        tournaments.order_by_hand(tournament=event, order=[one.pk], by=event.organiser)
    tournaments.order_by_hand(tournament=event, order=[three.pk, one.pk, two.pk], by=event.organiser)
    (late,) = make_entries(event, 1)
    start(event)
    assert list(event.entries.order_by("seed").values_list("pk", flat=True)) == [
        three.pk, one.pk, two.pk, late.pk,
    ]  # fmt: skip


def due(event: Tournament) -> None:
    Tournament.objects.filter(pk=event.pk).update(closes_at=timezone.now() - timedelta(seconds=1))


def test_registration_closes_by_itself_and_the_event_begins() -> None:
    event = make_tournament(closes_at=timezone.now() + timedelta(hours=1))
    make_entries(event, 3)
    sweep()
    event.refresh_from_db()
    assert event.state == Tournament.State.REGISTRATION
    due(event)
    event.refresh_from_db()
    assert not event.is_open
    sweep()
    event.refresh_from_db()
    assert event.state == Tournament.State.RUNNING
    assert event.records.get(action="started").by is None


def test_an_event_that_cannot_be_played_at_its_close_is_cancelled_with_the_reason() -> None:
    event = make_tournament(closes_at=timezone.now() + timedelta(hours=1))
    make_entries(event, 1)
    due(event)
    sweep()
    event.refresh_from_db()
    assert event.state == Tournament.State.CANCELLED
    assert "not 1" in event.records.get(action="cancelled").detail
    assert event.entries.count() == 1


def test_bots_without_a_version_in_play_at_the_close_are_left_out() -> None:
    event = make_tournament()
    entries = make_entries(event, 3)
    Bot.objects.filter(pk=entries[0].bot_id).update(current_version=None)
    start(event)
    assert set(event.entries.values_list("pk", flat=True)) == {entry.pk for entry in entries[1:]}
    (record,) = [one for one in records_for(event, ANYBODY) if one.action == "left out"]
    assert record.detail == entries[0].bot.name


def test_too_few_entries_do_not_begin_by_hand_either() -> None:
    event = make_tournament()
    make_entries(event, 1)
    with pytest.raises(TournamentError) as error:
        start(event)
    assert error.value.code == "unplayable"
    event.refresh_from_db()
    assert event.state == Tournament.State.REGISTRATION


def test_the_preview_says_what_an_event_costs() -> None:
    found = tournaments.preview(
        format="single-elimination", settings={"deals": 5, "final_deals": 5}, n_entries=8
    )
    assert (found.matches, found.games) == (7, 70)
    with pytest.raises(TournamentError):
        tournaments.preview(format="single-elimination", settings={}, n_entries=1)
