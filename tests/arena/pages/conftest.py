"""Readers of the pages: nobody in particular, the owner of a bot, somebody else, and an operator."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.arena.pages.staging import Site, stage


@pytest.fixture
def site(owner: User) -> Site:
    return stage(owner)


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def as_owner(owner: User) -> Client:
    return logged_in(owner)


@pytest.fixture
def as_rival(rival: User) -> Client:
    return logged_in(rival)


@pytest.fixture
def as_operator(operator: User) -> Client:
    return logged_in(operator)
