"""What the arena is doing, as JSON: what the status page shows."""

from __future__ import annotations

from types import SimpleNamespace

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from arena import finished, health, pulse
from arena.api.quick import QuickSerializer
from arena.models import Pulse
from arena.selectors import status


class QueueSerializer(QuickSerializer):
    n_waiting = serializers.IntegerField()
    n_running = serializers.IntegerField()
    n_parked = serializers.IntegerField(help_text="Every attempt failed through our fault.")
    oldest = serializers.DateTimeField(allow_null=True, help_text="Since when the oldest one waits.")


class WorkerSerializer(QuickSerializer):
    name = serializers.CharField()
    queues = serializers.SerializerMethodField()
    is_well = serializers.BooleanField(help_text="Whether it takes work.")
    seen_at = serializers.DateTimeField()

    def get_queues(self, sign: Pulse) -> list[str]:
        return list(sign.detail.get("queues", []))


class JobSerializer(QuickSerializer):
    name = serializers.CharField()
    is_well = serializers.BooleanField()
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
    workers = WorkerSerializer(many=True)
    jobs = JobSerializer(many=True)


class Status(APIView):
    """Queues, workers, periodic jobs and our last error."""

    @extend_schema(operation_id="status", responses=StatusSerializer)
    def get(self, request: Request) -> Response:
        signs = pulse.signs()
        state = health.now(signs)
        found = SimpleNamespace(
            ok=state.ok,
            reasons=state.reasons,
            version=status.software_version(),
            matches=status.match_queue(),
            checks=status.check_queue(),
            n_finished_today=finished.n_today(signs),
            n_suspended=status.n_suspended(),
            attempts_last_hour=finished.lately(signs),
            last_failure=status.last_failure(request.user),
            last_finished=status.last_finished(request.user),
            workers=[sign for sign in signs if sign.kind == Pulse.Kind.WORKER],
            jobs=[sign for sign in signs if sign.kind == Pulse.Kind.JOB],
        )
        return Response(StatusSerializer(found).data)
