"""Rounds that are repeated in NumPy agree with the reference and with the kernels, and know their rounding errors."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from mixed import Mixed
from novikoff.theory import Geometry, Mixing
from novikoff.theory.mixing_replay import replay_mixing
from novikoff.theory.rules import Rule
from reference.mixing import mixing

rng = np.random.default_rng(9)
X = rng.normal(size=(21, 3))
SIGNS = np.where(X @ [1.0, -1.0, 0.5] + 0.3 * rng.normal(size=21) > 0, 1.0, -1.0)
SIZES = np.array([6, 0, 10, 5])
VARIANTS = {
    "perceptron": Rule("perceptron"),
    "PA": Rule("passive-aggressive"),
    "PA-I": Rule("passive-aggressive I", 0.5),
    "PA-II": Rule("passive-aggressive II", 0.5),
}


def described(rounds, shuffle=False, seed=3):
    return Mixing(SIZES, np.zeros((rounds, 4)), "mistake", seed, shuffle, 0.0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_rounds_are_those_of_the_reference(variant):
    U = np.hstack([X, np.ones((21, 1))])
    ends = np.cumsum(SIZES)[:-1]
    parts = list(zip(np.split(U, ends), np.split(SIGNS, ends), strict=True))
    v, counts, average = mixing(parts, 5, variant, C=0.5)
    found = replay_mixing(X, SIGNS, np.ones(21), VARIANTS[variant].implementation(), Geometry(), described(5))
    assert np.array_equal(np.array(found.mistakes, dtype=float), counts)
    assert np.allclose(np.append(found.weights, found.bias), v, rtol=1e-12, atol=1e-13)
    mean = np.append(found.average_weights, found.average_bias) / found.average_examples
    assert np.allclose(mean, average, rtol=1e-12, atol=1e-13)
    assert found.visits == 5 * 21


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
@pytest.mark.parametrize(
    "variant", [nk.Perceptron, nk.AveragedPerceptron, nk.PassiveAggressive, nk.PassiveAggressiveII]
)
@pytest.mark.parametrize("normalize", [False, True])
def test_the_kernels_are_within_the_rounding_errors_of_a_repeated_run(variant, normalize):
    weights = np.random.default_rng(2).choice([0.5, 1.0, 2.25], size=21)
    if variant not in (nk.Perceptron, nk.AveragedPerceptron):  # a second copy has a margin of exactly 1
        weights = np.minimum(weights, 0.75)
    model = Mixed(variant(max_iter=6, normalize=normalize), 3).fit(X * 1e3, SIGNS, weights)
    certificate, rule = model.certificate_, model.record_.problems[0].run.rule
    found = replay_mixing(X * 1e3, SIGNS, weights, rule.implementation(), rule.geometry, certificate.mixing)
    assert found.doubtful is None
    assert [[float(k) for k in own] for own in found.mistakes] == certificate.mixing.mistakes.tolist()
    assert found.updates == certificate.updates
    gap = found.distance(certificate.evidence.weights, certificate.evidence.intercept).root().outer_high()
    assert gap <= found.rounding < 1e-6 * np.linalg.norm(certificate.evidence.weights)
    if rule.keep == "average":
        gap = found.average_distance(model.coef_[0], model.intercept_[0]).root().outer_high()
        assert gap <= found.average_error() < 1e-6 * np.linalg.norm(model.coef_)


def test_sparse_rows_with_columns_that_do_not_occur_are_repeated_in_full_width():
    wide = sp.csr_array((X.ravel(), np.tile([5, 70, 4000], 21), np.arange(0, 64, 3)), shape=(21, 5000))
    rule = Rule("perceptron").implementation()
    one = replay_mixing(X, SIGNS, np.ones(21), rule, Geometry(), described(3, shuffle=True))
    two = replay_mixing(wide, SIGNS, np.ones(21), rule, Geometry(), described(3, shuffle=True))
    assert len(two.weights) == len(two.average_weights) == 5000
    assert np.allclose(np.asarray(two.weights)[[5, 70, 4000]], one.weights)


@pytest.mark.parametrize(("entry", "doubtful"), [(-1.0, 2), (-1.0 - 2**-52, 2), (-0.5, None)])
def test_a_score_near_zero_is_remembered_as_doubtful(entry, doubtful):
    """The third row, of negligible weight, is orthogonal to the mean of the first two, up to a rounding error."""
    rows, signs = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, entry]]), np.array([1.0, 1.0, -1.0])
    described_here = Mixing(np.array([1, 1, 1]), np.zeros((2, 3)), "mistake", 0, False, 0.0)
    rule, geometry = Rule("perceptron").implementation(), Geometry(fit_intercept=False)
    found = replay_mixing(rows, signs, np.array([1.0, 1.0, 1e-9]), rule, geometry, described_here)
    assert found.mistakes[0][:2] == [1, 1]
    assert found.doubtful == doubtful


def test_rows_whose_squares_overflow_have_unit_length_all_the_same():
    geometry = Geometry(normalize=True, fit_intercept=False)
    rule = Rule("perceptron").implementation()
    small = replay_mixing(X, SIGNS, np.ones(21), rule, geometry, described(3))
    large = replay_mixing(X * 2.0**560, SIGNS, np.ones(21), rule, geometry, described(3))
    assert np.allclose(small.weights, large.weights, rtol=1e-13)
    assert small.mistakes == large.mistakes
