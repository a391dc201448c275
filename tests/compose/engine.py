"""The Docker engine of this machine, and a trial of docker-compose.yml on it under a project name of its own."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from scripts.servers import free_port

CHECKOUT = Path(__file__).resolve().parents[2]
COMPOSE_FILE = CHECKOUT / "docker-compose.yml"
MANUAL = (CHECKOUT / "docs/operate.md").read_text()
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE_FILE.read_text())["services"]
OURS = [name for name, service in SERVICES.items() if "build" in service]
# Built under another name than the one a real arena on this machine runs from.
IMAGE = "skyjo-arena-trial"
BUILD_WITHIN_S = 1800.0


class NoEngine(Exception):
    """What a trial needs is not here; the text says what and how to get it."""


def output_of(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def compose_command() -> list[str]:
    """The words of Compose, as the client's plugin or as the program of its own. Raises NoEngine."""
    if shutil.which("docker") is None:
        raise NoEngine("There is no docker here. Install Docker (Debian: docker.io), then try again.")
    asked = subprocess.run(["docker", "version"], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise NoEngine(
            f"No Docker engine answers: {asked.stderr.strip()}\nStart one, or say by DOCKER_HOST where it is."
        )
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0:
        return ["docker", "compose"]
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    raise NoEngine(
        "Docker is here without Compose. Install its plugin (Debian: docker-compose), then try again."
    )


def need_images() -> None:
    """Sees that the engine has or gets every image that we build on or run. Raises NoEngine."""
    dockerfile = (CHECKOUT / "Dockerfile").read_text()
    bases = re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)
    for image in [*bases, *(SERVICES[name]["image"] for name in SERVICES if name not in OURS)]:
        if subprocess.run(["docker", "image", "inspect", image], capture_output=True, check=False).returncode:
            pulled = subprocess.run(["docker", "pull", image], capture_output=True, text=True, check=False)
            if pulled.returncode:
                raise NoEngine(
                    f"The engine has no image {image} and cannot get it:\n  {pulled.stderr.strip()}\n"
                    "Load it into the engine (docker load, docker import), then try again."
                )


@dataclass
class Trial:
    """A stack of docker-compose.yml with secrets, port and lease of its own."""

    compose: Sequence[str]
    folder: Path
    port: int = field(default_factory=free_port)
    project: str = field(default_factory=lambda: f"skyjo-trial-{secrets.token_hex(3)}")
    metrics_token: str = field(default_factory=lambda: secrets.token_hex(16))

    def __post_init__(self) -> None:
        # A lost match is not waited for three minutes; YAML can be written as JSON.
        changed = {"image": IMAGE, "environment": {"LEASE_S": "20"}}
        override = {"version": "3.8", "services": dict.fromkeys(OURS, changed)}
        self.override = self.folder / "override.yml"
        self.override.write_text(json.dumps(override))
        self.environ = {
            **os.environ,
            "SECRET_KEY": secrets.token_hex(32),
            "POSTGRES_PASSWORD": secrets.token_hex(16),
            "REDIS_PASSWORD": secrets.token_hex(16),
            "METRICS_TOKEN": self.metrics_token,
            "ALLOWED_HOSTS": "127.0.0.1",
            "HTTPS": "0",
            "PROXY_COUNT": "0",
            "LOG_FORMAT": "json",
            "BIND": "127.0.0.1",
            "PORT": str(self.port),
            "MATCH_WORKERS": "1",
            "MATCHES_MEMORY": "3g",
            "CHECKS_MEMORY": "2g",
        }

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def run(self, *words: str, stdin: bytes = b"", within_s: float = 300.0) -> bytes:
        """What a command of Compose prints; fails with what it says."""
        files = ("-f", str(COMPOSE_FILE), "-f", str(self.override))
        done = subprocess.run(
            [*self.compose, "-p", self.project, "--project-directory", str(CHECKOUT), *files, *words],
            cwd=CHECKOUT,
            env=self.environ,
            input=stdin,
            capture_output=True,
            timeout=within_s,
            check=False,
        )
        said = (done.stdout + done.stderr).decode(errors="replace")[-6000:]
        assert done.returncode == 0, f"compose {' '.join(words)}:\n{said}"
        return done.stdout

    def containers(self, service: str) -> list[str]:
        """The ids of a service's containers, stopped ones too."""
        labels = {"project": self.project, "service": service}
        filters = [f"--filter=label=com.docker.compose.{name}={value}" for name, value in labels.items()]
        return output_of("docker", "ps", "--all", "--quiet", *filters).split()

    def state(self, container: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(output_of("docker", "inspect", container))[0]
        return {**found["State"], "RestartCount": found["RestartCount"]}

    def is_healthy(self, container: str) -> bool:
        state = self.state(container)
        return state["Status"] == "running" and state["Health"]["Status"] == "healthy"

    def manage(self, *words: str) -> str:
        return self.run("exec", "-T", "web", "python", "manage.py", *words).decode().strip()

    def postgres(self, command: str, stdin: bytes = b"") -> bytes:
        """What a client program of PostgreSQL prints, run as the manual says."""
        assert f"docker compose exec -T postgres {command}" in MANUAL, command
        return self.run("exec", "-T", "postgres", *command.split(), stdin=stdin)

    def query(self, sql: str) -> list[list[str]]:
        """Rows of the arena's database, as texts."""
        words = ("psql", "-U", "arena", "-d", "arena", "-qtA", "-F", "|", "-c", sql)
        rows = self.run("exec", "-T", "postgres", *words).decode().splitlines()
        return [row.split("|") for row in rows if row]

    def logs(self, *services: str) -> str:
        return self.run("logs", "--no-color", *services).decode(errors="replace")

    def last_words(self) -> str:
        """The last lines of every container, for somebody who looks for what went wrong."""
        return self.run("logs", "--no-color", "--tail", "12").decode(errors="replace")

    def down(self) -> None:
        self.run("down", "--volumes", "--remove-orphans", "--timeout", "30")
