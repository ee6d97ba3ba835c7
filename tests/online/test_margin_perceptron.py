"""docs/theory.md, C: the margin perceptron. Each test names the statement it could refute."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.theory import bounds
from reference import margin_perceptrons
from statements import halted, one_pass, started, vector
from strategies import (
    best_margin_known,
    few,
    lift,
    margin_of,
    separable,
    ties,
)


@pytest.mark.parametrize("parameters", [{"margin": 1.0, "epsilon": 0.5}, {"margin": "auto", "epsilon": 0.5}])
@pytest.mark.parametrize(
    ("first", "moves"), [(0.5, False), (np.nextafter(0.5, 0), True), (np.nextafter(0.5, 1), False), (0.0, True)]
)
def test_C1_updates_below_the_threshold_and_not_on_it(parameters, first, moves):
    model = nk.MarginPerceptron(fit_intercept=False, **parameters)
    model.partial_fit([[1.0, 0.0]], [1.0], classes=[-1.0, 1.0])
    model.learn_one([first, 4.0], 1.0)
    assert model.coef_[0, 1] == (4.0 if moves else 0.0)
    model = nk.MarginPerceptron(fit_intercept=False, **parameters)
    model.partial_fit([[1.0, 0.0]], [1.0], classes=[-1.0, 1.0])
    model.learn_one([-first, 4.0], -1.0)
    assert model.coef_[0, 1] == (-4.0 if moves else 0.0)


@pytest.mark.parametrize("label", [-1.0, 1.0])
@pytest.mark.parametrize("margin", ["auto", 1.0])
def test_C1_always_updates_at_zero(margin, label):
    model = nk.MarginPerceptron(margin=margin, epsilon=1.0, fit_intercept=False)
    model.partial_fit([[2.0]], [label], classes=[-1.0, 1.0])
    assert model.coef_.tolist() == [[2.0 * label]]
    model.learn_one([2.0], -label)
    assert model.coef_.tolist() == [[0.0]]
    model.learn_one([-3.0], -label)
    assert model.coef_.tolist() == [[3.0 * label]]


@given(data=ties(), intercept=st.booleans(), epsilon=st.sampled_from([0.25, 0.5, 1.0]))
def test_C1_follows_the_reference(data, intercept, epsilon):
    X, y = data
    U = lift(X, intercept)
    v, updates = margin_perceptrons.fixed_margin(U, y, (1 - epsilon) * 0.5)
    model = one_pass(nk.MarginPerceptron(margin=0.5, epsilon=epsilon, fit_intercept=intercept), X, y)
    np.testing.assert_array_equal(vector(model), v)
    assert model.certificate_.updates == updates
    v, updates = margin_perceptrons.dynamic_margin(U, y, epsilon)
    model = one_pass(nk.MarginPerceptron(epsilon=epsilon, fit_intercept=intercept), X, y)
    np.testing.assert_array_equal(vector(model), v)
    assert model.certificate_.updates == updates


@given(data=separable(max_rows=25, smallest_gap=0.05), epsilon=st.sampled_from([0.1, 0.5, 0.9]))
def test_C2_updates_stay_within_the_bound_for_any_radius_and_epsilon(data, epsilon):
    most = bounds.margin_perceptron(data.radius, data.margin, epsilon)
    R, g = data.radius, data.margin
    assert most == pytest.approx(2 * R / (epsilon * g) + 2 * R**2 / (epsilon * g) ** 2)
    model = halted(nk.MarginPerceptron(margin=data.margin, epsilon=epsilon), data, most)
    assert model.certificate_.updates <= most


@given(data=separable(max_rows=25, intercept=False, unit=True))
def test_C2_updates_stay_within_16_over_gamma_squared_for_unit_examples(data):
    most = 16 / data.margin**2
    assert bounds.margin_perceptron(1.0, data.margin, 0.5) <= most
    model = halted(nk.MarginPerceptron(margin=data.margin, epsilon=0.5), data, most)
    assert model.certificate_.updates <= most


@few
@given(data=separable(max_rows=12, smallest_gap=0.1))
def test_C2_holds_against_an_adversary_who_sees_the_scores(data):
    most = bounds.margin_perceptron(data.radius, data.margin, 0.5)
    model = started(nk.MarginPerceptron(margin=data.margin, fit_intercept=data.intercept), data.X, data.y)
    for _ in range(min(300, int(most) + 2)):
        worst = np.argmin(data.y * model.decision_function(data.X))
        model.learn_one(data.X[worst], data.y[worst])
    assert model.certificate_.updates <= most


@given(data=separable(max_rows=25, smallest_gap=0.05), epsilon=st.sampled_from([0.2, 0.5]))
def test_C3_halting_gives_a_margin_of_theta_and_a_two_sided_certificate(data, epsilon):
    model = halted(
        nk.MarginPerceptron(margin=data.margin, epsilon=epsilon),
        data,
        bounds.margin_perceptron(data.radius, data.margin, epsilon),
    )
    own = margin_of(data.U, data.y, vector(model))
    assert own >= (1 - epsilon) * data.margin * (1 - 1e-9)
    certificate = model.certificate_
    assert certificate.margin_lower_bound <= own * (1 + 1e-12)
    assert certificate.margin_lower_bound == pytest.approx(own, rel=1e-6)
    assert max(own, data.margin) <= certificate.margin_upper_bound
    assert certificate.margin_upper_bound == pytest.approx(
        np.linalg.norm(vector(model)) / certificate.updates, rel=1e-6
    )
    assert certificate.verify(data.X, data.y)


@pytest.mark.slow
@given(data=best_margin_known(), epsilon=st.sampled_from([0.05, 0.2, 0.5]))
def test_C4_without_a_guess_it_halts_with_almost_the_best_margin(data, epsilon):
    model = nk.MarginPerceptron(epsilon=epsilon, fit_intercept=False, max_iter=10**6).fit(data.X, data.y)
    certificate = model.certificate_
    assert certificate.halted
    own = margin_of(data.X, data.y, vector(model))
    assert (1 - epsilon) * data.margin * (1 - 1e-9) <= own <= data.margin * (1 + 1e-9)
    assert (
        certificate.margin_lower_bound <= own <= data.margin * (1 + 1e-9) <= certificate.margin_upper_bound * (1 + 1e-8)
    )
    assert certificate.ratio >= (1 - epsilon) * (1 - 1e-6)


@given(data=separable(), margin=st.sampled_from(["auto", 0.05]))
def test_C5_normalize_is_the_same_as_examples_of_unit_length(data, margin):
    unit = margin_perceptrons.normalized(data.U)
    model = one_pass(nk.MarginPerceptron(margin=margin, normalize=True, fit_intercept=data.intercept), data.X, data.y)
    plain = one_pass(nk.MarginPerceptron(margin=margin, fit_intercept=False), unit, data.y)
    np.testing.assert_allclose(vector(model), plain.coef_.ravel(), rtol=1e-9, atol=1e-9)
    assert model.certificate_.updates == plain.certificate_.updates
    assert model.certificate_.radius == pytest.approx(1)
    assert model.certificate_.margin_upper_bound == pytest.approx(plain.certificate_.margin_upper_bound)


def test_C5_the_margin_of_the_normalised_data_is_another_number():
    X, y = np.array([[8.0, 0.5], [-8.0, 0.5], [0.1, 0.1]]), np.array([1.0, -1.0, 1.0])
    margins = [
        nk.MarginPerceptron(epsilon=0.01, normalize=normalize, fit_intercept=False, max_iter=10**6)
        .fit(X, y)
        .certificate_
        for normalize in (False, True)
    ]
    assert margins[0].margin_upper_bound < 0.15 < 0.5 < margins[1].margin_lower_bound


def test_C5_a_row_of_zeros_has_no_direction_and_moves_nothing():
    model = nk.MarginPerceptron(normalize=True, fit_intercept=False, shuffle=False, max_iter=1)
    model.fit([[1.0, 0.0], [0.0, 0.0], [-1.0, 1.0]], [1, 0, 0])
    assert np.isfinite(model.coef_).all()
    np.testing.assert_allclose(model.coef_, [[1.0, 0.0]])
