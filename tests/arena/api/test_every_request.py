"""The whole API under schemathesis: whatever is sent, the answer is one that the OpenAPI document describes.

FUZZ_SEED is another seed, FUZZ_TIMES makes it longer; `make soak PART=fuzz` sets both.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from pytest_django import Settings
from schemathesis import Case, CheckContext, Response
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from schemathesis.transport.wsgi import WSGITransport

from arena.api import errors
from arena.services import create_api_token
from tests.arena.pages.staging import stage
from tests.arena.tournaments.events import finish, make_event, make_tournament, play_out, waiting
from tests.door import Door, shared_connection
from tests.make import make_bot, make_version

# On PostgreSQL alone: answers are held against the document, which is the same for both. What a database might not take
# is sent to either by test_odd_requests.
pytestmark = [pytest.mark.django_db]

SEED = int(os.environ.get("FUZZ_SEED") or 1)
TIMES = float(os.environ.get("FUZZ_TIMES") or 1)
EXAMPLES = 4
EXPECTED = ["2xx", "400", "401", "403", "404", "409", "429", "5xx"]
MALFORMED = "X-Malformed"
FLAT = errors._flat


class MarkingDoor(Door):
    """Marks by a header of ours an answer to a request that the serializers found malformed."""

    def __init__(self) -> None:
        super().__init__()
        self.is_malformed = False

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with self.lock:
            # Nobody unpacks what is packed here.
            environ.pop("HTTP_ACCEPT_ENCODING", None)
            self.is_malformed = False
            return super().__call__(environ, start_response)

    def marks(self) -> list[tuple[str, str]]:
        return [(MALFORMED, "1")] if self.is_malformed else []

    def flat(self, detail: Any) -> dict[str, list[str]]:
        """In place of `errors._flat`, which words what serializers find."""
        self.is_malformed = True
        return FLAT(detail)


SEND = WSGITransport.send


def send(transport: WSGITransport, case: Case, **options: Any) -> Response:
    """In place of schemathesis' own, which hands werkzeug's client options of the network that it does not know."""
    for name in ("max_redirects", "verify", "cert", "proxies"):
        options.pop(name, None)
    return SEND(transport, case, **options)


@schemathesis.check
def valid_is_not_malformed(ctx: CheckContext, response: Response, case: Case) -> None:
    """What the document allows, only a rule beyond its words may forbid: a name is taken, an event over."""
    if (
        case.meta is not None
        and case.meta.generation.mode.is_positive
        and MALFORMED.lower() in response.headers
    ):
        raise AssertionError(f"Allowed by the document, and called malformed: {response.text}")


@pytest.fixture
def door(owner: User, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterable[Door]:
    """A site with something of everything, and no limit that would hide what lies behind it."""
    for quota in ("BOTS", "ENTRIES", "TOURNAMENTS", "VERSIONS_A_DAY"):
        setattr(settings, f"QUOTA_{quota}", 10**6)
    settings.ACCOUNT_RATE_LIMITS = False
    stage(owner)
    for _ in range(3):
        make_version(make_bot(owner))
    make_tournament(organiser=owner)
    play_out(make_event(organiser=owner))
    finish(waiting(make_event("swiss", organiser=owner))[0])
    door = MarkingDoor()
    monkeypatch.setattr(errors, "_flat", door.flat)
    monkeypatch.setattr(WSGITransport, "send", send)
    with shared_connection():
        yield door


def run(door: Door, headers: dict[str, str]) -> tuple[list[str], Counter[str]]:
    """What was found, and how many requests were made in each phase."""
    config = SchemathesisConfig.from_dict(
        {
            "seed": SEED,
            "headers": headers,
            "continue-on-failure": True,
            "cache": {"enabled": False},
            "generation": {"max-examples": int(EXAMPLES * TIMES)},
            # A rule beyond the document's words may answer 400; see valid_is_not_malformed.
            "checks": {"positive_data_acceptance": {"expected-statuses": EXPECTED}},
            "phases": {"stateful": {"max-steps": 6, "generation": {"max-examples": int(4 * TIMES)}}},
        }
    )
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema/", door, config=config)
    found: list[str] = []
    n: Counter[str] = Counter()
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            n[event.phase.value] += len(event.recorder.interactions)
            for case_id, checks in event.recorder.checks.items():
                media_type = event.recorder.cases[case_id].value.media_type
                found += [
                    told(check) for check in checks if check.failure_info and not is_text(check, media_type)
                ]
        elif isinstance(event, events.NonFatalError):
            found.append(f"{event.label}: {event.value!r}")
        elif isinstance(event, events.FatalError):
            raise event.exception
    return found, n


def is_text(check: Any, media_type: str | None) -> bool:
    """Whether it is called wrong that a form took null or a number: in a form these are texts."""
    return check.name == "negative_data_rejection" and media_type == "multipart/form-data"


def told(check: Any) -> str:
    failure = check.failure_info.failure
    return f"{check.name}: {failure.title}\n{failure.message[:1000]}\n{check.failure_info.code_sample}"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("reader", ["anonymous", "owner"])
def test_every_answer_is_one_that_the_document_describes(reader: str, door: Door, owner: User) -> None:
    token = create_api_token(user=owner, name="laptop")[1]
    found, n = run(door, {"Authorization": f"Token {token}"} if reader == "owner" else {})
    assert not found, f"FUZZ_SEED={SEED}: {len(found)} of {n}\n\n" + "\n\n".join(found[:20])
    assert n["coverage"] > 500
    assert n["fuzzing"] > 100
