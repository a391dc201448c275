"""`kill -9` of the workers in the middle of a match: it is played again, once, with the same seed."""

from collections.abc import Callable

from tests.e2e.conftest import Stack
from tests.ops.processes import alive, end, family, wait_for

RUNNING = """SELECT m.id, encode(m.seed, 'hex'), a.id FROM matches_match m JOIN matches_attempt a ON a.match_id = m.id
             WHERE m.status = 'running' AND a.outcome = 'running'"""


def test_a_match_whose_worker_is_killed_is_finished_once(own_stack: Callable[..., Stack]) -> None:
    # A short lease, so that the sweep need not be waited for long.
    stack = own_stack(LEASE_S="10")
    running: list[tuple[object, ...]] = []

    def some_run() -> bool:
        running[:] = stack.query(RUNNING)
        return bool(running)

    wait_for(some_run, "a running match", 60)
    doomed = {found for pid in stack.pids("celery", "-Q matches") for found in family(pid)}
    assert doomed
    end(doomed)
    wait_for(lambda: not alive(doomed), "the workers' end")
    cut_off = stack.query(RUNNING)
    assert cut_off, "every match had ended before its worker was killed"

    ids = [match for match, _, _ in cut_off]
    finished = "SELECT count(*) FROM matches_match WHERE status = 'finished' AND id = ANY(%s)"
    wait_for(lambda: stack.query(finished, ids) == [(len(ids),)], "the matches to be played again", 90)
    for match, seed, attempt in cut_off:
        ((seed_now,),) = stack.query("SELECT encode(seed, 'hex') FROM matches_match WHERE id = %s", match)
        assert seed_now == seed
        outcomes = dict(stack.query("SELECT id, outcome FROM matches_attempt WHERE match_id = %s", match))
        assert outcomes.pop(attempt) == "lost"
        assert list(outcomes.values()) == ["finished"]
        ((results,),) = stack.query("SELECT count(*) FROM matches_result WHERE match_id = %s", match)
        assert results == 1
        ((games, expected),) = stack.query(
            "SELECT (SELECT count(*) FROM matches_game WHERE match_id = m.id), m.seats * m.deals"
            " FROM matches_match m WHERE id = %s",
            match,
        )
        assert games == expected

    # Rated once: the published games of every version are those that its matches have.
    def is_rated() -> bool:
        ((rated,),) = stack.query(
            "SELECT coalesce(sum(r.n_matches), 0) FROM arena_ladder l JOIN arena_ratingrun r ON r.id = l.current_run_id"
        )
        ((played,),) = stack.query("SELECT count(*) FROM matches_match WHERE status = 'finished'")
        return rated == played

    wait_for(is_rated, "ratings of all finished matches", 60)
