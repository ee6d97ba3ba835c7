"""The largest margin by soft margins, where the working set gives up."""

import numpy as np
import pytest

import novikoff as nk
from binary_problems import training_set
from machines import INTERCEPTS, fit_and_listen
from novikoff.solvers.solver import SolverOptions
from novikoff.svm import _largest_margin
from novikoff.svm._largest_margin import HardMarginProblem, largest_margin
from share import share_of
from strategies import make_separable
from tiny_problems import tiny_set

OPTIONS = SolverOptions(10_000, 1, 0, keep_margins=True)


@pytest.fixture
def without_working_set(monkeypatch):
    monkeypatch.setattr(_largest_margin, "nearest_points", lambda *_: (None, 0))


@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_soft_margins_find_the_same_margin_as_the_working_set(intercept, monkeypatch):
    data = make_separable(np.random.default_rng(0), 80, 4, 0.1, intercept=intercept != "none")
    problem = HardMarginProblem(training_set(data.X, data.y), 1, intercept, 1e-6)
    expected = largest_margin("test", problem, OPTIONS).certificate
    monkeypatch.setattr(_largest_margin, "nearest_points", lambda *_: (None, 0))
    found = largest_margin("test", problem, OPTIONS).certificate
    assert found.converged
    assert found.margin_lower_bound == pytest.approx(expected.margin_lower_bound, rel=3e-6)
    assert found.verify(data.X, data.y)


def test_overlap_is_proven_by_soft_margins(without_working_set):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    with pytest.raises(nk.NotSeparableError, match="test: no hyperplane separates class 1") as caught:
        largest_margin("test", HardMarginProblem(training_set(X, y), 1, "free", 1e-6), OPTIONS)
    a = caught.value.witness.dense(60)
    assert np.linalg.norm((a * np.where(y == 1, 1, -1)) @ X) < 1e-6


def test_the_dual_variables_make_the_weights(without_working_set):
    data = make_separable(np.random.default_rng(2), 50, 3, 0.3, intercept=True)
    separator = largest_margin("test", HardMarginProblem(training_set(data.X, data.y), 1, "free", 1e-9), OPTIONS)
    weights = (separator.certificate.scaled_duals().dense(50) * data.y) @ data.X
    np.testing.assert_allclose(separator.certificate.model.weights, weights, rtol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("span", [3, 12, 120])
@pytest.mark.parametrize("count", [60, pytest.param(60 + share_of(440), marks=pytest.mark.slow)])
def test_separable_sets_are_separated_or_a_warning_tells_the_gap_whatever_the_scales_of_columns(span, count):
    rng = np.random.default_rng(span)
    for _ in range(count):
        X, y = tiny_set(rng, span)
        intercept = list(INTERCEPTS)[rng.integers(3)]
        verdict = nk.separability(X, y, fit_intercept=intercept != "none")
        model = nk.HardMarginSVM(**INTERCEPTS[intercept])
        if verdict.kind != "complete":
            with pytest.raises(nk.NotSeparableError):
                model.fit(X, y)
            continue
        messages = fit_and_listen(model, X, y)
        certificate = model.certificate_
        assert certificate.converged or any("farther apart than tol" in message for message in messages)
        verification = certificate.verify(X, y, exact=True)  # scores in floats may round a margin of 1e-16 away
        assert verification, str(verification)
