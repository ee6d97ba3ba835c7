"""Quick enclosures of margins and distances of hulls, compared with fractions and with accurate ones."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.theory import enclosed_sums, geometry, quick_hulls
from novikoff.theory.enclosed_sums import Rows
from novikoff.theory.hull_bounds import SMALL_WORK, HullSolution, measure
from novikoff.theory.quick_hulls import measurements, quick_measure
from reference.hull_bounds import truth


@pytest.fixture(autouse=True)
def small_data_are_measured_quickly(monkeypatch):
    monkeypatch.setattr(quick_hulls, "MIN_QUICK_ENTRIES", 0)


def ordinary(seed, layout=np.asarray, intercept="free"):
    """A plane, duals and rows of ordinary magnitudes; some rows do not count, and some duals are 0."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 12)), int(rng.integers(1, 5))
    signs = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    counted = rng.random(n) < 0.8
    counted[:2] = True
    duals = np.where(counted & (rng.random(n) < 0.7), rng.random(n), 0.0)
    duals[:2] = 0.5
    X, bias = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4), 0.0 if intercept == "none" else rng.normal()
    return HullSolution(layout(X), signs, counted, rng.normal(size=d), float(bias), duals, intercept)


def as_dense(solution):
    X = solution.X.toarray() if sp.issparse(solution.X) else np.asarray(solution.X, dtype=np.float64)
    return HullSolution(X, *list(vars(solution).values())[1:])


def bounds(found):
    return found.smallest, found.squared_distance


def numbers(found):
    return found.smallest, found.squared_norm, found.squared_radius, found.squared_distance


@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array, np.float32])
@pytest.mark.parametrize("seed", range(15))
def test_quick_enclosures_contain_the_true_values_and_are_narrow(seed, layout, intercept):
    solution = ordinary(seed, layout, intercept)
    found = quick_measure(Rows(solution.X), solution).measurement(solution)
    for one, true in zip(numbers(found), truth(as_dense(solution)), strict=True):
        assert one.low <= true <= one.high
        assert float(one.width) <= 1e-12 * (1 + abs(float(true))) * (1 + float(found.squared_radius.high))


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_measurements_end_with_one_without_rounding_if_values_are_few(layout):
    solution = ordinary(1, layout)
    found = list(measurements(Rows(solution.X), solution, SMALL_WORK))
    assert len(found) == 3
    assert all(quick.width >= accurate.width for quick, accurate in zip(*map(bounds, found[:2]), strict=True))
    assert [float(one.width) for one in numbers(found[-1])] == [0.0] * 4
    assert len(list(measurements(Rows(solution.X), solution, 0))) == 2


def test_the_same_rows_are_named_as_by_the_accurate_way():
    solution = ordinary(2)
    quick, accurate = quick_measure(Rows(solution.X), solution), measure(Rows(solution.X), solution)
    assert quick.nearest.tolist() == accurate.nearest.tolist()
    assert quick.longest.tolist() == accurate.longest.tolist()


def test_stated_bounds_are_outside_of_the_accurate_ones():
    X, signs = np.array([[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    solution = HullSolution(X, signs, np.ones(4, bool), np.array([1.0, 0.0]), -2.0, np.array([0, 1.0, 1.0, 0]), "free")
    stated, accurate = quick_measure(Rows(X), solution).stated(), measure(Rows(X), solution)
    assert 0 < stated.lower <= accurate.margin.low
    assert stated.upper >= accurate.squared_distance.root().high
    assert stated.radius == pytest.approx(4.0)


def test_a_plane_that_does_not_separate_has_no_stated_bounds():
    solution = ordinary(3)
    assert quick_measure(Rows(solution.X), solution).smallest.low < 0
    assert quick_measure(Rows(solution.X), solution).stated() is None


@pytest.mark.parametrize("factor", [1e-40, 1e40, 1e300])
@pytest.mark.parametrize("place", [0, 3, 5])
def test_numbers_of_other_magnitudes_are_left_to_the_accurate_way(factor, place):
    parts = list(vars(ordinary(4)).values())
    parts[place] = parts[place] * factor
    assert quick_measure(Rows(parts[0]), HullSolution(*parts)) is None


def test_without_duals_of_both_classes_there_is_no_quick_bound():
    parts = list(vars(ordinary(5)).values())
    parts[5] = np.where(parts[1] > 0, parts[5], 0.0)
    assert quick_measure(Rows(parts[0]), HullSolution(*parts)) is None


def test_few_values_are_measured_accurately_at_once(monkeypatch):
    monkeypatch.undo()
    solution = ordinary(6)
    assert quick_measure(Rows(solution.X), solution) is None


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_rows_have_their_numbers_in_all_blocks(layout, monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", 6)
    monkeypatch.setattr(enclosed_sums, "CACHED_ENTRIES", 6)
    for seed in range(5):
        solution = ordinary(seed, layout)
        quick, accurate = quick_measure(Rows(solution.X), solution), measure(Rows(solution.X), solution)
        assert quick.nearest.tolist() == accurate.nearest.tolist()
        assert quick.longest.tolist() == accurate.longest.tolist()


@pytest.mark.parametrize("factor", [0.01, 1.0, 100.0])
def test_stated_bounds_do_not_depend_on_the_length_of_the_weights(factor):
    X, signs = 0.01 * np.array([[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    plane, duals = factor * np.array([1.0, 0.0]), np.array([0, 1.0, 1.0, 0])
    solution = HullSolution(X, signs, np.ones(4, bool), plane, -0.02 * factor, duals, "free")
    stated = quick_measure(Rows(X), solution).stated()
    assert stated.lower == pytest.approx(0.01)
    assert stated.upper == pytest.approx(0.01 * np.sqrt(2))


@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_rows_of_zeros_have_a_distance_of_0(intercept):
    signs = np.array([1.0, -1.0])
    solution = HullSolution(np.zeros((2, 1)), signs, np.ones(2, bool), np.ones(1), 0.5, np.ones(2), intercept)
    found = quick_measure(Rows(solution.X), solution)
    for one, true in zip(numbers(found.measurement(solution)), truth(solution), strict=True):
        assert one.low <= true <= one.high
