"""The run record: what a fitted learner tells the rest of the library."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import novikoff as nk

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
TWO, THREE = np.where(X[:, 0] > 0, "yes", "no"), np.digitize(X[:, 0], [-0.5, 0.5])


@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize("model", [nk.Perceptron(), nk.AveragedPerceptron(), nk.LinearSVM(multi_class="ovr")])
def test_a_record_has_a_problem_for_each_score(model, y):
    record = model.fit(X, y).record_
    assert record.learner == type(model).__name__
    assert record.parameters == model.get_params()
    assert record.n_features == 3
    assert record.strategy.classes.tolist() == model.classes_.tolist()
    scores = np.atleast_2d(model.decision_function(X).T)
    assert len(record.problems) == len(record.certificates) == len(scores)
    for problem, own in zip(record.problems, scores, strict=True):
        np.testing.assert_allclose(X @ problem.weights + problem.intercept, own)
        assert problem.is_linear


def test_a_record_cannot_be_changed():
    record = nk.Perceptron().fit(X, TWO).record_
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.learner = "another"


def test_votes_and_normalised_rows_are_not_linear():
    assert not nk.VotedPerceptron().fit(X, TWO).record_.problems[0].is_linear
    assert not nk.MarginPerceptron(normalize=True).fit(X, TWO).record_.problems[0].is_linear


def test_the_parameters_of_a_problem_are_those_that_its_certificate_states():
    for model in (nk.LinearSVM(C=2.0), nk.LinearSVM(lam=0.25), nk.HardMarginSVM(penalized_intercept=True)):
        (problem,) = model.fit(X, TWO).record_.problems
        stated = problem.certificate.stated()
        assert stated.items() <= problem.parameters.items()


def test_a_record_names_its_columns():
    assert nk.LinearSVM().fit(X, TWO).record_.column_names is None
    frame = pd.DataFrame(X, columns=list("abc"))
    assert list(nk.LinearSVM().fit(frame, TWO).record_.column_names) == ["a", "b", "c"]
    model = nk.fit(frame.assign(job=np.where(X[:, 1] > 0, "cook", "clerk"), y=TWO))
    assert list(model.record_.column_names) == ["a", "b", "c", "job=clerk", "job=cook"]
    assert model["model"].record_.column_names == model.record_.column_names


def test_weights_from_elsewhere_have_no_certificates():
    assert nk.LinearClassifier.of([[1.0, 2.0, 3.0]], [0.0], ["no", "yes"]).record_.certificates == []


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (nk.Perceptron(), True),
        (nk.PassiveAggressiveI(), True),
        (nk.AveragedPerceptron(), False),
        (nk.AROW(), False),
        (nk.Perceptron(half_life=100.0), False),
        (nk.MulticlassPerceptron(), False),
        (nk.Tracker(), False),
    ],
)
def test_predictions_of_the_last_weights_change_only_by_updates(model, expected):
    record = model.partial_fit(X, TWO).record_
    assert record.changes_only_by_updates == expected
    assert (record.updates is None) == isinstance(model, nk.Tracker)
    if record.updates is not None:
        assert 0 < record.updates == sum(certificate.updates for certificate in record.certificates)
