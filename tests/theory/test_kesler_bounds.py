"""Several classes online, docs/theory.md J5 to J7 and L5. Each test names the statement it could refute."""

import numpy as np
import pytest

from novikoff.theory import kesler_bounds as bounds
from novikoff.theory import second_order_bounds
from reference.kesler import kesler, multiclass, multiclass_arow
from reference.passive_aggressive import step
from streams import SLACK, few_and_many, rows_of

CLASSES = 4


def problems(count, seed, rows_each=40):
    """Rows, classes and a comparator: separable, noisy, in the order of the classes, and an adversary."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        X, u = rows_of(rng, rows_each, 3), rng.normal(size=(CLASSES, 3))
        codes = np.argmax(X @ u.T, axis=1)
        if k % 4 == 1:
            codes = np.where(rng.random(rows_each) < 0.2, rng.integers(CLASSES, size=rows_each), codes)
        if k % 4 == 2:
            order = np.argsort(codes, kind="stable")
            X, codes = X[order], codes[order]
        yield X, (lambda scores: int(np.argmin(scores))) if k % 4 == 3 else codes, u


def loss_of(x, own, u):
    leads = u[own] @ x - np.delete(u, own, axis=0) @ x
    return max(0.0, 1.0 - leads.min())


def test_J5_a_lead_is_a_score_of_kesler_vectors_and_they_are_longer_by_the_root_of_2():
    rng = np.random.default_rng(41)
    w, x = rng.normal(size=(CLASSES, 3)), rng.normal(size=3)
    z = kesler(x, 2, 0, CLASSES)
    assert w.ravel() @ z == pytest.approx(w[2] @ x - w[0] @ x)
    assert z @ z == pytest.approx(2 * x @ x)


def test_J6_the_bounds_are_the_solutions_of_their_inequalities():
    assert bounds.multiclass_perceptron(3.0, 0.5) == 72.0
    for radius, length, loss in ((3.0, 0.5, 7.0), (0.25, 5.0, 0.5), (2.0, 0.0, 11.0), (1.0, 3.0, 0.0)):
        most = bounds.multiclass_perceptron_loss(radius, length, loss)
        assert most == pytest.approx(loss + length * radius * np.sqrt(2 * most))


def test_J7_the_bounds_are_the_products_of_their_theorems():
    """Both sides of the maximum of PA-I: 2 R^2 = 18 against 1/C of 4 and of 50."""
    assert bounds.passive_aggressive_I(3.0, 5.0, 7.0, 0.25) == 18 * (25 + 0.5 * 7)
    assert bounds.passive_aggressive_I(3.0, 5.0, 7.0, 1 / 64) == 64 * (25 + 7 / 32)
    assert bounds.passive_aggressive_II(3.0, 5.0, 7.0, 0.25) == (18 + 2) * (25 + 0.5 * 7)


@few_and_many(60, 25_000)
def test_J6_mistakes_of_the_multiclass_perceptron_stay_below_the_bounds(count, rows_each):
    for X, codes, u in problems(count, 42, rows_each):
        wrong, updates, w = multiclass(X, codes, CLASSES, lambda loss, square: 1.0)
        radius = np.linalg.norm(X, axis=1).max()
        for scale in (0.0, 0.1, 1.0, 10.0):
            loss = sum(loss_of(X[t], own, scale * u) for t, own, size in updates if size)
            length = scale * np.linalg.norm(u)
            assert wrong.sum() <= (loss + length * np.linalg.norm(w)) * SLACK
            assert wrong.sum() <= bounds.multiclass_perceptron_loss(radius, length, loss) * SLACK
        assert np.linalg.norm(w) <= radius * np.sqrt(2 * wrong.sum()) * SLACK
        assert np.allclose(w.sum(axis=0), 0)
        if not callable(codes):
            leads = [(u[c] - np.delete(u, c, axis=0)) @ x for x, c in zip(X, codes, strict=True)]
            margin = float(np.min(leads)) / np.linalg.norm(u)
            assert wrong.sum() <= bounds.multiclass_perceptron(radius, margin) * SLACK


def test_J6_a_class_that_occurs_for_the_first_time_never_leads():
    """The scores of the known classes add up to 0, so that the largest is not below the 0 of a new class."""
    for X, codes, _ in problems(12, 43):
        if not callable(codes):
            first = {c: int(np.flatnonzero(codes == c)[0]) for c in set(codes.tolist())}
            for c, t in first.items():
                if t:
                    _, _, w = multiclass(X[:t], codes[:t], CLASSES, lambda loss, square: 1.0)
                    known = sorted(set(codes[:t].tolist()))
                    assert (w[known] @ X[t]).max() >= -1e-9 * np.abs(w @ X[t]).max()
                    assert not w[c].any()


@few_and_many(24, 25_000)
@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
def test_J7_mistakes_of_both_passive_aggressive_rules_stay_below_their_bounds(C, count, rows_each):
    for X, codes, u in problems(count, 44, rows_each):
        radius = np.linalg.norm(X, axis=1).max()
        for variant in ("PA-I", "PA-II"):
            wrong, updates, _ = multiclass(X, codes, CLASSES, lambda loss, z, v=variant: step(v, loss, z, C), 1.0)
            for scale in (0.0, 0.1, 1.0, 10.0):
                losses = np.array([loss_of(X[t], own, scale * u) for t, own, size in updates if size])
                length = scale * np.linalg.norm(u)
                if variant == "PA-I":
                    limit = bounds.passive_aggressive_I(radius, length, losses.sum(), C)
                else:
                    limit = bounds.passive_aggressive_II(radius, length, losses @ losses, C)
                zero = sum(not X[t].any() for t, _, _ in updates)  # such an example changes nothing
                assert wrong.sum() - zero <= limit * SLACK


@few_and_many(24, 12_000)
@pytest.mark.parametrize(("r", "floor"), [(0.1, 0.0), (1.0, 0.0), (1.0, 0.25)])
def test_L5_updates_of_multiclass_arow_stay_below_the_bound(r, floor, count, rows_each):
    for X, codes, u in problems(count, 45, rows_each):
        updates, Z, _, s = multiclass_arow(X, codes, CLASSES, r, floor)
        v = Z.sum(axis=0)
        for scale in (0.0, 0.01, 0.1, 1.0, 10.0):
            plane = scale * u.ravel()
            loss = float(np.maximum(0.0, 1 - Z @ plane).sum())
            product = float(plane @ (plane / s.ravel())), float(v @ (s.ravel() * v))
            assert len(updates) <= second_order_bounds.updates_bound(loss, *product) * SLACK
        assert loss <= sum(loss_of(X[t], own, scale * u) for t, own, _ in updates) * SLACK + 1e-12


def test_L5_the_bound_of_arow_does_not_hold_for_the_diagonal():
    """Two classes that differ by (1, -1) only, and a large common part that alternates, as for L3."""
    common = 30.0 * np.where(np.arange(400) % 2, 1.0, -1.0)
    X, codes = np.column_stack([common + 0.5, common - 0.5]), np.arange(400) % 2
    X[codes == 0] *= -1
    updates, Z, *_ = multiclass_arow(X, codes, 2, 0.1)
    sums = second_order_bounds.sums_of(Z, np.ones(len(Z)), 0.5 * np.array([-1.0, 1.0, 1.0, -1.0]), 0.1)
    wrong = sum(mistake for *_, mistake in updates)
    assert sums.loss == 0
    assert wrong > second_order_bounds.arow(sums.loss, sums.comparator, sums.log_det, len(updates) - wrong)
    assert wrong <= len(updates) <= second_order_bounds.updates_bound(sums.loss, sums.comparator, sums.model)
