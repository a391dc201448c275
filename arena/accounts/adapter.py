"""How allauth is told from which address a request comes."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal.httpkit import clean_client_ip
from django.conf import settings
from django.http import HttpRequest


class Adapter(DefaultAccountAdapter):
    def get_client_ip(self, request: HttpRequest) -> str:
        """The address that the outermost proxy of ours saw; `PROXY_COUNT` says how many there are.

        Each of them adds an entry to the end of X-Forwarded-For, whatever the client had put there. A request that came
        by fewer of them has fewer: then the first is what the next one saw. Without a proxy the header is the client's
        own invention.
        """
        seen = None
        if settings.PROXY_COUNT:
            entries = request.headers.get("X-Forwarded-For", "").split(",")
            seen = clean_client_ip(entries[-settings.PROXY_COUNT :][0])
        return seen or request.META.get("REMOTE_ADDR") or "unknown"
