"""The alert rules: they name metrics and labels that exist, and the manual explains each."""

import re
from pathlib import Path

import pytest
import yaml

from arena import metrics

CHECKOUT = Path(__file__).resolve().parents[2]
MANUAL = (CHECKOUT / "docs/operate.md").read_text()
RULES = [
    rule
    for group in yaml.safe_load((CHECKOUT / "docs/alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]


def exported() -> dict[str, set[str]]:
    """The names of all metrics with their labels, as the collector's source gives them to the client library."""
    return {family.name: set(family._labelnames) for family in metrics.ArenaCollector().collect()}


@pytest.mark.django_db
@pytest.mark.database
def test_rules_and_manual_name_metrics_and_labels_that_exist():
    there = exported()
    assert len(there) > 10
    for rule in RULES:
        named = re.findall(r"(skyjo_\w+)(?:\{(\w+)=)?", rule["expr"])
        assert named, rule["alert"]
        for name, label in named:
            assert name in there, f"{rule['alert']}: {name}"
            assert not label or label in there[name], f"{rule['alert']}: {name} has no label {label}"
        for label in re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]):
            assert all(label in there[name] for name, _ in named), f"{rule['alert']}: {label}"
    assert set(re.findall(r"`(skyjo_\w+)`", MANUAL)) == set(there)


def test_the_manual_says_of_each_alarm_what_to_do_and_how_urgent_it_is():
    rows = dict(re.findall(r"^\| (Skyjo\w+) \| (\w+) \| .{40,} \|$", MANUAL, re.MULTILINE))
    assert rows == {rule["alert"]: rule["labels"]["severity"] for rule in RULES}
