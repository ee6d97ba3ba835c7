"""Examples for a model of the server, read as a request is."""

import json

import novikoff._core as _core
from novikoff.serve.engine.examples import Examples

LIMITS = _core.ExampleLimits(100, 100, 100, 10_000)


def read(model, examples):
    """Return examples as the reader gives them to a model."""
    found = _core.read_examples(json.dumps(examples).encode(), model.names, model.labels, LIMITS, True)
    assert found.bad == []
    return Examples.of(found)
