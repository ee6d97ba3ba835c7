"""Examples that are scaled while they come, docs/theory.md S. Each test names the statement it could refute."""

import numpy as np

from novikoff.theory import bounds
from novikoff.theory import scaled_bounds as scaled
from reference.perceptrons import perceptron
from reference.running_scale import divided, seen
from streams import SLACK, contradict, few_and_many, rows_of


def contradicted(U):
    """Labels that contradict every score of a perceptron."""
    v, y = np.zeros(U.shape[1]), []
    for u in U:
        y.append(contradict(v @ u))
        v = v + y[-1] * u
    return np.array(y)


def cases(count, seed, rows_each=40):
    """Rows with labels of a plane in the given scale, random ones, and an adversary that knows the scaled rows."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        X = rows_of(rng, rows_each, 3) + rng.normal(size=3)
        plane = np.where(X @ rng.normal(size=3) >= 0, 1.0, -1.0)
        yield rng, X, (plane, rng.choice([-1.0, 1.0], size=rows_each), None)[k % 3]


@few_and_many(45, 10_000)
def test_S1_bounds_hold_for_the_examples_as_they_were_seen(count, rows_each):
    for rng, X, given in cases(count, 71, rows_each):
        normalized = X / np.linalg.norm(X, axis=1, keepdims=True).clip(1e-300)
        for U in (
            np.column_stack([seen(X), np.ones(len(X))]),
            np.column_stack([divided(X), np.ones(len(X))]),
            normalized,
        ):
            y = contradicted(U) if given is None else given
            path, mistakes = perceptron(U, y)
            rows = np.flatnonzero(np.any(np.diff(path, axis=0) != 0, axis=1) | (np.linalg.norm(U, axis=1) == 0))
            radius = np.linalg.norm(U, axis=1).max()
            u = rng.normal(size=U.shape[1])
            assert mistakes <= bounds.freund_schapire(radius, y * (U @ u) / np.linalg.norm(u)) * SLACK
            loss = np.maximum(0.0, 1.0 - y[rows] * (U[rows] @ u)).sum()
            assert mistakes <= (loss + np.linalg.norm(u) * np.linalg.norm(path[-1])) * SLACK


def test_S2_the_margin_of_the_rows_standardised_afterwards_bounds_nothing():
    """Rows of one class differ little, and alternate around their mean; later the other class makes them all alike."""
    X = np.concatenate([1 + 0.001 * (-2.0) ** np.arange(6), np.full(6, -1.0)])[:, None]
    y = np.repeat([1.0, -1.0], 6)
    afterwards = (X - X.mean(axis=0)) / X.std(axis=0)
    margin, radius = (y * afterwards[:, 0]).min(), np.abs(afterwards).max()
    mistakes = perceptron(seen(X), y)[1]
    assert mistakes >= 5 > 2 * bounds.novikoff(radius, margin) > 0


def test_S2_a_plane_of_the_seen_rows_is_a_moving_plane_of_the_given_ones():
    for rng, X, _ in cases(6, 72):
        u, b = rng.normal(size=3), rng.normal()
        for t in range(3, len(X)):
            mean, deviation = X[: t + 1].mean(axis=0), X[: t + 1].std(axis=0)
            if (deviation > 0).all():
                moved = u / deviation
                score = moved @ X[t] + b - moved @ mean
                assert np.isclose(u @ seen(X[: t + 1])[-1] + b, score, rtol=1e-6, atol=1e-6)


@few_and_many(20, 90_000)
def test_S3_no_row_is_longer_than_samuelsons_bound(count, rows_each):
    for _, X, _ in cases(count, 73, rows_each):
        for t, row in enumerate(seen(X), start=1):
            assert np.linalg.norm(row) <= scaled.running_scale_radius(t, 3) * SLACK


def test_S3_is_attained_by_a_value_after_many_equal_ones():
    X = np.append(np.zeros(9), 5.0)[:, None]
    assert np.isclose(seen(X)[-1, 0], scaled.running_scale_radius(10, 1))
    assert scaled.running_scale_radius(1, 7, intercept=True) == 1.0


def test_S4_no_value_exceeds_the_root_of_the_number_of_values_and_it_is_attained():
    for _, X, _ in cases(20, 74):
        met = np.cumsum(X != 0, axis=0)
        assert np.all(np.abs(divided(X)) <= np.sqrt(met) * SLACK)
    grown = np.append(np.full(9, 1e-100), 1.0)[:, None]
    assert np.isclose(divided(grown)[-1, 0], np.sqrt(10))


def test_S4_indicators_remain_and_other_units_change_nothing():
    for rng, X, _ in cases(6, 75):
        assert np.array_equal(divided((X > 0).astype(float)), (X > 0).astype(float))
        units = 2.0 ** rng.integers(-9, 9, 3)
        assert np.array_equal(divided(X * units), divided(X))
