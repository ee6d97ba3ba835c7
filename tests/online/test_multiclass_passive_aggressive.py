"""The steps of the passive-aggressive learners of several classes, and their bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from reference.kesler import by_appearance, multiclass
from strategies import few, lift, streams
from streams import SLACK

VARIANTS = {"I": nk.MulticlassPassiveAggressiveI, "II": nk.MulticlassPassiveAggressiveII}


def step_of(variant, C):
    def step(loss, square):
        if square == 0:
            return 0.0
        return min(C, loss / square) if variant == "I" else loss / (square + 1 / (2 * C))

    return step


@few
@given(
    data=streams(3),
    intercept=st.booleans(),
    C=st.sampled_from([0.01, 0.125, 1.0, 50.0]),
    variant=st.sampled_from(list(VARIANTS)),
)
def test_steps_are_those_of_the_reference(data, intercept, C, variant):
    X, y = data
    model = VARIANTS[variant](C=C, fit_intercept=intercept).partial_fit(X, y)
    codes, classes = by_appearance(y)
    _, _, w = multiclass(lift(X, intercept), codes, len(classes), step_of(variant, C), threshold=1.0)
    weights, _ = model.certificate_.planes()
    np.testing.assert_allclose(weights, w[np.argsort(classes), : X.shape[1]], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("variant", VARIANTS)
def test_J7_mistakes_stay_below_the_bounds(variant):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, u, C = rng.normal(size=(60, 3)), rng.normal(size=(4, 3)), 10.0 ** rng.integers(-2, 2)
        y = np.argmax(X @ u.T, axis=1)
        if seed % 2:
            y[::5] = rng.integers(4, size=12)
        certificate = VARIANTS[variant](C=C, fit_intercept=False).partial_fit(X, y).certificate_
        classes = [int(label) for label in certificate.labels()]
        for scale in (0.0, 0.3, 3.0):
            assert certificate.mistakes <= certificate.comparator_bound(X, y, scale * u[classes]) * SLACK


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_large_C_lands_on_a_lead_of_one_over_the_strongest_other_class(variant):
    model = VARIANTS[variant](C=1e9).partial_fit([[1.0, 1.0], [-2.0, 1.0], [0.0, 3.0]], ["a", "b", "c"])
    for x, label in (([3.0, -4.0], "a"), ([0.1, 0.0], "c")):
        before = {other: score for other, score in model.score_one(x).items() if other != label}
        model.learn_one(x, label)
        scores = model.score_one(x)
        assert scores[label] - scores[max(before, key=before.get)] == pytest.approx(1)


@pytest.mark.parametrize("C", [0.0, -1.0, np.nan, "much"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_C_must_be_positive(variant, C):
    with pytest.raises(nk.InvalidInputError, match="C must be"):
        VARIANTS[variant](C=C).partial_fit([[1.0], [2.0]], [0, 1])
