"""The limiting conditional model on the boundary."""

import dataclasses

import formulaic
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

import novikoff as nk
from novikoff._design import design_of
from novikoff.theory.boundary_data import independent_columns
from real_data import real

ENDOMETRIAL = pd.read_csv(real("endometrial.csv"))
X, Y = ENDOMETRIAL[["NV", "PI", "EH"]], ENDOMETRIAL["HG"]


def estimate(data, tol=1e-10):
    """The maximum likelihood estimate of a reduced model, the intercept last if there is one."""
    rows = np.asarray(data.X.toarray() if sp.issparse(data.X) else data.X, dtype=float)
    if data.fit_intercept:
        rows = np.column_stack([rows, np.ones(len(rows))])
    scale = np.abs(rows).max(axis=0)
    counts = np.column_stack([data.y, 1 - data.y]) if data.y.ndim == 1 else data.y
    weights = np.ones(len(rows)) if data.sample_weight is None else data.sample_weight

    def loss(v):
        scores = (rows / scale) @ v
        both = np.logaddexp(0, -scores) * counts[:, 0] + np.logaddexp(0, scores) * counts[:, 1]
        slopes = weights * (counts.sum(axis=1) / (1 + np.exp(-scores)) - counts[:, 0])
        return float(weights @ both), (rows / scale).T @ slopes

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 2000})
    assert np.abs(found.jac).max() < 1e-5
    return found.x / scale


def test_the_endometrial_study_has_the_finite_estimates_of_r():
    """R: glm(HG ~ PI + EH, binomial, endometrial, subset = NV == 0)."""
    data = nk.separability(X, Y).boundary_data(X, Y)
    assert isinstance(data.X, pd.DataFrame)
    assert data.X.columns.tolist() == ["PI", "EH"]
    assert data.names == ("PI", "EH")
    assert data.fit_intercept
    assert data.rows.tolist() == np.flatnonzero(X["NV"] == 0).tolist() == data.X.index.tolist()
    np.testing.assert_allclose(estimate(data), [-0.04218, -2.90261, 4.30452], atol=1e-5)
    fitted = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000).fit(data.X, data.y)
    np.testing.assert_allclose([*fitted.coef_[0], fitted.intercept_[0]], [-0.04218, -2.90261, 4.30452], atol=1e-3)


def test_F6_the_limit_of_large_coefficients_is_the_reduced_model():
    """The estimates under a vanishing penalty go to those of the reduced model."""
    fitted = LogisticRegression(C=1e8, tol=1e-10, max_iter=10_000).fit(X.to_numpy(float), Y)
    data = nk.separability(X, Y).boundary_data(X, Y)
    np.testing.assert_allclose(fitted.coef_[0, 1:], estimate(data)[:2], atol=1e-3)


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        (pl.DataFrame(X), pl.DataFrame),
        (pl.DataFrame(X).lazy(), pl.DataFrame),
        (pl.DataFrame(X).to_arrow(), None),
        (X.to_numpy(), np.ndarray),
        (sp.csr_array(X.to_numpy(float)), sp.csr_array),
        (formulaic.model_matrix("NV + PI + EH", X), pd.DataFrame),
    ],
)
def test_each_form_of_x_has_its_reduced_form(frame, kind):
    data = nk.separability(frame, Y).boundary_data(frame, Y)
    assert type(data.X).__name__ == "Table" if kind is None else isinstance(data.X, kind)
    assert data.X.shape == ((X["NV"] == 0).sum(), 2)
    assert data.columns.tolist() == [1, 2]


def test_columns_of_which_only_a_combination_is_finite_are_represented_by_one_of_them():
    """On the boundary a = b, so that only the sum of their coefficients can be estimated."""
    rows = np.array([[0.0, 0], [1, 1], [0, 0], [1, 1], [2, 1], [1, 2]])
    y = np.array([0, 0, 1, 1, 1, 0])
    found = nk.separability(rows, y)
    assert (found.kind, found.boundary.tolist()) == ("quasi-complete", [0, 1, 2, 3])
    data = found.boundary_data(rows, y)
    assert (data.columns.tolist(), data.is_finite.tolist(), data.fit_intercept) == ([0], [False], True)
    np.testing.assert_allclose(estimate(data), [0, 0], atol=1e-6)


def test_an_intercept_only_model_can_remain():
    rows, y = [[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]
    data = nk.separability(rows, y).boundary_data(rows, y)
    assert (data.X.shape, data.fit_intercept, data.y.tolist()) == ((2, 0), True, [0, 1])
    assert repr(data) == "<BoundaryData: 2 x 0, with an intercept>"


def test_the_intercept_goes_if_other_columns_span_it():
    design = design_of("f", np.array([[1.0, 0], [0, 1.0]]), [0, 1])
    columns, intercept = independent_columns(design, np.array([0, 1]), np.array([True, True, False]))
    assert (columns.tolist(), intercept) == ([0, 1], False)


def test_weights_offsets_and_counts_are_those_of_the_boundary():
    rows = np.array([[9.0, 1], [0, 1], [1, 1], [1, 2], [2, 1]])
    counts = np.array([[1, 1], [0, 2], [3, 1], [2, 5], [4, 0]])
    weights, offset = [0, 1, 2, 3, 4], [1.0, 2, 3, 4, 5]
    found = nk.separability(rows, counts, sample_weight=weights, offset=offset)
    assert (found.kind, found.boundary.tolist()) == ("quasi-complete", [2, 3])
    data = found.boundary_data(rows, counts, sample_weight=weights, offset=offset)
    assert data.y.tolist() == [[3, 1], [2, 5]]
    assert (data.sample_weight.tolist(), data.offset.tolist()) == ([2, 3], [3, 4])
    assert data.columns.tolist() == [1]
    scores = np.asarray(data.X) @ estimate(data)[:1] + estimate(data)[-1]
    np.testing.assert_allclose(1 / (1 + np.exp(-scores)), [3 / 4, 2 / 7], atol=1e-4)  # a saturated model


@pytest.mark.parametrize("positive", ["success", "failure"])
@pytest.mark.parametrize("kind", ["quasi-complete", "overlap"])
def test_proportions_become_counts_with_the_same_estimate(kind, positive):
    rows = np.array([[0.0, 1], [0, 2], [0, 3], [1 if kind == "quasi-complete" else 0, 2]])
    proportions, trials, offset = np.array([0.25, 0.5, 0.6, 1.0]), np.array([4, 10, 20, 3]), [1.0, 2, 3, 4]
    found = nk.separability(rows, proportions, sample_weight=trials, positive=positive)
    assert found.kind == kind
    data = found.boundary_data(rows, proportions, sample_weight=trials, offset=offset)
    counts = np.column_stack([proportions, 1 - proportions]) * trials[:, np.newaxis]
    counts = counts if positive == "success" else counts[:, ::-1]
    np.testing.assert_allclose(data.y, counts[data.rows], rtol=1e-15)
    assert data.sample_weight is None
    assert data.offset.tolist() == [offset[row] for row in data.rows]
    grouped = nk.separability(rows, counts).boundary_data(rows, counts)
    np.testing.assert_allclose(estimate(data), estimate(grouped), rtol=1e-6)
    repeated = np.repeat(np.vstack([data.X, data.X]), np.rint(data.y.T.ravel()).astype(int), axis=0)
    labels = np.repeat([1, 0], np.rint(data.y.sum(axis=0)).astype(int))
    fitted = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(repeated, labels)
    np.testing.assert_allclose([*fitted.coef_[0], fitted.intercept_[0]], estimate(data), atol=1e-4)


def test_the_modelled_class_is_one():
    words = Y.map({0: "low", 1: "high"})
    found = nk.separability(X, words, positive="high")
    assert np.array_equal(found.boundary_data(X, words).y, Y[X["NV"] == 0])
    other = nk.separability(X, words)
    assert np.array_equal(other.boundary_data(X, words).y, 1 - Y[X["NV"] == 0])


def test_an_overlap_keeps_all_rows_and_independent_columns():
    table = X[["PI", "EH"]].assign(twice=2 * X["PI"])
    found = nk.separability(table, Y)
    assert found.kind == "overlap"
    data = found.boundary_data(table, Y)
    assert data.X.columns.tolist() == ["PI", "EH"]
    assert len(data.y) == len(Y)


@pytest.mark.parametrize("columns", [["NV", "PI", "EH"], ["PI", "EH"]], ids=["quasi-complete", "overlap"])
def test_other_values_are_refused(columns):
    rows, labels = X[columns].to_numpy(float), Y.to_numpy()
    found = nk.separability(rows, labels)
    assert len(found.boundary_data(rows, labels).y) > 0
    rng = np.random.default_rng(0)
    for other in (rows[::-1], rng.normal(size=rows.shape), np.where(rows == rows[0], np.nan, rows)):
        with pytest.raises(nk.InvalidInputError, match="boundary_data: these are not the data of the verdict: "):
            found.boundary_data(other, labels)
    if found.kind == "quasi-complete":  # an overlap remains one if all labels change
        with pytest.raises(nk.InvalidInputError, match="not the data of the verdict"):
            found.boundary_data(rows, 1 - labels)


def test_refusals():
    complete = nk.separability([[0.0], [1.0]], [0, 1])
    with pytest.raises(
        nk.InvalidInputError, match="boundary_data: the separation is complete: no row is on the boundary"
    ):
        complete.boundary_data([[0.0], [1.0]], [0, 1])
    found = nk.separability(X, Y)
    with pytest.raises(
        nk.InvalidInputError, match="not the data of the verdict: the columns are those of the verdict in"
    ):
        found.boundary_data(X[["PI", "NV", "EH"]], Y)
    with pytest.raises(nk.InvalidInputError, match="not the data of the verdict: judged: 79 rows; given: 3"):
        found.boundary_data(X[:3], [0, 1, 0])
    with pytest.raises(nk.InvalidInputError, match="not the data of the verdict: the model has 3 features, the data 4"):
        found.boundary_data(np.column_stack([X, np.arange(len(X))]), Y)
    with pytest.raises(nk.InvalidInputError, match="undecided"):
        dataclasses.replace(found, kind="undecided").boundary_data(X, Y)
