"""What pyproject.toml forbids the floors, as far as import-linter cannot know it by itself."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import grimp

CHECKOUT = Path(__file__).resolve().parents[2]
# What bots import; the kit and the sandbox put it beside them.
LIBRARY = "skyjo"


def test_what_the_kit_must_not_need_names_every_package_that_the_arena_imports() -> None:
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (alone,) = (each for each in contracts if "standard library alone" in each["name"])
    graph = grimp.build_graph("arena", "matches", "bots", include_external_packages=True)
    imported = {module for module in graph.modules if graph.is_module_squashed(module)}
    assert "django" in imported
    assert imported - sys.stdlib_module_names - {LIBRARY} <= set(alone["forbidden_modules"])
