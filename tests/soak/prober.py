"""Somebody who asks the site for pages all the time, and what the site answered."""

from __future__ import annotations

import http.client
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.serving.address import Address

PATHS = (
    "/", "/ladders/", "/ladders/soak/", "/matches/", "/matches/1/", "/bots/greedy/", "/status/", "/status/live/",
    "/rules/", "/tournaments/", "/accounts/login/", "/healthz", "/api/v1/ladders/", "/api/v1/ladders/soak/ratings/",
    "/api/v1/matches/", "/api/v1/bots/",
)  # fmt: skip
# Far above what the slowest answer takes on a loaded machine, far below what a person or a proxy waits.
HANG_S = 30.0
PAUSE_S = 0.05


@dataclass(frozen=True, slots=True)
class Answer:
    """`status` is 0 where there was none; then `text` says why."""

    path: str
    asked_at: float
    answered_at: float
    status: int
    text: str
    retry_after: str | None = None

    @property
    def took_s(self) -> float:
        return self.answered_at - self.asked_at


@dataclass(frozen=True, slots=True)
class Window:
    """A time in which something that the site stands on was away."""

    start: float
    end: float

    def holds(self, answer: Answer) -> bool:
        return answer.answered_at >= self.start and answer.asked_at <= self.end


class Prober(threading.Thread):
    def __init__(self, address: Address) -> None:
        super().__init__(name="prober", daemon=True)
        self.address = address
        self.answers: list[Answer] = []
        self._ended = threading.Event()

    def run(self) -> None:
        number = 0
        while not self._ended.wait(PAUSE_S):
            self.answers.append(self._ask(PATHS[number % len(PATHS)]))
            number += 1

    def end(self) -> None:
        self._ended.set()
        self.join()

    def _ask(self, path: str) -> Answer:
        asked_at = time.monotonic()
        connection = http.client.HTTPConnection(self.address.host, self.address.port, timeout=HANG_S)
        try:
            connection.request("GET", path, headers={"Host": "localhost"})
            response = connection.getresponse()
            text = response.read().decode(errors="replace")
            return Answer(
                path, asked_at, time.monotonic(), response.status, text, response.headers["Retry-After"]
            )
        except (OSError, http.client.HTTPException) as error:
            return Answer(path, asked_at, time.monotonic(), 0, f"{type(error).__name__}: {error}")
        finally:
            connection.close()

    def problems(self, *, database_away: Sequence[Window], site_away: Sequence[Window]) -> Iterator[str]:
        """A sentence for each kind of answer that no visitor should get."""
        wrong: Counter[str] = Counter()
        for answer in self.answers:
            if any(window.holds(answer) for window in site_away):
                continue
            if said := _wrong(answer, any(window.holds(answer) for window in database_away)):
                wrong[said] += 1
        for said, n in wrong.items():
            yield f"{n} × {said}"

    def summary(self, *, site_away: Sequence[Window]) -> str:
        """How the requests were answered, those aside that were made while the whole site was dead."""
        answers = [answer for answer in self.answers if not any(window.holds(answer) for window in site_away)]
        by_status = Counter(answer.status for answer in answers if answer.path != "/healthz")
        counts = ", ".join(f"{n} × {status or 'none'}" for status, n in sorted(by_status.items()))
        slowest = max(answers, key=lambda answer: answer.took_s, default=None)
        if slowest is None:
            return "no request"
        return f"{len(answers)} requests: {counts}; the slowest, {slowest.path}, took {slowest.took_s:.1f} s"


def _wrong(answer: Answer, is_database_away: bool) -> str | None:
    if answer.took_s >= HANG_S:
        return f"{answer.path} hung"
    if answer.status == 0:
        return f"{answer.path}: {answer.text}"
    if "Traceback" in answer.text:
        return f"{answer.path} showed a traceback"
    if answer.path == "/healthz" and answer.status in {200, 503}:
        return None
    if answer.status == 503 and is_database_away:
        return None if answer.retry_after else f"{answer.path} answered 503 without Retry-After"
    # A page may name what is not there yet, such as the first match or the first ratings.
    if answer.status in {200, 302, 404}:
        return None
    return f"{answer.path} answered {answer.status}"
