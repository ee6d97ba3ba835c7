"""State directories that earlier versions wrote: newer ones open them, and their models are what they were."""

import json
import shutil
from pathlib import Path

import pytest

from engines import random_examples, running
from golden.make_state import facts
from novikoff.serve.log.blocks import VERSIONS
from novikoff.serve.log.store import Store

GOLDEN = Path(__file__).parents[1] / "golden"
STATES = sorted(GOLDEN.glob("state-*"))


def test_there_is_a_state_of_every_version():
    assert [path.name for path in STATES] == [f"state-{version}" for version in VERSIONS]


@pytest.mark.parametrize("path", STATES, ids=lambda path: path.name)
@pytest.mark.parametrize("has_snapshots", [True, False], ids=["snapshots", "log"])
def test_a_golden_state_has_the_models_that_it_had(path, has_snapshots, tmp_path):
    state = shutil.copytree(path / "state", tmp_path / "state")
    if not has_snapshots:
        shutil.rmtree(state / "snapshots")
    expected = json.loads((path / "expected.json").read_text())
    with running(state) as client:
        assert client.engine.names() == sorted(expected)
        for name, own in expected.items():
            assert facts(client, name) == own
            assert client.learn(name, random_examples(2, seed=3))[-1]["version"] == own["examples"] + 2
    with Store.open(state, read_only=True) as store:
        assert store.verify().last == store.last


@pytest.mark.parametrize("path", STATES, ids=lambda path: path.name)
def test_ids_and_predictions_of_a_golden_state_are_remembered(path, tmp_path):
    state = shutil.copytree(path / "state", tmp_path / "state")
    with running(state, pending_seconds=10**9) as client:
        own = random_examples(1)[0]
        assert client.learn("perceptron", own | {"id": "perceptron-3"})["repeated"]
        assert "served" in client.learn("perceptron", {"id": "late-9", "y": "a"})
