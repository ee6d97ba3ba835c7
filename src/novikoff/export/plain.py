"""Models as plain JSON."""

from __future__ import annotations

import json
from typing import Any

from novikoff._atomic import replacing
from novikoff._json import plain
from novikoff._version import __version__

from ._weights import Weights, parameters_of


def to_json(model: Any, path: Any) -> None:
    """Write a model as plain JSON, which any program can read.

    It is an object of ``library``, ``version``, ``learner``, ``parameters``, ``classes``, ``feature_names`` (or null),
    ``coef``, ``intercept`` and ``certificate``, which is null, or one object, or for more than two classes a list of
    one a class. Numbers read back to the same bits; what is infinite in a certificate is null.

    Parameters
    ----------
    model : a fitted linear classifier
    path : where to write it, as a whole or not at all

    Examples
    --------
    >>> import json
    >>> import tempfile
    >>> import novikoff as nk
    >>> model = nk.Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.export.to_json(model, f"{folder}/model.json")
    ...     with open(f"{folder}/model.json") as file:
    ...         facts = json.load(file)
    >>> facts["learner"], facts["classes"], facts["coef"]
    ('Perceptron', ['no', 'yes'], [[1.0, -1.0]])
    """
    where = "to_json"
    weights = Weights.of(where, model, path)
    record = getattr(model, "record_", None)
    proofs = [] if record is None else [json.loads(proof.to_json()) for proof in record.certificates]
    facts = {
        "library": "novikoff",
        "version": __version__,
        "learner": type(model).__name__,
        "parameters": parameters_of(model),
        "classes": weights.classes.tolist(),
        "feature_names": None if weights.feature_names is None else plain(weights.feature_names, unknown=repr),
        "coef": weights.coef.tolist(),
        "intercept": weights.intercept.tolist(),
        "certificate": record.strategy.per_problem(proofs) if record is not None and proofs else None,
    }
    text = json.dumps(facts, allow_nan=False)
    with replacing(where, path) as file:
        file.write(text.encode())
