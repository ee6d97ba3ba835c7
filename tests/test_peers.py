"""Gaps of our peers, shown against the versions that are installed, beside what we do there."""

import numpy as np
import pytest
import sklearn.linear_model as sklearn_linear

import novikoff as nk

pytestmark = pytest.mark.peers


def river_linear():
    return pytest.importorskip("river.linear_model", reason="River is not installed (make peers)")


def passive_aggressive_of_sklearn(C, **parameters):
    return sklearn_linear.SGDClassifier(
        loss="hinge", penalty=None, learning_rate="pa1", eta0=C, shuffle=False, **parameters
    )


# ---- gap 1: the passive-aggressive step with an intercept ------------------------------------------------------------

FIRST = [0.5, 0.5]  # |x|^2 = 1/2, so a step of loss / |x|^2 lands at (|x|^2 + 1) / |x|^2 = 3 and not at 1


def test_gap_1_scikit_learn_overshoots_since_it_leaves_the_intercept_out_of_the_norm():
    peer = passive_aggressive_of_sklearn(C=1e6).partial_fit([FIRST], [1], classes=[0, 1])
    assert peer.intercept_[0] != 0  # the intercept moves
    assert peer.decision_function([FIRST])[0] == pytest.approx(3)


def test_gap_1_river_overshoots_since_it_leaves_the_intercept_out_of_the_norm():
    peer = river_linear().PAClassifier(C=1e6, mode=1)
    x = dict(enumerate(FIRST))
    peer.learn_one(x, True)
    assert peer.intercept != 0
    score = sum(peer.weights[j] * value for j, value in x.items()) + peer.intercept
    assert score == pytest.approx(3)


# ---- gap 3: weights -------------------------------------------------------------------------------------------------


def averaged_of_sklearn():
    return sklearn_linear.SGDClassifier(
        loss="perceptron",
        penalty=None,
        learning_rate="constant",
        eta0=1.0,
        average=True,
        shuffle=False,
        max_iter=1,
        tol=None,
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_gap_3_the_average_of_scikit_learn_counts_a_weighted_row_once():
    """Only rows of weight 1 are mistaken, so both hold the same hypotheses; only the clock of the average differs."""
    rows, labels, weights = [[1.0], [2.0], [-1.0], [-3.0]], [1, 1, 0, 0], [1, 5, 1, 1]
    weighted = averaged_of_sklearn().fit(rows, labels, sample_weight=weights)
    index = np.repeat(np.arange(4), weights)
    copies = averaged_of_sklearn().fit(np.array(rows)[index], np.array(labels)[index])
    assert abs(weighted.intercept_[0] - copies.intercept_[0]) > 0.01


def test_gap_3_a_weight_multiplies_scikit_learns_step_after_the_clip():
    """C is not a bound on the step there, and a weighted example is thrown past its label."""
    C, weight, x = 0.1, 100.0, [1.0]
    peer = passive_aggressive_of_sklearn(C=C, fit_intercept=False)
    peer.partial_fit([x], [1], classes=[0, 1], sample_weight=[weight])
    assert peer.decision_function([x])[0] == pytest.approx(weight * C)
    assert peer.decision_function([x])[0] > 5


# ---- gap 4: stopping while there are errors -------------------------------------------------------------------------


def small_margin():
    """Separable, by a margin of a hundredth: y is the sign of the first column, which is at least 0.01 in size."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    X[:, 0] = np.sign(X[:, 0]) * np.maximum(np.abs(X[:, 0]), 0.01)
    X[:, 1:] *= 3
    return X, (X[:, 0] > 0).astype(int)


def test_gap_4_scikit_learns_perceptron_stops_with_training_errors_on_separable_data():
    X, y = small_margin()
    peer = sklearn_linear.Perceptron(max_iter=10**6).fit(X, y)  # no ConvergenceWarning: it believes it has converged
    assert peer.n_iter_ < 100
    assert peer.score(X, y) < 1


def test_gap_4_ours_goes_on_until_there_is_none():
    X, y = small_margin()
    model = nk.Perceptron(max_iter=10**6).fit(X, y)
    assert model.score(X, y) == 1
    assert model.certificate_.separates
    assert model.certificate_.verify(X, y)
