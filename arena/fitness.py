"""What a worker may play: its sandbox is proved, and its memory and runtimes are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from arena import memory
from arena.pulse import BOTS, CHECKS, MATCHES
from bots.sandbox.canary import run_canaries
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.runtimes import RUNTIMES


@dataclass(frozen=True, slots=True)
class Fitness:
    """What a worker may play: nothing if it has `problems`, else matches that need no more than `match_mib`.

    That is the host's memory, shared between the worker's processes; a check must fit into it too. `denials` says
    what the canary was denied, and `lacks`, by runtime that this host has not, why.
    """

    match_mib: int
    n_processes: int
    problems: tuple[str, ...] = ()
    denials: dict[str, str] = field(default_factory=dict)
    lacks: dict[str, str] = field(default_factory=dict)

    @property
    def runtimes(self) -> list[str]:
        return [runtime for runtime in RUNTIMES if runtime not in self.lacks]

    @property
    def is_fit(self) -> bool:
        return not self.problems


# Found once in a worker's main process, before it forks: its children, recycled ones included, inherit it.
_fitness: Fitness | None = None


def own() -> Fitness:
    """This process's own; examined at the first call if its worker did not do so."""
    return _fitness or examine(n_processes=1)


def examine(*, n_processes: int, beside_checks: bool = False) -> Fitness:
    """Let a canary try what a bot must not be able to do, and see how much memory a match may have.

    `beside_checks`: another worker of this host checks versions meanwhile.
    """
    global _fitness
    report = run_canaries(SandboxLauncher())
    _fitness = Fitness(
        match_mib=memory.share_mib(n_processes, beside_checks=beside_checks),
        n_processes=n_processes,
        problems=() if report.ok else tuple(report.problems),
        denials=dict(report.denials),
        lacks=dict(report.lacks),
    )
    return _fitness


def runs_bots(queues: Iterable[str]) -> bool:
    return not set(BOTS).isdisjoint(queues)


def memory_problems(found: Fitness, queues: Iterable[str]) -> list[str]:
    """A sentence for each thing that a worker of these queues has to refuse for want of memory."""
    problems: list[str] = []
    if MATCHES in queues:
        problems += memory.match_problems(found.match_mib)
    if CHECKS in queues:
        problems += memory.check_problems(found.match_mib)
    return problems
