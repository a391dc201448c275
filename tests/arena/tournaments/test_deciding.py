import dataclasses
from typing import Any

import pytest
from django.contrib.auth.models import User

from arena.accounts.deletion import delete_account
from arena.models import (
    LadderMatch,
    Tournament,
    TournamentEntry,
    TournamentForfeit,
    TournamentMatch,
    TournamentRecord,
)
from arena.services import hide_bot, rerun_match, tournaments, void_match
from arena.services.tournaments import TournamentError
from arena.tournaments.exports import export_json
from arena.tournaments.models import placeholder
from arena.tournaments.reading import records_for, state_for
from bots.models import Bot
from matches.models import Match
from matches.services import fail_attempt, finish_match
from tests.arena.tournaments.events import (
    best_seed,
    current,
    entry_of_seed,
    finish,
    make_event,
    placed,
    play_out,
    waiting,
    worst_seed,
)
from tests.make import make_claim, make_ladder, make_record
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def pairing(event: Tournament, key: str) -> dict[str, object]:
    event.refresh_from_db()
    found = [p for part in event.snapshot["parts"] for r in part["rounds"] for p in r["pairings"]]
    return next(one for one in found if one["key"] == key)


def test_who_withdraws_forfeits_what_it_was_drawn_for_and_its_match_is_stopped() -> None:
    event = make_event(n=4)
    entry = entry_of_seed(event, 1)
    link = next(link for link in current(event) if entry.pk in link.entry_ids)
    claim = make_claim(link.match)
    tournaments.leave(entry=entry, by=entry.bot.owner)
    assert Match.objects.get(pk=link.match_id).status == Match.Status.VOID
    assert not finish_match(claim=claim, record=make_record(claim.match, claim.versions))
    assert pairing(event, "M1-1")["how"] == "forfeit"
    assert play_out(event).snapshot["winner"] == entry_of_seed(event, 2).pk
    assert event.records.filter(
        action="withdrawn", by=entry.bot.owner, detail=placeholder(entry.bot_id)
    ).exists()


def test_who_is_disqualified_stands_last() -> None:
    event = make_event("swiss", 4, settings={"rounds": 2})
    finish(waiting(event)[0])
    tournaments.advance(tournament_id=event.pk)
    tournaments.disqualify(entry=entry_of_seed(event, 1), by=event.organiser, reason="Two accounts")
    assert placed(play_out(event))[-1] == 1
    assert event.records.get(action="disqualified").detail.endswith(": Two accounts")


def test_of_two_who_leave_one_after_the_other_the_later_one_had_won_by_forfeit() -> None:
    event = make_event(n=4)
    for seed in (4, 1):
        entry = entry_of_seed(event, seed)
        tournaments.leave(entry=entry, by=entry.bot.owner)
    assert (pairing(event, "M1-1")["how"], pairing(event, "M1-1")["winner"]) == (
        "forfeit",
        entry_of_seed(event, 1).pk,
    )
    event = play_out(event)
    assert event.snapshot["winner"] == entry_of_seed(event, 2).pk
    assert pairing(event, "M2-1")["how"] == "forfeit"


def test_a_winner_who_is_disqualified_afterwards_loses_the_title_to_the_next() -> None:
    event = play_out(make_event(n=4))
    winner = entry_of_seed(event, 1)
    with pytest.raises(TournamentError) as error:
        tournaments.leave(entry=winner, by=winner.bot.owner)
    assert error.value.code == "wrong_state"
    tournaments.disqualify(entry=winner, by=event.organiser, reason="Two accounts")
    event.refresh_from_db()
    assert (event.state, event.winner) == (Tournament.State.FINISHED, entry_of_seed(event, 2))
    assert placed(event) == [2, 3, 4, 1]


def test_a_tie_that_a_disqualification_opens_is_played_out() -> None:
    event = make_event("round-robin", 3, settings={"decided_places": 1})
    first = entry_of_seed(event, 1)
    # Everybody loses to seed 1, and seeds 2 and 3 are level in everything.
    for link in waiting(event):
        finish_with_equal_points(link, first.version_id)
    tournaments.advance(tournament_id=event.pk)
    event.refresh_from_db()
    assert (event.state, event.winner) == (Tournament.State.FINISHED, first)
    tournaments.disqualify(entry=first, by=event.organiser)
    event.refresh_from_db()
    assert (event.state, event.winner) == (Tournament.State.RUNNING, None)
    assert [link.key for link in waiting(event)] == ["RX1-1"]
    assert play_out(event).winner == entry_of_seed(event, 2)


def finish_with_equal_points(link: TournamentMatch, winner: int | None) -> None:
    """A result in which this version wins every game if it plays, else all games are shared."""
    claim = make_claim(link.match)
    ids = [version.pk for version in claim.versions]
    record = make_record(claim.match, claim.versions)
    games = [
        dataclasses.replace(
            game,
            placing=tuple(2 if winner in ids and ids[one] != winner else 1 for one in game.participants),
            totals=(50, 50),
        )
        for game in record.games
    ]
    assert finish_match(claim=claim, record=dataclasses.replace(record, games=tuple(games)))


@pytest.mark.parametrize(
    ("format", "n_before"),
    [("single-elimination", 2), ("double-elimination", 5), ("swiss", 3), ("pods", 1), ("round-robin", 5)],
)
def test_who_withdraws_before_its_last_match_forfeits_that_alone(format: str, n_before: int) -> None:
    event = make_event(format, 4, settings={"rounds": 2} if format in ("swiss", "pods") else {})
    for _ in range(n_before):
        finish(waiting(event)[0])
        tournaments.advance(tournament_id=event.pk)
    (last,) = waiting(event)
    gone = min(TournamentEntry.objects.filter(pk__in=last.entry_ids), key=lambda entry: entry.seed or 0)
    tournaments.leave(entry=gone, by=gone.bot.owner)
    event = play_out(event)
    assert event.state == Tournament.State.FINISHED
    assert event.winner != gone
    lost = next(row for row in event.snapshot["standings"] if row["entry"] == gone.pk)
    assert lost["status"] == "withdrawn"
    played = [link for link in current(event) if gone.pk in link.entry_ids]
    assert played, "what it played before still counts"
    assert {link.match.status for link in played} == {Match.Status.FINISHED}


def test_the_last_one_who_is_left_has_won_and_cannot_leave() -> None:
    event = make_event("double-elimination", 5)
    for seed in (3, 1, 5, 2):
        entry = entry_of_seed(event, seed)
        tournaments.leave(entry=entry, by=entry.bot.owner)
    last = entry_of_seed(event, 4)
    event.refresh_from_db()
    assert (event.state, event.winner) == (Tournament.State.FINISHED, last)
    assert not waiting(event)
    with pytest.raises(TournamentError):
        tournaments.leave(entry=last, by=last.bot.owner)
    tournaments.disqualify(entry=last, by=event.organiser)
    event.refresh_from_db()
    assert (event.state, event.winner) == (Tournament.State.FINISHED, None)


def test_nobody_leaves_twice_and_nobody_else_decides(owner: User) -> None:
    event = make_event(n=4)
    entry = entry_of_seed(event, 3)
    for refused in (
        lambda: tournaments.leave(entry=entry, by=owner),
        lambda: tournaments.disqualify(entry=entry, by=entry.bot.owner),
        lambda: tournaments.pause(tournament=event, by=owner),
        lambda: tournaments.rewind(tournament=event, round="M1", by=owner),
        lambda: tournaments.rerun(link=current(event)[0], by=owner),
        lambda: tournaments.forfeit(tournament=event, key="M1-1", forfeits=[entry.pk], by=owner),
        lambda: tournaments.cancel(tournament=event, by=owner),
        lambda: tournaments.change_embargo(tournament=event, until=None, by=owner),
    ):
        with pytest.raises(TournamentError) as error:
            refused()
        assert error.value.code == "forbidden"
    tournaments.leave(entry=entry, by=entry.bot.owner)
    with pytest.raises(TournamentError):
        tournaments.leave(entry=entry, by=entry.bot.owner)


def test_operators_may_do_what_organisers_do(operator: User) -> None:
    event = make_event(n=4)
    tournaments.pause(tournament=event, by=operator)
    event.refresh_from_db()
    assert event.state == Tournament.State.PAUSED


def test_a_pause_lets_nothing_begin_and_loses_nothing() -> None:
    event = make_event("round-robin", 4)
    links = waiting(event)
    claim = make_claim(links[0].match)
    tournaments.pause(tournament=event, by=event.organiser)
    assert not waiting(event)
    assert finish_match(claim=claim, record=make_record(claim.match, claim.versions))
    assert tournaments.advance(tournament_id=event.pk) == []
    assert pairing(event, links[0].key)["status"] == "decided"
    tournaments.resume(tournament=event, by=event.organiser)
    assert len(waiting(event)) == 5
    assert play_out(event).state == Tournament.State.FINISHED


def test_a_match_that_is_returned_to_the_queue_in_a_pause_waits_for_its_end() -> None:
    event = make_event(n=2)
    claim = make_claim(waiting(event)[0].match)
    tournaments.pause(tournament=event, by=event.organiser)
    assert fail_attempt(claim=claim, cause="host", detail="")
    tournaments.bring_on_all()
    assert not waiting(event)
    tournaments.resume(tournament=event, by=event.organiser)
    assert play_out(event).state == Tournament.State.FINISHED


def test_a_forfeit_stands_for_the_result_until_it_is_taken_back() -> None:
    event = make_event(n=2)
    first = entry_of_seed(event, 1)
    finish(waiting(event)[0], best_seed)
    tournaments.advance(tournament_id=event.pk)
    tournaments.forfeit(tournament=event, key="M1-1", forfeits=[first.pk], by=event.organiser)
    event.refresh_from_db()
    assert event.snapshot["winner"] == entry_of_seed(event, 2).pk
    tournaments.forfeit(tournament=event, key="M1-1", forfeits=[], by=event.organiser)
    event.refresh_from_db()
    assert event.snapshot["winner"] == first.pk
    assert not TournamentForfeit.objects.exists()


def test_a_double_forfeit_stops_the_match_and_lets_the_better_seed_go_on() -> None:
    event = make_event(n=4)
    link = next(link for link in current(event) if link.key == "M1-1")
    tournaments.forfeit(tournament=event, key="M1-1", forfeits=link.entry_ids, by=event.organiser)
    assert Match.objects.get(pk=link.match_id).status == Match.Status.VOID
    found = pairing(event, "M1-1")
    assert (found["how"], found["winner"]) == ("double forfeit", entry_of_seed(event, 1).pk)


@pytest.mark.parametrize(("key", "seeds"), [("M9-1", [1]), ("M1-1", [2])])
def test_only_those_of_a_match_can_forfeit_it(key: str, seeds: list[int]) -> None:
    event = make_event(n=4)
    who = [entry_of_seed(event, seed).pk for seed in seeds]
    with pytest.raises(TournamentError):
        tournaments.forfeit(tournament=event, key=key, forfeits=who, by=event.organiser)


def test_a_match_is_played_again_with_a_new_seed_and_what_follows_is_reckoned_anew() -> None:
    event = make_event(n=4)
    play_out(event, best_seed)
    semi = next(link for link in current(event) if link.key == "M1-1")
    tournaments.rerun(link=semi, by=event.organiser, reason="A broken host")
    event.refresh_from_db()
    assert event.state == Tournament.State.RUNNING
    again = next(link for link in waiting(event) if link.key == "M1-1")
    assert bytes(again.match.seed) != bytes(semi.match.seed)
    finish(again, worst_seed)
    tournaments.advance(tournament_id=event.pk)
    # The old final was between others.
    assert [one["match"] for one in pairing_unused(event)] == ["M2-1"]
    assert play_out(event, worst_seed).snapshot["winner"] == entry_of_seed(event, 4).pk
    assert "A broken host" in event.records.get(action="rerun").detail
    with pytest.raises(TournamentError):
        tournaments.rerun(link=semi, by=event.organiser)


def pairing_unused(event: Tournament) -> list[dict[str, object]]:
    event.refresh_from_db()
    return list(event.snapshot["unused"])


def test_a_tournaments_match_is_not_rerun_behind_its_back() -> None:
    event = make_event(n=2)
    link = waiting(event)[0]
    tournaments.rerun(link=link, by=event.organiser)
    with pytest.raises(ValueError, match="tournament"):
        rerun_match(match=Match.objects.get(pk=link.match_id))


def test_a_round_is_rewound_with_all_that_hangs_on_it_and_it_is_recorded() -> None:
    event = play_out(make_event("swiss", 6, settings={"rounds": 3}))
    second = {link.pk for link in current(event) if link.key.startswith(("2-", "3-"))}
    preview = tournaments.rewind_preview(tournament=event, round="2")
    assert {link.pk for link in preview} == second
    assert tournaments.rewind(tournament=event, round="2", by=event.organiser) == 6
    event.refresh_from_db()
    assert event.state == Tournament.State.PAUSED
    assert len(current(event)) == 3
    record = event.records.get(action=TournamentRecord.Action.REWOUND)
    assert record.by == event.organiser
    assert all(str(link.match_id) in record.detail for link in preview)
    assert Match.objects.filter(status=Match.Status.VOID).count() == 6
    tournaments.resume(tournament=event, by=event.organiser)
    assert play_out(event).state == Tournament.State.FINISHED


def test_a_group_stage_is_rewound_after_the_knock_out_has_begun() -> None:
    event = make_event("groups-knockout", 6, settings={"groups": 2, "qualifiers": 1})
    while not any(link.key.startswith("M") for link in waiting(event)):
        finish(waiting(event)[0])
        tournaments.advance(tournament_id=event.pk)
    playing = make_claim(waiting(event)[0].match)
    first = [link for link in current(event) if link.key.startswith("GA1-")]
    tournaments.rewind(tournament=event, round="GA1", by=event.organiser)
    assert Match.objects.get(pk=playing.match.pk).status == Match.Status.VOID
    assert not finish_match(claim=playing, record=make_record(playing.match, playing.versions))
    assert not {link.pk for link in first} & {link.pk for link in current(event)}
    tournaments.resume(tournament=event, by=event.organiser)
    assert play_out(event).state == Tournament.State.FINISHED
    assert placed(event)[0] == 1


def test_who_left_in_a_rewound_round_is_not_drawn_for_the_next() -> None:
    event = make_event("swiss", 4, settings={"rounds": 3})
    for _ in range(2):
        for link in waiting(event):
            finish(link)
        tournaments.advance(tournament_id=event.pk)
    gone = entry_of_seed(event, 1)
    tournaments.leave(entry=gone, by=gone.bot.owner)
    assert TournamentEntry.objects.get(pk=gone.pk).departure_stage == 3
    tournaments.rewind(tournament=event, round="1", by=event.organiser)
    assert TournamentEntry.objects.get(pk=gone.pk).departure_stage == 1
    tournaments.resume(tournament=event, by=event.organiser)
    assert play_out(event).state == Tournament.State.FINISHED
    assert not any(gone.pk in link.entry_ids for link in current(event))


@pytest.mark.parametrize("round", ["M2", "nonsense"])
def test_a_round_that_has_not_been_played_is_not_rewound(round: str) -> None:
    event = make_event(n=4)
    with pytest.raises(TournamentError):
        tournaments.rewind(tournament=event, round=round, by=event.organiser)


def test_matches_count_for_the_ladder_that_the_organiser_chose() -> None:
    ladder = make_ladder()
    event = play_out(make_event(n=4, ladder=ladder))
    assert set(LadderMatch.objects.values_list("match", flat=True)) == {
        link.match_id for link in current(event)
    }
    play_out(make_event(n=4))
    assert LadderMatch.objects.count() == 3


def test_an_organiser_cannot_choose_among_rated_results_by_having_matches_played_again(
    operator: User,
) -> None:
    event = play_out(make_event(n=2, ladder=make_ladder()))
    (first,) = current(event)
    assert not tournaments.rerun(link=first, by=event.organiser)
    assert Match.objects.get(pk=first.match_id).status == Match.Status.FINISHED
    (again,) = waiting(event)
    # What nobody has played yet tells nothing and is simply void.
    assert tournaments.rerun(link=again, by=event.organiser)
    event = play_out(event, worst_seed)
    assert event.winner == entry_of_seed(event, 2)
    tournaments.rewind(tournament=event, round="M1", by=event.organiser)
    rated = LadderMatch.objects.filter(match__status=Match.Status.FINISHED)
    assert rated.count() == 2
    assert void_match(match=first.match), "operators can"
    assert rated.count() == 1


def test_an_organiser_cannot_have_matches_played_for_ever(settings: Any, operator: User) -> None:
    event = make_event(n=2)
    settings.QUOTA_TOURNAMENT_GAMES = 5
    for _ in range(3):
        finish(waiting(event)[0])
        tournaments.rerun(link=current(event)[0], by=event.organiser)
    for refused in (
        lambda: tournaments.rerun(link=current(event)[0], by=event.organiser),
        lambda: tournaments.pause(tournament=event, by=event.organiser),
        lambda: tournaments.rewind(tournament=event, round="M1", by=event.organiser),
        lambda: tournaments.forfeit(tournament=event, key="M1-1", forfeits=[], by=event.organiser),
    ):
        with pytest.raises(TournamentError) as error:
            refused()
        assert error.value.code == "too_many_repeats"
    tournaments.rerun(link=current(event)[0], by=operator)
    assert play_out(event).state == Tournament.State.FINISHED


def test_a_match_between_others_than_are_paired_now_counts_no_longer() -> None:
    event = play_out(make_event(n=4))
    old = next(link for link in current(event) if link.key == "M2-1")
    tournaments.rerun(link=next(link for link in current(event) if link.key == "M1-1"), by=event.organiser)
    event = play_out(event, worst_seed)
    found = {one["match"]: one["counts"] for one in export_json(event, ANYBODY)["matches"]}
    assert found[old.match_id] is False
    assert sorted(found.values()) == [False, True, True, True]


def test_only_tables_of_the_ladders_size_count_for_it() -> None:
    event = make_event("pods", 7, settings={"rounds": 1}, ladder=make_ladder("table", seats=4))
    assert sorted(link.match.seats for link in current(event)) == [3, 4]
    assert LadderMatch.objects.get().match.seats == 4


def test_a_hidden_bot_is_out_and_its_name_is_nowhere() -> None:
    event = make_event(n=4)
    entry = entry_of_seed(event, 2)
    hide_bot(bot=entry.bot, is_hidden=True)
    event = play_out(event)
    assert TournamentEntry.objects.get(pk=entry.pk).departure == "disqualified"
    assert entry.bot.name not in str(state_for(event, ANYBODY))
    assert "seed 2" in str(state_for(event, ANYBODY))
    assert entry.bot.name in str(state_for(event, entry.bot.owner))


def test_a_deleted_organisers_events_are_cancelled_and_what_was_written_about_them_is_gone() -> None:
    event = make_event(n=2, description="Mine")
    done = play_out(make_event(n=2, organiser=event.organiser, description="Mine too"))
    delete_account(user=event.organiser)
    event.refresh_from_db()
    done.refresh_from_db()
    assert (event.state, event.description) == (Tournament.State.CANCELLED, "")
    assert (done.state, done.description) == (Tournament.State.FINISHED, "")
    assert not waiting(event)


def test_a_deleted_account_leaves_its_tournaments_and_its_bots_name_is_gone_from_their_texts() -> None:
    event = make_event(n=4)
    entry = entry_of_seed(event, 2)
    name = entry.bot.name
    delete_account(user=entry.bot.owner)
    event = play_out(event)
    assert event.state == Tournament.State.FINISHED
    assert TournamentEntry.objects.get(pk=entry.pk).departure == "withdrawn"
    told = str(state_for(event, ANYBODY)) + "".join(one.detail for one in records_for(event, ANYBODY))
    assert Bot.objects.get(pk=entry.bot_id).name in told
    assert f"'{name}'" not in told
    assert f"{name} " not in told
