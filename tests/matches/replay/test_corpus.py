"""Old replays come out as they always did.

A replay that is stored somewhere must stay sound for ever, so the files of the corpus are never changed; new ones
are added with their lines in `pinned.json`. One that comes out otherwise means that `ENGINE_RULES` has to rise.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from matches.engine import PRESETS
from matches.engine.events import FIELDS
from matches.replay import FAULT_KINDS, decode, encode, expand, verify

CORPUS = Path(__file__).parent / "corpus"
PINNED = json.loads((CORPUS / "pinned.json").read_text())
FILES = sorted(path.name for path in CORPUS.glob("*.json.gz"))


@pytest.mark.parametrize("name", FILES)
def test_an_old_replay_comes_out_as_it_did(name):
    replay = decode((CORPUS / name).read_bytes())
    verified = verify(replay)
    assert PINNED[name] == {
        "core_sha256": verified.core_sha256,
        "totals": list(verified.totals),
        "placing": list(verified.placing),
    }


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("expanded")])
def test_an_old_expanded_replay_is_expanded_to_the_same_again(name):
    replay = decode((CORPUS / name).read_bytes())
    stated = replay.stated
    assert stated is not None
    assert expand(decode(encode(replay.core, replay.timing)), stated.get("about")) == stated


def test_every_file_is_pinned_and_there():
    assert sorted(PINNED) == FILES


def test_the_corpus_has_every_preset_table_size_fault_and_event():
    documents = [expand(decode((CORPUS / name).read_bytes())) for name in FILES]
    assert {document["rules"]["preset"] for document in documents} >= set(PRESETS)
    assert {len(document["seats"]) for document in documents} == set(range(2, 9))
    assert {fault["kind"] for document in documents for fault in document["faults"]} == set(FAULT_KINDS)
    seen = set()
    for document in documents:
        for round in document["rounds"]:
            parts = [round["opening"], round["result"]["events"], *(d["events"] for d in round["decisions"])]
            seen |= {event["event"] for events in parts for event in events}
    assert seen == set(FIELDS)
    assert any(round["result"]["cut"] for document in documents for round in document["rounds"])
    assert any(None in round["dealt"] for document in documents for round in document["rounds"])
    assert {document["outcome"]["reason"] for document in documents} == {"target", "round_cap"}
