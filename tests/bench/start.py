"""Two interpreters side by side to their first answers: sandboxed, over two with nothing around them."""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from bots.sandbox.launcher import SandboxLauncher, kit_files, kit_source, without_packages
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import RUNTIMES, Program

GOAL = 1.5
ROUNDS = 40

BOT = b"""from skyjo import Bot, run


class Lowest(Bot):
    def reveal(self, view):
        return 0, 5

    def draw(self, view):
        return view.draw()

    def place(self, view, card):
        return view.swap(view.worst_cell())


if __name__ == "__main__":
    run(Lowest())
"""


def rows() -> list[dict[str, Any]]:
    limits = Limits()
    program = Program("python", {"main.py": BOT}, "main.py")
    launcher = SandboxLauncher()
    hello = json.dumps(
        {
            "type": "hello",
            "protocol": 1,
            "kit": "1.0",
            "python": launcher.python,
            "rules": {"preset": "official", "target": 100},
            "limits": limits.as_dict(),
        }
    ).encode()
    runtime = RUNTIMES[program.runtime]
    with tempfile.TemporaryDirectory() as name:
        kit = Path(name) / "kit"
        for path, content in kit_files(runtime.interpreter, kit_source()).items():
            (kit / path).parent.mkdir(parents=True, exist_ok=True)
            (kit / path).write_bytes(content)
        (Path(name) / "main.py").write_bytes(BOT)
        python, *rest = runtime.argv("main.py", name, Limits())
        argv = [without_packages(python, Path(name)), *rest]
        environment = runtime.environment_with(str(kit))
        bare: list[float] = []
        sandboxed: list[float] = []
        for _ in range(ROUNDS):  # interleaved, so that both meet the same machine
            sandboxed.append(_two_sandboxed(launcher, program, limits, hello))
            bare.append(_two_bare(argv, environment, name, hello))
    return [
        _row("two bare interpreters to their first answers, least", min(bare), "ms"),
        _row("two sandboxed interpreters to their first answers, least", min(sandboxed), "ms"),
        _row("sandboxed over bare, least", min(sandboxed) / min(bare), "times", GOAL),
        _row(
            "sandboxed over bare, median",
            statistics.median(sandboxed) / statistics.median(bare),
            "times",
            GOAL,
        ),
    ]


def _row(name: str, value: float, unit: str, goal: float | None = None) -> dict[str, Any]:
    return {
        "name": name,
        "value": round(value, 3),
        "unit": unit,
        "goal": goal,
        "ok": goal is None or value <= goal,
    }


def _two_sandboxed(launcher: SandboxLauncher, program: Program, limits: Limits, hello: bytes) -> float:
    began = time.perf_counter()
    bots = [launcher.start(program, limits) for _ in range(2)]
    for bot in bots:
        bot.ask(hello, cpu_ms=limits.start_ms, wall_ms=limits.start_wall_ms)
    took = time.perf_counter() - began
    for bot in bots:
        bot.kill()
    return took * 1000


def _two_bare(argv: list[str], environment: dict[str, str], folder: str, hello: bytes) -> float:
    began = time.perf_counter()
    bots = [
        subprocess.Popen(
            argv,
            env=environment,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        for _ in range(2)
    ]
    for bot in bots:
        assert bot.stdin is not None
        assert bot.stdout is not None
        bot.stdin.write(hello + b"\n")
        bot.stdout.readline()
    took = time.perf_counter() - began
    for bot in bots:
        bot.kill()
        bot.communicate()
    return took * 1000
