"""Models as plain JSON."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import novikoff as nk
from learners import CLASSES

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

X = np.random.default_rng(0).normal(size=(40, 3))
TWO = X[:, 0] > 0
THREE = np.array(["a", "b", "c"])[np.argmax(X, axis=1)]
X = X + 9 * np.eye(3)[np.argmax(X, axis=1)]  # each class can be told from the rest
LINEAR = [cls for cls in (*CLASSES, nk.HardMarginSVM, nk.LinearSVM) if cls is not nk.VotedPerceptron]


def refuse(word):
    raise AssertionError(word)


def written(model, path):
    """The file, which must hold no word that JSON does not know."""
    nk.export.to_json(model, path)
    return json.loads(path.read_text(), parse_constant=refuse)


@pytest.mark.parametrize(("cls", "y"), [(cls, (TWO, THREE)[place % 2]) for place, cls in enumerate(LINEAR)])
def test_all_that_a_model_is_can_be_read(cls, y, tmp_path):
    model = cls().fit(X, y)
    facts = written(model, tmp_path / "model.json")
    assert list(facts)[:4] == ["library", "version", "learner", "parameters"]
    assert (facts["library"], facts["version"], facts["learner"]) == ("novikoff", nk.__version__, cls.__name__)
    assert facts["parameters"] == model.get_params()
    assert facts["classes"] == model.classes_.tolist()
    assert facts["feature_names"] is None
    assert (facts["n_features"], facts["columns"]) == (3, None)
    assert np.array(facts["coef"]).tobytes() == np.ascontiguousarray(model.coef_).tobytes()
    assert np.array(facts["intercept"]).tobytes() == model.intercept_.tobytes()
    one, found = model.record_.certificates[0], facts["certificate"]
    found = found[0] if isinstance(found, list) else found
    assert found == json.loads(one.to_json())
    assert found["kind"] == type(one).__name__


def test_columns_keep_their_names(tmp_path):
    frame = pd.DataFrame(X, columns=["höhe", "b", "c"])
    assert written(nk.LinearSVM().fit(frame, TWO), tmp_path / "frame")["feature_names"] == ["höhe", "b", "c"]


def test_what_claims_nothing_has_no_certificate(tmp_path):
    assert written(nk.LinearClassifier.of([[1.0]], [0.0], [0, 1]), tmp_path / "model")["certificate"] is None


def test_a_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "model"
    path.write_text("old")
    with pytest.raises(nk.InvalidInputError, match="VotedPerceptron: the model predicts by votes"):
        nk.export.to_json(nk.VotedPerceptron().fit(X, TWO), path)
    assert path.read_text() == "old"
    with pytest.raises(nk.FileError, match="No such file"):
        nk.export.to_json(nk.LinearSVM().fit(X, TWO), tmp_path / "no" / "folder")


def scattered(width, names=None):
    """A model of forty rows with five entries each, anywhere among the columns."""
    rng = np.random.default_rng(3)
    rows = sp.csr_array((rng.normal(size=200), rng.integers(0, width, 200), np.arange(0, 201, 5)), shape=(40, width))
    model = nk.LinearSVM().fit(rows, TWO)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return model


def test_the_size_depends_on_the_columns_that_have_a_weight(tmp_path):
    sizes = []
    for width in (2000, 2**20):
        model = scattered(width)
        facts = written(model, tmp_path / "model.json")
        sizes.append((tmp_path / "model.json").stat().st_size)
        assert facts["n_features"] == width
        assert facts["columns"] == np.flatnonzero(model.coef_[0]).tolist()
        assert facts["coef"][0] == model.coef_[0, facts["columns"]].tolist()
        weights = facts["certificate"]["model"]["weights"]
        assert weights["length"] == width
        assert weights["values"] == facts["coef"][0]
    assert sizes[1] < 1.5 * sizes[0] < 50_000


def test_every_column_that_has_a_weight_is_named(tmp_path):
    names = [f"word {j}" for j in range(3000)]
    model = scattered(3000, names)
    facts = written(model, tmp_path / "model.json")
    assert facts["feature_names"] == [names[j] for j in np.flatnonzero(model.coef_[0])]
