"""The nearest points of convex hulls in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

import novikoff as nk
from novikoff.solvers import exact_hulls
from novikoff.solvers.exact_hulls import IntegerHulls
from novikoff.theory import exact
from reference import hard_margin
from share import share_of
from strategies import make_separable
from tiny_problems import tiny_set

INTERCEPTS = ("free", "penalized", "none")


def signs_of(y):
    return np.where(np.asarray(y) == 1, 1.0, -1.0)


def exact_margins(plane, X, signs):
    """y (w.x + b) of all rows, without rounding."""
    w, b = [Fraction(entry) for entry in plane.weights.tolist()], Fraction(plane.bias)
    rows = [[Fraction(entry) for entry in row] for row in X.tolist()]
    return [int(y) * (sum(a * c for a, c in zip(w, row, strict=True)) + b) for row, y in zip(rows, signs, strict=True)]


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("seed", range(5))
def test_the_margin_is_that_of_a_quadratic_program(intercept, seed):
    data = make_separable(np.random.default_rng(seed), 30, 3, 0.2, intercept=intercept != "none")
    hulls = IntegerHulls(data.X, data.y, intercept)
    plane = hulls.rounded_plane(hulls.shortest_vector(0.0).direction)
    found = hard_margin.margin_of(plane.weights, plane.bias, data.X, data.y, intercept)
    assert found == pytest.approx(hard_margin.margin(data.X, data.y, intercept), rel=1e-9)
    assert plane.margins.min() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_the_duals_make_the_direction(intercept):
    data = make_separable(np.random.default_rng(1), 30, 3, 0.2, intercept=intercept != "none")
    hulls = IntegerHulls(data.X, data.y, intercept)
    found = hulls.shortest_vector(0.0)
    u = np.column_stack([data.X, np.ones(30)]) if intercept == "penalized" else data.X
    combined = (found.duals * data.y) @ u
    direction = np.array([entry / max(map(abs, found.direction)) for entry in found.direction])
    np.testing.assert_allclose(combined / np.abs(combined).max(), direction, atol=1e-12)
    if intercept == "free":
        assert found.duals @ data.y == pytest.approx(0.0, abs=1e-15)


def test_scales_of_columns_are_no_obstacle():
    X = np.array([[1e12, 1.0], [1e12, -1.0], [-1e12, 1.0], [-1e12, -1.0], [3e12, 1e-12], [2e12, -1e-12]])
    signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    hulls = IntegerHulls(X, signs, "free")
    plane = hulls.rounded_plane(hulls.shortest_vector(0.0).direction)
    assert min(exact_margins(plane, X, signs)) > 0


def test_hulls_that_meet_have_no_plane():
    hulls = IntegerHulls(np.array([[1.0], [3.0], [2.0]]), np.array([1.0, 1.0, -1.0]), "free")
    found = hulls.shortest_vector(0.0)
    assert not any(found.direction)
    assert hulls.rounded_plane(found.direction) is None
    assert hulls.plane_of(np.array([1.0])) is None


@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_weights_that_do_not_fit_into_floats_are_no_plane(intercept):
    X, signs = np.array([[5e-324], [-5e-324]]), np.array([1.0, -1.0])
    hulls = IntegerHulls(X, signs, intercept)
    assert hulls.rounded_plane(hulls.shortest_vector(0.0).direction) is None


def test_many_steps_end_the_search(monkeypatch):
    monkeypatch.setattr(exact_hulls, "MIN_STEPS", 2)
    monkeypatch.setattr(exact_hulls, "MAX_STEPS_PER_COLUMN", 0)
    data = make_separable(np.random.default_rng(1), 30, 3, 0.2, intercept=True)
    assert IntegerHulls(data.X, data.y, "free").shortest_vector(0.0).steps == 2


@pytest.mark.slow
@pytest.mark.parametrize("span", [3, 12, 120])
@pytest.mark.parametrize("count", [60, pytest.param(60 + share_of(440), marks=pytest.mark.slow)])
def test_every_separable_set_has_a_plane_in_floats(span, count):
    rng = np.random.default_rng(span)
    for _ in range(count):
        X, y = tiny_set(rng, span)
        intercept = INTERCEPTS[rng.integers(3)]
        verdict = nk.separability(X, y, fit_intercept=intercept != "none")
        signs = signs_of(y)
        hulls = IntegerHulls(X, signs, intercept)
        found = hulls.shortest_vector(1e-8)
        assert any(found.direction) or verdict.kind != "complete"
        plane = hulls.rounded_plane(found.direction)
        if plane is not None:
            assert verdict.kind == "complete"
            assert min(exact_margins(plane, X, signs)) > 0
        elif verdict.kind == "complete":  # another plane may fit into floats
            v = np.append(verdict.coef, [verdict.intercept] if intercept != "none" else [])
            fits = exact.Examples(X, signs, intercept != "none").sides(exact.to_integers(v)[0])
            assert hulls.plane_of(v) is not None or np.any(fits <= 0)
