"""docs/replay.schema.json and what is really written."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from matches.engine import PRESETS
from matches.engine.events import FIELDS
from matches.replay import FAULT_KINDS, decode, encode, expand

from .games import expanded, play, recorders

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "replay.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)
EXPANDED = Draft202012Validator({"$ref": "#/$defs/expanded", "$defs": SCHEMA["$defs"]})


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(recorders())
def test_any_game_fits_the_schema_in_both_forms(recorder):
    stored = encode(recorder.core(), recorder.timing())
    VALIDATOR.validate(json.loads(gzip.decompress(stored)))
    EXPANDED.validate(expand(decode(stored), {"names": ["ada"], "game": 7}))


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_game_under_each_preset_fits_the_schema(preset):
    EXPANDED.validate(expanded(play(PRESETS[preset].rules, 3, faults={2: (25, "illegal")})))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(more=1),
        lambda d: d.pop("rounds"),
        lambda d: d.update(format=2),
        lambda d: d["seats"][0].update(sha256="?"),
        lambda d: d["rounds"][0]["opening"][0].update(event="deal"),
        lambda d: d["rounds"][0]["opening"][0].pop("seats"),
        lambda d: d["rounds"][0]["decisions"][3].update(cpu_ms_below="1"),
        lambda d: d["rounds"][0]["decisions"][3].update(action={"swap": 12}),
        lambda d: d["rounds"][0]["decisions"][3]["events"].append({"event": "draw", "seat": 1}),
        lambda d: d["outcome"]["placing"].append(9),
    ],
)
def test_what_is_wrong_does_not_fit_the_schema(spoil):
    document = copy.deepcopy(expanded(play()))
    EXPANDED.validate(document)
    spoil(document)
    assert not EXPANDED.is_valid(document)


def test_every_event_of_the_engine_is_in_the_schema_with_its_fields():
    described = {}
    for variant in SCHEMA["$defs"]["event"]["oneOf"]:
        names = variant["properties"]["event"]
        for kind in names.get("enum") or [names["const"]]:
            described[kind] = set(variant["required"]) - {"event"}
    assert described == {kind: set(fields) for kind, fields in FIELDS.items()}


def test_every_kind_of_fault_is_in_the_schema():
    assert SCHEMA["$defs"]["fault_kind"]["enum"] == list(FAULT_KINDS)
