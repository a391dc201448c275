import pytest
from rest_framework.test import APIClient

from bots.models import Version
from tests import make


@pytest.fixture
def api() -> APIClient:
    """Somebody without an account."""
    return APIClient()


@pytest.fixture
def anchor(db: None) -> Version:
    """Version 1 of `greedy`, on whose rating the scale is anchored."""
    return make.make_version(make.make_bot(name="greedy", is_house=True))
