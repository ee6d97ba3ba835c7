import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff as nk
from novikoff.plot import GapDisplay


@pytest.fixture(scope="module")
def model():
    return nk.LinearSVM().fit(*load_breast_cancer(return_X_y=True))


@pytest.mark.parametrize("unit", ["step", "time"])
def test_objective_is_never_below_its_bound_and_they_meet(model, unit):
    display = GapDisplay.from_estimator(model, unit=unit)
    assert np.all(display.primal >= display.dual)
    assert np.all(np.diff(display.gap) <= 1e-12)
    assert display.gap[-1] <= display.tol == model.tol
    assert display.primal[-1] == pytest.approx(model.certificate_.primal)
    assert np.all(np.diff(display.x) >= 0)
    drawn = display.ax_.lines[0].get_ydata(), display.ax_.lines[1].get_ydata()
    assert np.all(drawn[0] >= drawn[1])


def test_given_axes_are_divided(model):
    figure, grid = plt.subplots(1, 2, layout="constrained")
    display = GapDisplay.from_estimator(model, ax=grid[1])
    assert (display.figure_, display.ax_) == (figure, grid[1])
    figure.canvas.draw()
    assert display.ax_.get_position().y0 > display.gap_ax_.get_position().y0
    with pytest.raises(nk.InvalidInputError, match="ax must be part of a grid"):
        display.plot(ax=figure.add_axes((0, 0, 1, 1)))


def test_one_of_several_classes_and_cross_validation():
    X, y = (part[:400] for part in load_digits(return_X_y=True))
    model = nk.LinearSVM(C=0.01, multi_class="ovr").fit(X, y)
    assert GapDisplay.measure(model, class_=3).primal[-1] == pytest.approx(model.objective_[3])
    chosen = nk.LinearSVMCV(Cs=[0.001, 0.01], cv=2).fit(X, y == 3)
    assert GapDisplay.measure(chosen).primal[-1] == pytest.approx(chosen.objective_[0])


def test_learner_without_history_is_refused():
    model = nk.Perceptron().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(
        nk.InvalidInputError, match=r"GapDisplay: the history of a solver is needed, and Perceptron has none"
    ):
        GapDisplay.from_estimator(model)
