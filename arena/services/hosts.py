"""Worker hosts: those that operators keep from playing, and those that have been reported."""

from __future__ import annotations

from django.utils import timezone

from arena.models import Host


def quarantine_host(*, name: str) -> bool:
    """Give the host no more matches; what it plays now it plays to its end. False if it has none already."""
    Host.objects.get_or_create(name=name)
    return bool(Host.objects.filter(name=name, quarantined_at=None).update(quarantined_at=timezone.now()))


def release_host(*, name: str) -> bool:
    """An operator has looked: the host plays again, and what was reported of it is settled.

    False if there was nothing to settle.
    """
    settled = Host.objects.filter(name=name).exclude(quarantined_at=None, reported_at=None)
    return bool(settled.update(quarantined_at=None, reported_at=None, evidence={}, cleared_at=timezone.now()))
