"""/readyz: whether this process can serve, whatever the workers do."""

from __future__ import annotations

import threading

import pytest
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.test import Client

from arena import readiness

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "_migrated", threading.Event())


def test_a_site_without_any_worker_is_ready(client: Client) -> None:
    assert client.get("/healthz").status_code == 503
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"ok": True, "reasons": []})
    assert "no-store" in response.headers["Cache-Control"]


def test_a_site_whose_database_lacks_a_migration_is_not_until_it_is_applied(client: Client) -> None:
    ((_app, newest),) = MigrationLoader(connection).graph.leaf_nodes("bots")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_migrations SET app = 'else' WHERE app = 'bots' AND name = %s", [newest])
        response = client.get("/readyz")
        assert response.status_code == 503
        assert response.json()["reasons"] == ["The database is not up to date: migrations are missing."]
        cursor.execute("UPDATE django_migrations SET app = 'bots' WHERE app = 'else'")
    assert client.get("/readyz").status_code == 200


def test_once_found_migrated_only_the_database_is_asked(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/readyz").status_code == 200
    monkeypatch.setattr(readiness, "unapplied_migrations", lambda: pytest.fail("asked again"))
    assert client.get("/readyz").status_code == 200


def test_a_database_that_is_away_is_told_without_its_address(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> list[str]:
        raise OperationalError("connection to 10.0.0.7 failed")

    monkeypatch.setattr(readiness, "unapplied_migrations", away)
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["reasons"] == ["The database does not answer."]


def test_a_database_that_says_nothing_is_waited_for_but_not_for_ever() -> None:
    if connection.vendor == "sqlite":
        # For whoever writes at present.
        assert connection.settings_dict["OPTIONS"]["timeout"] == 20
        return
    connection.ensure_connection()
    told = connection.connection.info.get_parameters()
    patience_s = [int(told[f"keepalives_{name}"]) for name in ("idle", "interval", "count")]
    assert patience_s[0] + patience_s[1] * patience_s[2] == int(told["tcp_user_timeout"]) / 1000 == 60
