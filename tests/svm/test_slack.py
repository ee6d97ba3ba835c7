"""The slacks of the training rows: those of the weights, for two and for more classes, also after loading."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import novikoff as nk
from novikoff.svm._slack import Slack
from novikoff.theory.certificate import Duals
from saved import again
from strategies import few, soft_problems

rng = np.random.default_rng(2)
THREE = rng.integers(0, 3, size=60)
X = rng.normal(size=(60, 3)) + 2 * np.eye(3)[THREE]
TWO = np.where(X[:, 0] + rng.normal(size=60) > 0.5, "yes", "no")
WEIGHTS = np.where(np.arange(60) % 7 == 0, 0.0, 1.5)


@given(data=soft_problems())
@few
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_objective_is_half_the_squared_length_and_c_times_the_losses_of_the_slacks(loss, data):
    X, y, weights = data
    model = nk.LinearSVM(loss=loss, C=2.0, tol=1e-3).fit(X, y, weights)
    power = 1 if loss == "hinge" else 2
    total = 0.5 * np.sum(model.coef_**2) + 2.0 * np.sum(weights * model.slack_**power)
    assert total == pytest.approx(model.objective_[0], rel=1e-9, abs=1e-12)
    assert np.all(model.slack_ >= 0)
    assert np.all(model.slack_[weights == 0] == 0)


def test_notes_4_the_slack_is_by_how_much_a_row_violates_the_margin():
    model = nk.LinearSVM(lam=0.5, loss="hinge").fit(X, TWO)
    signs = np.where(TWO == "yes", 1.0, -1.0)
    scores = signs * model.decision_function(X)
    np.testing.assert_allclose(model.slack_, np.maximum(0, 1 - scores), atol=1e-12)
    assert np.all(scores >= 1 - model.slack_ - 1e-12)
    notes = model.slack_.sum() + 0.5 * np.sum(model.coef_**2)
    assert notes == pytest.approx(model.certificate_.primal_lam)
    assert model.certificate_.dual_lam <= notes * (1 + 1e-12)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_one_column_for_each_problem_of_several(layout):
    for multi_class in ("ovr", "ovo"):
        model = nk.LinearSVM(multi_class=multi_class).fit(layout(X), THREE, WEIGHTS)
        assert model.slack_.shape == (60, 3)
        assert sp.issparse(model.slack_)
        found = model.slack_.toarray()
        for place, (w, b) in enumerate(zip(model.coef_, model.intercept_, strict=True)):
            record = model.record_.problems[place]
            signs = np.where(record.positive == THREE, 1.0, -1.0)
            part = (record.negative is None) | np.isin(THREE, [record.positive, record.negative or 0])
            expected = np.where(part & (WEIGHTS > 0), np.maximum(0, 1 - signs * (X @ w + b)), 0.0)
            np.testing.assert_allclose(found[:, place], expected, atol=1e-5)
        assert nk.verify(model, layout(X), THREE, WEIGHTS)


def test_the_slack_of_a_joint_problem_is_its_loss():
    model = nk.LinearSVM(multi_class="crammer_singer", loss="hinge", C=1.0).fit(X, THREE)
    total = 0.5 * np.sum(model.coef_**2) + model.slack_.sum()
    assert model.slack_.shape == (60,)
    assert total == pytest.approx(model.objective_[0], rel=1e-9)


@pytest.mark.parametrize(
    ("parameters", "y"),
    [
        ({}, TWO),
        ({"multi_class": "ovo"}, THREE),
        ({"multi_class": "ovr"}, THREE),
        ({"multi_class": "crammer_singer", "loss": "hinge"}, THREE),
    ],
)
def test_a_loaded_model_has_the_same_slacks(parameters, y, tmp_path):
    for model in (nk.LinearSVM(**parameters), nk.LinearSVMCV(Cs=[0.1, 1.0], cv=2, **parameters)):
        model.fit(X, y)
        other = again(model, tmp_path / "model.nvk")
        same = model.slack_ != other.slack_
        assert (same.nnz if sp.issparse(same) else np.count_nonzero(same)) == 0
        assert type(other.slack_) is type(model.slack_)
        assert nk.verify(other, X, y)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "crammer_singer"])
def test_slacks_of_many_rows_are_not_kept(multi_class, tmp_path, monkeypatch):
    for module in ("soft_margin", "_joint", "_slack"):
        monkeypatch.setattr(f"novikoff.svm.{module}.MAX_ROWS", 59)
    model = nk.LinearSVM(multi_class=multi_class, loss="hinge").fit(X, THREE)
    for held in (model, again(model, tmp_path / "model.nvk")):
        with pytest.raises(AttributeError, match=r"kept for at most 59 rows, .* decision_function"):
            _ = held.slack_
        assert nk.verify(held, X, THREE)
    with pytest.raises(AttributeError):
        _ = nk.LinearSVM().slack_


def test_slacks_that_cannot_be_are_refused():
    good = Duals(np.array([0, 3]), np.array([0.5, 0.25]))
    Slack(4, (good,)).check("slack", 1)
    for slack, problems in [
        (Slack(3, (good,)), 1),
        (Slack(4, (good,)), 2),
        (Slack(-1, (good,)), 1),
        (Slack(4, (Duals(np.array([3, 0]), np.array([0.5, 0.25])),)), 1),
        (Slack(4, (Duals(np.array([0, 3]), np.array([0.5, 0.0])),)), 1),
    ]:
        with pytest.raises(nk.InvalidInputError):
            slack.check("slack", problems)
