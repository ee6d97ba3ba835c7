"""What certificates with a sum of examples share."""

import math

import numpy as np
import pytest

import novikoff as nk

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
LEARNERS = [nk.AROW(), nk.AROW(full=True), nk.SecondOrderPerceptron(), nk.SecondOrderPerceptron(full=True)]
X, Y = np.array([[1.0, 2.0], [-1.0, 0.5], [2.0, -1.0], [0.5, -2.0]]), [1, 0, 1, 0]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_bound_by_a_margin_is_the_length_of_the_sum_divided_by_it(learner):
    certificate = learner.fit(X, Y).certificate_
    assert certificate.mistakes <= certificate.added
    length = np.linalg.norm(np.append(certificate.sum.weights, certificate.sum.intercept))
    assert certificate.bound(0.5) == pytest.approx(2 * length)
    assert certificate.bound(0.0) == math.inf


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_loss_of_a_plane_needs_the_number_of_passes(learner):
    model = learner.fit(X, Y)
    model.partial_fit(X, Y)
    with pytest.raises(nk.InvalidInputError, match="several fits"):
        model.certificate_.comparator_bound(X, Y, [1.0, 0.0])


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_plane_without_loss_bounds_the_updates_by_the_product_alone(learner):
    certificate = learner.fit(X, Y).certificate_
    plane = np.array([10.0, 1.0])  # scores of 12, -9.5, 19 and 3, of which the last has a loss of 4
    assert certificate.comparator_bound(X, Y, plane) == pytest.approx(
        4 * certificate.passes + certificate._product(plane, 0)
    )
    assert certificate.support(X, Y).rows is None or len(certificate.support(X, Y).rows) == 0
