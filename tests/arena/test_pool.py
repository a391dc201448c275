"""The pool of a worker without an event loop, whose processes may die at any moment."""

import os
import signal

from arena.pool import Pool
from tests.ops.processes import alive, identity, wait_for

N_PROCESSES = 3
WITHIN_S = 60


def test_the_death_of_waiting_processes_does_not_stop_the_pool() -> None:
    pool = Pool(N_PROCESSES, lost_worker_timeout=1.0)
    try:
        assert pool.apply_async(os.getpid).get(timeout=WITHIN_S)
        # All wait for work, one of them within the lock.
        doomed = {found for process in pool._pool if (found := identity(process.pid))}
        assert len(doomed) == N_PROCESSES
        for pid, _ in doomed:
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not alive(doomed), "the end of the processes")
        wait_for(lambda: len(pool._pool) == N_PROCESSES and not doomed_in(pool, doomed), "new processes")
        results = [pool.apply_async(os.getpid) for _ in range(2 * N_PROCESSES)]
        assert {result.get(timeout=WITHIN_S) for result in results}.isdisjoint(pid for pid, _ in doomed)
    finally:
        pool.terminate()
        pool.join()


def doomed_in(pool: Pool, doomed: set[tuple[int, str]]) -> bool:
    return any(process.pid in {pid for pid, _ in doomed} for process in pool._pool)
