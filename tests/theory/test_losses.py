"""The losses as functions of the score: their slopes, the choice at the kink, and the perceptron as descent on one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.solvers.losses import LOSSES as SOLVED
from novikoff.theory import losses
from strategies import few, lift, small_integers, ties

EVERY = [losses.perceptron, losses.hinge, losses.squared_hinge]
scores = st.floats(-50, 50)


def test_each_loss_is_in_the_registry_under_its_name():
    assert {name: losses.LOSSES[name] for name in losses.LOSSES} == {loss.name: loss for loss in EVERY}
    assert set(SOLVED) <= set(losses.LOSSES)


def test_the_values_are_those_of_the_definitions():
    m = np.array([-2.0, 0.0, 0.5, 1.0, 3.0])
    np.testing.assert_array_equal(losses.perceptron.value(m), np.maximum(0, -m))
    np.testing.assert_array_equal(losses.hinge.value(m), np.maximum(0, 1 - m))
    np.testing.assert_array_equal(losses.squared_hinge.value(m), np.maximum(0, 1 - m) ** 2)


@pytest.mark.parametrize("loss", EVERY, ids=lambda loss: loss.name)
@pytest.mark.parametrize("tie", ["mistake", "correct", "positive"])
@given(m=scores, other=scores, y=st.sampled_from([-1.0, 1.0]))
def test_the_tangent_with_a_subgradient_is_below_the_loss_everywhere(loss, tie, m, other, y):
    for at in (m, loss.kink):
        slope = loss.subgradient(at, tie=tie, y=y)
        low, high = loss.subdifferential(at)
        assert low <= slope <= high <= 0
        assert loss.value(other) >= loss.value(at) + slope * (other - at) - 1e-9


@pytest.mark.parametrize("loss", EVERY, ids=lambda loss: loss.name)
def test_the_choice_at_the_kink_is_the_slope_on_its_side(loss):
    left, right = loss.subgradient([np.nextafter(loss.kink, -9), np.nextafter(loss.kink, 9)])
    at = [loss.kink, loss.kink]
    assert loss.subgradient(at, tie="mistake").tolist() == pytest.approx([left, left])
    assert loss.subgradient(at, tie="correct").tolist() == [right, right] == [0.0, 0.0]
    assert loss.subgradient(at, tie="positive", y=[1, -1]).tolist() == pytest.approx([right, left])


@pytest.mark.parametrize("name", list(SOLVED))
@given(m=scores)
def test_the_solver_has_the_same_slope(name, m):
    if SOLVED[name].ridge > 0:
        assert SOLVED[name].derivative(np.array([1 - m]))[0] == pytest.approx(-losses.LOSSES[name].subgradient(m))
    assert losses.LOSSES[name].subgradient(-1e300) >= -SOLVED[name].top


@pytest.mark.parametrize("name", list(SOLVED))
@given(positive=st.floats(0.1, 10), negative=st.floats(0.1, 10))
def test_the_best_constant_has_a_subgradient_of_0(name, positive, negative):
    loss, (b, total) = losses.LOSSES[name], SOLVED[name].best_constant(positive, negative)
    assert positive * loss.value(b) + negative * loss.value(-b) == pytest.approx(total)
    slopes = [
        positive * loss.subdifferential(b)[side] - negative * loss.subdifferential(-b)[1 - side] for side in (0, 1)
    ]
    assert slopes[0] <= 1e-9
    assert slopes[1] >= -1e-9


@pytest.mark.parametrize("tie", ["mistake", "positive"])
@given(data=ties(), passes=st.integers(1, 4))
@few
def test_a6_the_perceptron_is_subgradient_descent_with_rate_1_ties_included(tie, data, passes):
    X, y = data[0], np.asarray(data[1])
    if len(np.unique(y)) < 2:
        return
    signs = np.where(y == np.unique(y)[-1], 1.0, -1.0)
    U = lift(X, True)
    path = losses.subgradient_descent(losses.perceptron, np.tile(U, (passes, 1)), np.tile(signs, passes), tie=tie)
    learner = nk.Perceptron(tie=tie, shuffle=False, max_iter=passes, n_iter_no_change=None)
    steps = nk.trace(learner, X, y)
    moved = np.any(np.diff(path, axis=0, prepend=np.zeros((1, U.shape[1]))) != 0, axis=1)
    np.testing.assert_array_equal(path[moved], steps.v)
    np.testing.assert_array_equal(np.flatnonzero(moved) % len(X), steps.example)


@given(rows=st.lists(st.tuples(small_integers, small_integers), min_size=1, max_size=8))
def test_descent_on_the_hinge_updates_within_the_margin(rows):
    U, y = np.array(rows, dtype=float), np.where(np.arange(len(rows)) % 2, 1.0, -1.0)
    path, v = losses.subgradient_descent(losses.hinge, U, y, rate=0.5), np.zeros(2)
    for u, sign, found in zip(U, y, path, strict=True):
        v = v + 0.5 * sign * u if sign * (u @ v) <= 1 else v
        np.testing.assert_array_equal(found, v)


def test_labels_are_needed_where_the_choice_depends_on_them():
    with pytest.raises(nk.InvalidInputError, match="Pass them as y"):
        losses.hinge.subgradient(1.0, tie="positive")
    with pytest.raises(nk.InvalidInputError, match='tie must be "mistake", "correct" or "positive"'):
        losses.hinge.subgradient(1.0, tie="left")


def test_descent_moves_by_the_rate_times_the_slope():
    """From v = 0 with slopes -2 and -3: v = 0.25 * 2 * 2 = 1, then 1 - 0.25 * 3 * 0.5, then there is no loss."""
    path = losses.subgradient_descent(losses.squared_hinge, [[2.0], [0.5], [9.0]], [1, -1, 1], rate=0.25)
    assert path.ravel().tolist() == [1.0, 0.625, 0.625]
    path = losses.subgradient_descent(losses.squared_hinge, [[2.0, 1.0]], [-1])
    assert path.tolist() == [[-4.0, -2.0]]
    with pytest.raises(ValueError, match="zip"):
        losses.subgradient_descent(losses.hinge, [[1.0], [2.0]], [1])


@pytest.mark.parametrize("loss", EVERY, ids=lambda loss: loss.name)
def test_a_slope_of_0_has_no_sign(loss):
    for slope in loss.subdifferential([loss.kink + 1, 50.0]):
        assert slope.tolist() == [0.0, 0.0]
        assert not np.signbit(slope).any()


def test_slopes_are_those_of_the_definitions():
    m = np.array([-2.0, 0.5, 3.0])
    for side in (0, 1):
        assert losses.perceptron.subdifferential(m)[side].tolist() == [-1.0, 0.0, 0.0]
        assert losses.hinge.subdifferential(m)[side].tolist() == [-1.0, -1.0, 0.0]
        assert losses.squared_hinge.subdifferential(m)[side].tolist() == [-6.0, -1.0, 0.0]
