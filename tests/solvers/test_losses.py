"""The losses and their conjugates."""

import math

import numpy as np
import pytest

from novikoff.solvers.losses import LOSSES

VALUES = {"hinge": lambda r: np.maximum(0, r), "squared_hinge": lambda r: np.maximum(0, r) ** 2}
every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


@every_loss
def test_a_loss_is_the_maximum_of_its_linear_lower_bounds(loss):
    """l(r) = max over 0 <= alpha <= top of alpha r - ridge/2 alpha^2."""
    alphas = np.linspace(0, min(loss.top, 10.0), 2001)
    for slack in (-2.0, 0.0, 0.25, 1.0, 3.0):
        found = np.max(alphas * slack - 0.5 * loss.ridge * alphas**2)
        assert found == pytest.approx(VALUES[loss.name](slack), abs=1e-5)


@every_loss
@pytest.mark.parametrize(("positive", "negative"), [(3.0, 1.0), (1.0, 3.0), (2.0, 5.5)])
def test_the_best_constant_has_the_least_loss_of_all(loss, positive, negative):
    def total(b):
        return positive * VALUES[loss.name](1 - b) + negative * VALUES[loss.name](1 + b)

    b, value = loss.best_constant(positive, negative)
    assert value == pytest.approx(total(b))
    assert np.all(total(np.linspace(-2, 2, 401)) >= value - 1e-12)


def test_a_smooth_loss_has_the_derivative_of_its_value():
    loss, slack = LOSSES["squared_hinge"], np.array([-1.0, 0.0, 0.5, 2.0])
    np.testing.assert_array_equal(loss.derivative(slack), 2 * np.maximum(0, slack))
    assert loss.top == math.inf
