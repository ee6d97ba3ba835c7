"""The weights of a model as exports see them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import novikoff as nk
from novikoff.export.base import record_of
from novikoff.export.linear_model import LinearModel, column_names, linear_model, parameters_of

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

X = np.random.default_rng(0).normal(size=(40, 3))
TWO, THREE = X[:, 0] > 0, np.argmax(X, axis=1)


def test_a_model_that_is_not_one_linear_classifier_is_refused():
    with pytest.raises(nk.InvalidInputError, match=r"^VotedPerceptron: .* votes .*AveragedPerceptron"):
        linear_model(nk.VotedPerceptron().fit(X, TWO).record_)
    with pytest.raises(nk.InvalidInputError, match="LinearSVMPath: only one classifier can be exported"):
        linear_model(nk.LinearSVMPath(Cs=2).fit(X, TWO).record_)
    half = nk.Perceptron()
    half.learn_one([1.0], 3)
    with pytest.raises(nk.InvalidInputError, match=r"at least two classes, but it has seen \[3\]"):
        linear_model(half.record_)
    model = nk.LinearClassifier.of([[1.0]], [0.0], [0, 1])
    model.coef_ = np.array([[np.inf]])
    with pytest.raises(nk.InvalidInputError, match="LinearClassifier: the weights must be finite"):
        linear_model(model.record_)


def test_arguments_of_exports_are_checked():
    with pytest.raises(nk.InvalidInputError, match="to_x: the model must be a classifier of novikoff"):
        record_of("to_x", {}, "path")
    with pytest.raises(nk.InvalidInputError, match="to_x: path must be a str or a path, but it is None"):
        record_of("to_x", nk.LinearSVM().fit(X, TWO), None)
    with pytest.raises(NotFittedError, match="not fitted"):
        record_of("to_x", nk.LinearSVM(), "path")


@pytest.mark.parametrize("labels", [[b"a", b"b"], ["a", "\ud800"], [(1,), (2,)]], ids=repr)
def test_classes_that_other_programs_cannot_read_are_refused(labels):
    y = np.empty(4, dtype=object)
    y[:] = [labels[0], labels[1]] * 2
    with pytest.raises(nk.InvalidInputError, match="integers, floats, booleans or strings"):
        linear_model(nk.LinearSVM().fit([[1.0], [2.0], [1.5], [3.0]], y).record_)


def test_columns_keep_their_names():
    frame = pd.DataFrame(X, columns=["höhe", "b", "c"])
    assert column_names(nk.LinearSVM().fit(frame, TWO).record_) == ["höhe", "b", "c"]
    assert column_names(nk.LinearSVM().fit(X, TWO).record_) is None
    by_dicts = nk.Perceptron()
    by_dicts.learn_one({"free": 1.0, 7: 2.0}, "spam")
    by_dicts.learn_one({"free": 1.0, "late": -1.0}, "ham")
    assert column_names(by_dicts.record_) == ["free", 7, "late"]
    table = nk.Perceptron().partial_fit(nk.scan(b"a,b,label\n1,2,x\n0,1,y\n", format="csv"))
    assert column_names(table.record_) == ["a", "b"]
    hashed = nk.Perceptron(max_features=4)
    hashed.learn_one({"free": 1.0}, 1)
    assert column_names(hashed.record_) is None


def test_parameters_that_json_cannot_hold_are_shown_as_python_shows_them():
    model = nk.LinearSVM(random_state=np.random.RandomState(0), class_weight={True: np.float64(2.0)}).fit(X, TWO)
    model.tol = np.inf
    parameters = parameters_of(model.record_)
    assert parameters["random_state"].startswith("RandomState")
    assert parameters["class_weight"] == {"True": 2.0}
    assert parameters["tol"] == "inf"


def test_models_of_few_columns_or_few_zeros_are_left_as_they_are():
    for coef in (np.zeros((1, 255)), np.ones((2, 300)), np.tile([0.0, 1.0], (1, 200))):
        model = LinearModel(coef, np.zeros(len(coef)), np.arange(2))
        assert model.without_zeros() == (model, None)


def test_a_wide_model_without_weights_keeps_a_column():
    model, columns = LinearModel(np.zeros((1, 300)), np.zeros(1), np.arange(2)).without_zeros()
    assert columns.tolist() == [0]
    assert model.coef.tolist() == [[0.0]]
