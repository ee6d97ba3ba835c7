"""The steps of the passive-aggressive learners."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from reference.passive_aggressive import passive_aggressive
from strategies import few, fractional_weights, lift, streams


@few
@given(data=streams(2), intercept=st.booleans(), C=st.sampled_from([0.01, 0.125, 1.0, 50.0]))
def test_passive_aggressive_steps_are_those_of_the_reference(data, intercept, C):
    rows, y = data
    models = {
        "PA": nk.PassiveAggressive(),
        "PA-I": nk.PassiveAggressiveI(C=C),
        "PA-II": nk.PassiveAggressiveII(C=C),
    }
    for variant, model in models.items():
        model.set_params(fit_intercept=intercept, shuffle=False, max_iter=1).fit(rows, y)
        v = passive_aggressive(lift(rows, intercept), 2.0 * y - 1, variant, C)[-1]
        own = np.append(model.coef_, model.intercept_) if intercept else model.coef_.ravel()
        np.testing.assert_allclose(own, v, rtol=1e-7, atol=1e-7)


@few
@given(data=st.data(), C=st.sampled_from([0.01, 0.5, 50.0]))
def test_the_weight_of_an_example_multiplies_C_before_the_clip(data, C):
    rows, y = data.draw(streams(2))
    weights = data.draw(fractional_weights(len(y)))
    weights[[np.argmax(y == 0), np.argmax(y == 1)]] = 0.3
    for variant, model in {"PA-I": nk.PassiveAggressiveI(C=C), "PA-II": nk.PassiveAggressiveII(C=C)}.items():
        model.set_params(shuffle=False, max_iter=1).fit(rows, y, sample_weight=weights)
        v = passive_aggressive(lift(rows, True), 2.0 * y - 1, variant, C, weights)[-1]
        np.testing.assert_allclose(np.append(model.coef_, model.intercept_), v, rtol=1e-7, atol=1e-7)


def test_a_passive_aggressive_step_lands_on_the_label_with_the_intercept_counted():
    for x, label in [([3.0, -4.0], 1), ([0.1, 0.0], 0), ([0.0, 0.0], 1)]:
        model = nk.PassiveAggressive().partial_fit([[1.0, 1.0], [-2.0, 1.0]], [0, 1])
        model.learn_one(x, label)
        assert model.score_one(x) * (2 * label - 1) >= 1 - 1e-12
        if x != [0.0, 0.0]:
            assert model.score_one(x) == pytest.approx(2 * label - 1)


@pytest.mark.parametrize("variant", [nk.PassiveAggressive, nk.PassiveAggressiveI, nk.PassiveAggressiveII])
@pytest.mark.parametrize(
    ("score", "moves"), [(1.0, False), (1 - 2.0**-40, True), (np.nextafter(1, 0), False), (np.nextafter(1, 2), False)]
)  # one unit in the last place below 1 is a loss of nothing but rounding
def test_a_passive_aggressive_learner_is_passive_at_a_margin_of_one_and_not_below(variant, score, moves):
    parameters = {} if variant is nk.PassiveAggressive else {"C": 2.0**60}
    model = variant(fit_intercept=False, **parameters).partial_fit([[1.0, 0.0]], [1], classes=[0, 1])
    assert model.coef_[0, 0] == 1
    updates = model.certificate_.updates
    model.learn_one([score, 2.0**-30], 1)
    assert model.certificate_.updates - updates == moves


@pytest.mark.parametrize("weight", [0.25, 0.5, 2.5])
def test_a_fraction_of_an_example_is_a_fraction_of_the_step(weight):
    for model in (
        nk.Perceptron(fit_intercept=False),
        nk.MarginPerceptron(fit_intercept=False, margin=8.0, epsilon=0.5),
    ):
        model.partial_fit([[2.0]], [1], classes=[0, 1], sample_weight=[weight])
        whole = weight if isinstance(model, nk.MarginPerceptron) else min(weight, 1.0)
        assert model.coef_.tolist() == [[2.0 * whole]]
        assert model.certificate_.examples == weight
