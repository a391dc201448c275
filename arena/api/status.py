"""What the arena is doing, as JSON: what the status page shows."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from arena import finished, health, pulse
from arena.api.quick import QuickSerializer
from arena.models import Pulse
from arena.selectors import status
from arena.selectors.leaderboard import every_ladder


class QueueSerializer(QuickSerializer):
    n_waiting = serializers.IntegerField()
    n_running = serializers.IntegerField()
    n_parked = serializers.IntegerField(help_text="Every attempt failed through our fault.")
    oldest = serializers.DateTimeField(allow_null=True, help_text="Since when the oldest one waits.")


class LadderQueueSerializer(QueueSerializer):
    ladder = serializers.CharField(
        allow_null=True, help_text="Its slug; null for matches of tournaments, trials and requests."
    )


class WorkerSerializer(QuickSerializer):
    name = serializers.CharField()
    queues = serializers.SerializerMethodField()
    n_processes = serializers.SerializerMethodField()
    is_well = serializers.BooleanField(help_text="Whether it takes all work of its queues.")
    problems = serializers.SerializerMethodField(help_text="Why not; empty if it does.")
    seen_at = serializers.DateTimeField()

    def get_queues(self, sign: Pulse) -> list[str]:
        return list(sign.detail.get("queues", []))

    def get_n_processes(self, sign: Pulse) -> int:
        return int(sign.detail.get("concurrency", 0))

    def get_problems(self, sign: Pulse) -> list[str]:
        return list(sign.detail.get("problems", []))


class HostSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    quarantined_at = serializers.DateTimeField(
        allow_null=True, help_text="Since when operators give it no matches."
    )
    report = serializers.CharField(help_text="Why it stands out; empty if it does not.")


class JobSerializer(QuickSerializer):
    name = serializers.CharField()
    is_well = serializers.BooleanField(
        help_text="False where it breaks at some ladder; `reasons` say at which."
    )
    seen_at = serializers.DateTimeField()


class EndedSerializer(QuickSerializer):
    outcome = serializers.CharField()
    cause = serializers.CharField(help_text="Empty where nothing went wrong.")
    n = serializers.IntegerField()


class FailureSerializer(QuickSerializer):
    match = serializers.IntegerField(source="match_id")
    outcome = serializers.CharField()
    cause = serializers.CharField()
    ended_at = serializers.DateTimeField()


class LastMatchSerializer(QuickSerializer):
    id = serializers.IntegerField()
    finished_at = serializers.DateTimeField()


class StatusSerializer(QuickSerializer):
    ok = serializers.BooleanField(help_text="Whether matches are played, checked and rated.")
    reasons = serializers.ListField(child=serializers.CharField(), help_text="Why not; empty if they are.")
    version = serializers.CharField(help_text="Of the arena's software; may be empty.")
    matches = QueueSerializer()
    queues = LadderQueueSerializer(many=True, help_text="The matches by ladder, where there are any.")
    checks = QueueSerializer()
    n_finished_today = serializers.IntegerField(
        help_text=f"Matches since midnight UTC; {finished.COUNTED_TO} stands for as many or more."
    )
    n_suspended = serializers.IntegerField(help_text="Versions out of play until an operator has looked.")
    attempts_last_hour = EndedSerializer(many=True)
    last_failure = FailureSerializer(
        allow_null=True, help_text="The last attempt that ended by an infrastructure fault."
    )
    last_finished = LastMatchSerializer(allow_null=True, help_text="The match that ended last.")
    hosts = HostSerializer(many=True, help_text="Those in quarantine, and those that stand out.")
    workers = WorkerSerializer(many=True)
    jobs = JobSerializer(many=True)


class Status(APIView):
    """Queues, workers, periodic jobs and our last error."""

    @extend_schema(operation_id="status", responses=StatusSerializer)
    def get(self, request: Request) -> Response:
        signs = pulse.signs()
        hosts = list(status.notable_hosts())
        state = health.now(signs, {host.name for host in hosts if host.quarantined_at})
        queues = status.match_queues()
        versions = status.waiting_versions()
        slugs: dict[int | None, str | None] = {None: None} | {each.pk: each.slug for each in every_ladder()}
        found = SimpleNamespace(
            ok=state.ok,
            reasons=state.reasons,
            version=status.software_version(),
            matches=sum(queues.values(), status.Queue()),
            queues=[SimpleNamespace(ladder=slugs[pk], **asdict(queue)) for pk, queue in queues.items()],
            checks=versions.checks,
            n_finished_today=finished.n_today(signs),
            n_suspended=versions.n_suspended,
            attempts_last_hour=finished.lately(signs),
            last_failure=status.last_failure(request.user),
            last_finished=status.last_finished(request.user),
            hosts=hosts,
            workers=[sign for sign in signs if sign.kind == Pulse.Kind.WORKER],
            jobs=[sign for sign in signs if sign.kind == Pulse.Kind.JOB],
        )
        return Response(StatusSerializer(found).data)
