"""The base class of the batch learners: scores, and the run record."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._multiclass import sides
from novikoff.svm import _classifier

X = np.random.default_rng(0).normal(size=(40, 3))
APART = X + 9 * (np.arange(40) % 2)[:, np.newaxis]
MODELS = {
    "LinearSVM": nk.LinearSVM(lam=0.25, penalized_intercept=True),
    "LinearSVMCV": nk.LinearSVMCV(Cs=[0.1, 1.0], cv=2, fit_intercept=False, loss="squared_hinge"),
    "HardMarginSVM": nk.HardMarginSVM(tol=1e-3),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_record_has_one_problem_per_score_with_the_parameters_that_its_certificate_states(name, classes):
    centres = np.array([[0.0, 9.0], [8.0, -5.0], [-8.0, -5.0]])
    y = np.arange(40) % classes
    rows = centres[y] + X[:, :2]
    model = nk.HardMarginSVM() if name == "HardMarginSVM" and classes == 3 else MODELS[name]
    record = model.fit(rows, y).record_
    assert record.learner == name
    assert [(problem.positive, problem.negative) for problem in record.problems] == sides(record.strategy)
    assert len(record.problems) == (1 if classes == 2 else 3)
    for place, problem in enumerate(record.problems):
        assert problem.parameters == problem.certificate.stated()
        assert problem.weights.tolist() == model.coef_[place].tolist()
        assert problem.intercept == model.intercept_[place]
    again = type(model).from_record(record)
    assert again.decision_function(rows).tobytes() == model.decision_function(rows).tobytes()


def test_the_record_of_a_path_has_one_problem_for_each_c():
    path = nk.LinearSVMPath(Cs=[0.1, 1.0], tol=1e-3).fit(X, X[:, 0] > 0)
    problems = path.record_.problems
    assert [problem.parameters["C"] for problem in problems] == [0.1, 1.0]
    assert all(problem.parameters == problem.certificate.stated() for problem in problems)
    again = nk.LinearSVMPath.from_record(path.record_)
    assert again.coefs_.tobytes() == path.coefs_.tobytes()


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_votes_of_many_pairs_are_counted_in_blocks_of_rows(layout, monkeypatch):
    rng = np.random.default_rng(2)
    rows, y = layout(rng.normal(size=(90, 4)) * (rng.random((90, 4)) < 0.7)), np.arange(90) % 6
    model = nk.LinearSVM().fit(rows, y)
    whole = model.decision_function(rows)
    assert whole.shape == (90, 6)
    monkeypatch.setattr(_classifier, "BLOCK_SCORES", 100)
    np.testing.assert_allclose(model.decision_function(rows), whole, rtol=1e-12)


def test_a_learner_that_saw_weights_of_classes_decides_ties_by_them():
    rows = [[0.0], [0.0], [0.0], [1.0]]  # columns without information: the scores of all classes are equal
    model = nk.LinearSVM(C=1e-9, multi_class="ovr").fit(rows, ["a", "b", "b", "c"])
    model.coef_[:], model.intercept_[:] = 0.0, 0.0
    assert model.predict(rows).tolist() == ["b"] * 4
    assert model.class_count_.tolist() == [1.0, 2.0, 1.0]


def test_scores_are_products_with_the_weights():
    model = nk.LinearSVM().fit(X, X[:, 0] > 0)
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_[0] + model.intercept_[0])
    with pytest.raises(nk.InvalidInputError, match="NaN"):
        model.decision_function(np.full((1, 3), np.nan))


@pytest.mark.parametrize("classes", [2, 4])
def test_scores_of_a_few_rows_of_a_wide_matrix_are_those_of_many(classes):
    """Whether the weights are multiplied at once or one class at a time depends on the number of entries."""
    rng = np.random.default_rng(1)
    rows = sp.csr_array((rng.normal(size=3000), rng.integers(0, 500, 3000), np.arange(0, 3001, 6)), shape=(500, 500))
    rows.sum_duplicates()
    model = nk.LinearSVM().fit(rows, rng.integers(0, classes, 500))
    together = model.decision_function(rows)
    assert rows.nnz > 500 > rows[:50].nnz
    assert model.decision_function(rows[:50]).tobytes() == together[:50].tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_are_the_same_in_blocks_of_rows(dtype, monkeypatch):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(50, 4)).astype(dtype), np.arange(50) % 3
    model = nk.LinearSVM(multi_class="ovr").fit(X, y)
    expected = X.astype(np.float64) @ model.coef_.T + model.intercept_
    monkeypatch.setattr(_classifier, "BLOCK_ENTRIES", 28)  # 7 rows
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-12, atol=1e-14)
