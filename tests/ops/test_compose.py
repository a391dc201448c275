"""What docker-compose.yml and the Dockerfile promise; no Docker engine is needed to see it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parents[2]
TEXT = (CHECKOUT / "docker-compose.yml").read_text()
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if service["image"] == "skyjo-arena"]
PLAYING = ["worker-matches", "worker-checks"]


def test_it_has_every_part_of_the_arena():
    assert set(SERVICES) == {
        *(
            "prepare",
            "web",
            "worker-matches",
            "worker-checks",
            "worker-housekeeping",
            "worker-ratings",
            "beat",
            "postgres",
            "redis",
        )
    }


@pytest.mark.parametrize("name", OURS)
def test_our_containers_have_no_rights_to_spare(name):
    service = SERVICES[name]
    assert service["user"] == "1000:1000"
    assert service["init"] is True
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert any(mount.startswith("/tmp:") for mount in service["tmpfs"])
    for key in ("privileged", "cap_add", "devices", "pid", "ipc", "volumes", "network_mode"):
        assert key not in service, key


def test_only_workers_that_play_get_the_wider_filter_and_its_file_is_there():
    for name in OURS:
        filters = [option for option in SERVICES[name]["security_opt"] if option.startswith("seccomp:")]
        assert filters == (["seccomp:./bots/sandbox/container-seccomp.json"] if name in PLAYING else []), name
    assert (CHECKOUT / "bots/sandbox/container-seccomp.json").is_file()


def test_workers_reach_nothing_but_the_servers_and_only_the_web_server_is_published():
    assert COMPOSE["networks"]["inside"]["internal"] is True
    for name, service in SERVICES.items():
        outside = name == "web"
        assert ("outside" in service["networks"]) is outside, name
        assert ("ports" in service) is outside, name
    assert SERVICES["web"]["ports"] == ["${BIND:-127.0.0.1}:${PORT:-8000}:8000"]


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"prepare"}))
def test_every_lasting_service_has_a_health_check_and_is_restarted(name):
    assert SERVICES[name]["healthcheck"]["test"]
    assert SERVICES[name]["restart"] == "unless-stopped"


def test_nothing_starts_before_the_database_is_prepared_or_outlives_the_servers():
    servers = {"postgres": {"condition": "service_healthy"}, "redis": {"condition": "service_healthy"}}
    prepared = {"prepare": {"condition": "service_completed_successfully"}}
    for name in OURS:
        wanted = servers if name == "prepare" else servers | prepared
        assert SERVICES[name]["depends_on"] == wanted, name


def test_secrets_have_no_usable_default():
    for secret in ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "ALLOWED_HOSTS"):
        uses = re.findall(r"(?<!\$)\$\{" + secret + r"([^}]*)\}", TEXT)
        assert uses, secret
        assert all(use.startswith(":?") for use in uses), secret


def test_data_lives_in_named_volumes():
    assert SERVICES["postgres"]["volumes"] == ["postgres-data:/var/lib/postgresql/data"]
    assert SERVICES["redis"]["volumes"] == ["redis-data:/data"]
    assert set(COMPOSE["volumes"]) == {"postgres-data", "redis-data"}


def test_the_web_server_may_end_the_answers_under_way():
    # gunicorn's own default is 30 s.
    assert int(SERVICES["web"]["stop_grace_period"].removesuffix("s")) > 30


def test_workers_that_play_may_finish_their_match_and_leave_the_pages_the_processor():
    for name in PLAYING:
        assert int(SERVICES[name]["stop_grace_period"].removesuffix("s")) >= 60, name
        assert SERVICES[name]["cpu_shares"] < 1024, name


def test_the_image_is_debian_with_its_own_python_and_does_not_run_as_root():
    lines = (CHECKOUT / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("FROM")] == ["FROM debian:bookworm-slim"]
    assert [line for line in lines if line.startswith("USER")] == ["USER 1000:1000"]
    assert any("--require-hashes" in line for line in lines)


@pytest.mark.parametrize("is_installed", [False, True])
def test_a_trial_without_an_engine_says_what_is_missing(tmp_path, is_installed):
    if is_installed:
        docker = tmp_path / "docker"
        docker.write_text("#!/bin/sh\necho 'Cannot connect to the Docker daemon' >&2\nexit 1\n")
        docker.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "tests.compose"],
        cwd=CHECKOUT,
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("make compose-test: ")
    assert ("Cannot connect to the Docker daemon" if is_installed else "Install Docker") in done.stderr
