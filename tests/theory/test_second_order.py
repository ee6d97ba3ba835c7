"""Certificates of second-order learners: what they prove of every plane, and forgeries."""

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory import SecondOrderCertificate
from novikoff.theory.enclosed_sums import Enclosed
from novikoff.theory.enclosure import Enclosure
from novikoff.theory.second_order import comparator_square, enclosed_square
from share import share_of

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
LEARNERS = {
    "AROW": lambda: nk.AROW(),
    "AROW, floor": lambda: nk.AROW(r=0.1, floor=0.2),
    "SCW-I": lambda: nk.SoftConfidenceWeighted(),
    "SCW-II": lambda: nk.SoftConfidenceWeighted(variant="II"),
    "adaptive": lambda: nk.NormalizedAdaptive(),
    "adaptive, hinge": lambda: nk.NormalizedAdaptive(loss="hinge"),
}


def noisy(seed, rows=60, columns=3, scale=1.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)) * scale
    y = np.where(X @ random.normal(size=columns) + random.normal(size=rows) * random.uniform(0, 2) * scale > 0, 1, -1)
    y[:2] = 1, -1
    return X, y


def hinge_loss(X, y, u, b, counts):
    return float(counts @ np.maximum(0.0, 1 - y * (X @ u + b)))


@pytest.mark.parametrize("name", LEARNERS)
def test_no_plane_has_a_smaller_loss_than_is_proven(name):
    for seed in range(5):
        X, y = noisy(seed)
        model = LEARNERS[name]().set_params(max_iter=2, shuffle=False).fit(X, y)
        certificate = model.certificate_
        counts, random = certificate.sum.duals.dense(len(y)), np.random.default_rng(seed)
        assert math.isclose(counts.sum(), certificate.added)
        assert certificate.mistakes <= certificate.added
        directions = [random.normal(size=4) * 10.0 ** random.uniform(-2, 1) for _ in range(40)]
        solved = np.append(certificate.sum.weights, certificate.sum.intercept)
        for u in [*directions, *(t * solved for t in (1e-3, 1e-2, 0.1))]:
            loss = hinge_loss(X, y, u[:-1], u[-1], counts)
            assert certificate.hinge_loss_bound(u[:-1], u[-1]) <= loss + 1e-9
            assert certificate.mistakes <= certificate.comparator_bound(X, y, u[:-1], u[-1]) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_random_and_adversarial_streams_refute_no_bound(name):
    for seed in range(share_of(100_000) // len(LEARNERS)):
        random = np.random.default_rng(seed)
        X, y = noisy(seed, rows=12, columns=2, scale=10.0 ** random.integers(-3, 4))
        model, counts = LEARNERS[name](), np.zeros(12)
        for i, x in enumerate(X):
            if seed % 2 and i > 1:  # the label that the learner does not expect
                y[i] = -1 if model.score_one(x) > 0 else 1
            before = model._learner.tally(0)["steps"] if i else 0.0
            model.partial_fit(x[None], y[i : i + 1], classes=[-1, 1])
            counts[i] = model._learner.tally(0)["steps"] - before
        certificate = model.certificate_
        sums = np.append(certificate.sum.weights, certificate.sum.intercept)
        for u in (random.normal(size=3) * 10.0 ** random.uniform(-4, 2), 10.0 ** random.uniform(-8, 0) * sums):
            loss = hinge_loss(X, y, u[:-1], u[-1], counts)
            assert certificate.hinge_loss_bound(u[:-1], u[-1]) <= loss * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("name", LEARNERS)
def test_the_bound_by_a_margin_holds_for_separable_rows(name):
    X, y = noisy(1)
    plane = np.array([1.0, -2.0, 0.5])
    y = np.where(X @ plane > 0, 1, -1)
    X = X + 0.3 * y[:, None] * plane / np.linalg.norm(plane)
    margin = np.min(y * (X @ plane)) / np.linalg.norm(plane)
    certificate = LEARNERS[name]().partial_fit(X, y).certificate_
    assert certificate.mistakes <= certificate.added <= certificate.bound(margin)
    assert certificate.bound(0.0) == math.inf


def test_a_plane_of_another_length_is_refused():
    certificate = nk.AROW().partial_fit([[1.0], [-1.0]], [1, 0]).certificate_
    with pytest.raises(nk.InvalidInputError, match="coef"):
        certificate.hinge_loss_bound([1.0, 2.0])
    assert isinstance(certificate, SecondOrderCertificate)


def test_words_say_what_is_not_claimed():
    certificate = nk.AROW().partial_fit([[1.0], [-1.0], [2.0]], [1, 0, 1]).certificate_
    assert "full matrix" in certificate.explain()
    assert dict(certificate.claims())["sum of examples"].startswith("2 added")


def test_squares_with_the_matrix_and_its_inverse_where_a_variance_of_0_stands_for_1():
    variances = np.array([4.0, 0.0, 1.0, 0.5])
    assert comparator_square(np.array([2.0, 3.0, 5.0, 1.0]), variances) == 1 + 9 + 25 + 2
    for radius in (0.0, 0.25):
        weights = Enclosed(np.array([2.0, -3.0, 1.0, 0.0]), np.full(4, radius), 1)
        found = enclosed_square(SimpleNamespace(weights=weights, intercept=Enclosure.exactly(2)), variances, 0.25, None)
        low = 4 * (4 * (2 - radius) ** 2 + (3 - radius) ** 2 + (1 - radius) ** 2) + 1
        high = 4 * (4 * (2 + radius) ** 2 + (3 + radius) ** 2 + (1 + radius) ** 2 + 0.5 * radius**2) + 1
        assert low * (1 - 1e-14) <= found.low <= low <= high <= found.high <= high * (1 + 1e-14)
    nothing = SimpleNamespace(weights=Enclosed(np.zeros(4), np.zeros(4), 0), intercept=Enclosure.exactly(0))
    assert enclosed_square(nothing, variances, 0.25, None).high == 0


def test_a_matrix_is_positive_and_finite():
    certificate = nk.AROW().partial_fit([[1.0, 2.0], [-1.0, 0.5]], [1, -1]).certificate_
    for changes, valid in (
        ({"variances": np.array([0.0, 0.5]), "intercept_variance": 0.5}, True),
        ({"variances": np.array([5e-324, 1.0]), "intercept_variance": 5e-324}, True),
        ({"variances": np.array([-5e-324, 1.0])}, False),
        ({"variances": np.array([np.inf, 1.0])}, False),
        ({"variances": np.array([1.0])}, False),
        ({"intercept_variance": 0.0}, False),
        ({"intercept_variance": np.inf}, False),
    ):
        assert dataclasses.replace(certificate, **changes)._has_valid_matrix() == valid


def test_the_product_is_that_of_both_norms_and_a_little_above_it():
    """u'Au = 2^2 / 4 + 3^2 / 1 + 1^2 / 0.5 = 12, and v'A^-1 v is 3."""
    certificate = nk.AROW().partial_fit([[1.0, 2.0], [-1.0, 0.5]], [1, -1]).certificate_
    own = {"variances": np.array([4.0, 0.0]), "intercept_variance": 0.5, "sum_square": 3.0}
    product = dataclasses.replace(certificate, **own)._product([2.0, 3.0], 1.0)
    assert 6.0 <= product <= 6.0 * (1 + 64 * 2.0**-52)
