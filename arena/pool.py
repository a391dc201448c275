"""The processes of a worker whose bells ring in a folder: the death of one must not stop the others.

For want of an event loop, which a broker in a folder has not, they all wait at one pipe for work, one of them
within a lock. Celery's own lock is not released when its holder is killed, and then no process ever gets work again,
while the worker still looks well.
"""

from __future__ import annotations

import fcntl
import os
from types import TracebackType
from typing import Any

from billiard.pool import Pool as BlockingPool
from celery.concurrency.prefork import TaskPool


class MortalLock:
    """A lock between processes that the kernel takes from whoever dies. It does not keep threads apart."""

    def __init__(self) -> None:
        self._file = os.memfd_create("pool-lock")

    def acquire(self) -> bool:
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        return True

    def release(self) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class Pool(BlockingPool):
    """Celery's pool for transports without an event loop, with locks that nobody can take to the grave."""

    def _setup_queues(self) -> None:
        super()._setup_queues()  # type: ignore[misc]  # unknown to its stubs
        pool: Any = self
        for queue in (pool._inqueue, pool._outqueue):
            queue._rlock, queue._wlock = MortalLock(), MortalLock()


def use_mortal_locks() -> None:
    """Have this worker's processes wait in such a pool; to be called before it starts them."""
    TaskPool.BlockingPool = Pool
