"""What needs an account."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from rest_framework import permissions
from rest_framework.request import Request
from rest_framework.views import APIView


class MembersPost(APIView):
    """Everybody may read; posting needs an account. A method that is not there is refused to all alike."""

    def get_permissions(self) -> list[Any]:
        return [permissions.IsAuthenticated() if self.request.method == "POST" else permissions.AllowAny()]


def acting(request: Request) -> User:
    """Who asks, where the view's permissions let nobody in without an account."""
    assert request.user.is_authenticated  # noqa: S101 - for the type checker
    return request.user
