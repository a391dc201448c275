"""Every queue has a worker of its own, in each way to run the arena, and long work has a queue apart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from celery import Task

from arena import tasks
from arena.celery import app
from arena.pulse import QUEUES
from arena.serving.address import Address
from arena.serving.programs import arena_programs
from tests.soak.stack import deployed

CHECKOUT = Path(__file__).resolve().parents[2]


def queue_of(task: str) -> str:
    return app.amqp.router.route({}, f"arena.tasks.{task}")["queue"].name


def consumed(command: str) -> list[str]:
    """The queues of the worker that this command starts."""
    return [queue for given in re.findall(r" -Q (\S+)", command) for queue in given.split(",")]


def by_serve() -> list[str]:
    programs = arena_programs(base_dir=CHECKOUT, data_dir=CHECKOUT, environ={}, listener=0, match_workers=1)
    return [" ".join(program.argv) for program in programs]


def in_containers() -> list[str]:
    services = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())["services"]
    return [service.get("command", "") for service in services.values()]


def by_hand() -> list[str]:
    return (CHECKOUT / "docs/operate.md").read_text().splitlines()


@pytest.mark.parametrize("commands", [by_serve, in_containers, by_hand])
def test_each_queue_has_a_worker_that_has_no_other(commands) -> None:
    workers = [found for command in commands() if (found := consumed(command))]
    assert sorted(workers) == sorted([queue] for queue in QUEUES)


def test_the_soak_has_a_worker_for_each_queue_too() -> None:
    units = deployed(Address("127.0.0.1", 1), 1)
    assert {queue for unit in units for queue in consumed(" ".join(unit.argv))} == set(QUEUES)


def test_every_task_goes_to_a_queue_that_has_a_worker() -> None:
    ours = [name for name, each in vars(tasks).items() if isinstance(each, Task)]
    assert {queue_of(task) for task in ours} == set(QUEUES)


def test_neither_a_match_nor_a_check_nor_a_fit_holds_up_the_sweep() -> None:
    long = {queue_of(task) for task in ("play_match", "check_version", "rate_ladders")}
    assert len(long) == 3
    assert queue_of("sweep") not in long
