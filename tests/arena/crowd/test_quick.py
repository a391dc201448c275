"""What quick serializers make of a row is what the framework itself would make of it: of every list, field by field,
over a crowd with something of everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from rest_framework import serializers

from arena.api.quick import QuickSerializer
from arena.models import Pulse
from arena.pulse import SWEEP
from matches.models import Game
from tests.arena.crowd.conftest import Crowd

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="the crowd is made on PostgreSQL alone"),
]

ADDRESSES = """
/api/v1/ladders/
/api/v1/ladders/duel/ratings/?versions=all
/api/v1/bots/?page_size=200
/api/v1/bots/{bot}/
/api/v1/bots/{faulty}/faults/
/api/v1/versions/?page_size=200
/api/v1/versions/{version}/
/api/v1/versions/{rejected_version}/
/api/v1/matches/?page_size=200
/api/v1/matches/?status=queued
/api/v1/matches/?status=void
/api/v1/matches/?trial={trial}
/api/v1/matches/?rated=no
/api/v1/matches/{match}/
/api/v1/matches/{table_match}/
/api/v1/games/?page_size=200
/api/v1/games/{fault_game}/
/api/v1/games/{forfeit}/
/api/v1/notices/
/api/v1/status/
/api/v1/tournaments/
/api/v1/tournaments/{tournament}/entries/
/api/v1/tournaments/{tournament}/entries/{entry}/
/api/v1/tournaments/{running}/records/
/api/v1/trials/
/api/v1/trials/{trial}/
"""


@pytest.fixture(scope="module")
def places(crowd: Crowd) -> Iterator[dict[str, Any]]:
    """Those of the crowd, a forfeited game that came out otherwise when it was played again among them; a worker and a
    job have given signs of life."""
    with transaction.atomic():
        for name, kind in (("matches@alder", Pulse.Kind.WORKER), (SWEEP, Pulse.Kind.JOB)):
            detail = {"host": "alder", "queues": ["matches"], "concurrency": 1, "problems": []}
            Pulse.objects.create(name=name, kind=kind, detail=detail, seen_at=timezone.now())
        forfeit = Game.objects.order_by("pk")[0]
        forfeit.is_forfeit, forfeit.round_points, forfeit.difference = True, [], "Round 1 ends otherwise."
        forfeit.save()
        forfeit.seats.update(total=None)
        yield crowd.places | {"forfeit": forfeit.pk}
        transaction.set_rollback(True)


@pytest.mark.parametrize("template", ADDRESSES.split())
def test_it_tells_what_the_framework_tells(
    template: str, crowd: Crowd, places: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = template.format(**places)
    quick = crowd.member.get(address)
    assert quick.status_code == 200
    told = quick.json()
    assert told if isinstance(told, list) else told.get("results", told)
    monkeypatch.setattr(QuickSerializer, "to_representation", serializers.Serializer.to_representation)
    assert told == crowd.member.get(address).json()


def test_every_quick_serializer_is_used_there(
    crowd: Crowd, places: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    used = set()
    quick = QuickSerializer.to_representation

    def watched(self: QuickSerializer, instance: Any) -> dict[str, Any]:
        used.add(type(self))
        return quick(self, instance)

    monkeypatch.setattr(QuickSerializer, "to_representation", watched)
    for template in ADDRESSES.split():
        crowd.member.get(template.format(**places))
    quick_ones = {kind for kind in below(QuickSerializer) if kind.__module__.startswith("arena.")}
    assert {kind.__name__ for kind in quick_ones - used} == set()


def below(kind: type) -> set[type]:
    return set(kind.__subclasses__()).union(*map(below, kind.__subclasses__()))
