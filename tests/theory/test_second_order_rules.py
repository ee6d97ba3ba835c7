"""The rules that the verifier repeats against the compiled ones, one example at a time."""

import math

import numpy as np
import pytest

import novikoff._core as _core
from novikoff.data.rows import as_rows
from novikoff.online._state import kernel_configuration
from novikoff.theory.rules import RULES, Rule, RuleInput
from novikoff.theory.second_order_rules import LEAST_VARIANCE, Example, Outcome, SecondOrderRule

RULE_PARAMETERS = {
    "arow": (0.5, 0.0),
    "soft confidence I": (0.3, 1.2),
    "soft confidence II": (0.3, 1.2),
    "normalized adaptive, logistic": (0.5, 0.0),
    "normalized adaptive, hinge": (0.5, 0.0),
    "normalized adaptive, squared": (0.2, 0.0),
}


def test_all_second_order_rules_are_tried():
    """Except those of classes that are learned together, which tests/theory/test_kesler_replay.py tries."""
    second = {name for name in RULES if issubclass(RULES[name], SecondOrderRule) and not RULES[name].is_joint}
    assert second == set(RULE_PARAMETERS)


@pytest.mark.parametrize("weights", [(1.0,), (0.25, 0.5, 1.0)])
@pytest.mark.parametrize("name", RULE_PARAMETERS)
def test_rules_agree_with_the_kernel(name, weights):
    parameter, extra = RULE_PARAMETERS[name]
    rule = Rule(name, parameter, extra=extra)
    kernel, plain = _core.OnlineLearner(*kernel_configuration(rule, 0)), rule.implementation()
    kernel.add_problem(1)
    random = np.random.default_rng(0)
    state, X = plain.start(4), random.normal(size=(50, 3))
    weights = random.choice(weights, 50)
    rows, codes = as_rows("test", X), (random.random(50) < 0.5).astype(np.int32)
    norms, _ = rows.squared_norms()
    for i, code in enumerate(codes.tolist()):
        y, u = 2.0 * code - 1, np.append(X[i], 1.0)
        score = float(u @ state["weights"])
        given = RuleInput(y, score, float(u @ u), float(weights[i]), 0.0, 0.0)
        plain.learn(state, Example(np.arange(4), u, given, plain.is_mistake(y, score)))
        kernel.learn(0, rows, codes, weights, norms, None, None, i, i + 1)
        np.testing.assert_allclose(np.append(kernel.last_weights(0), kernel.last_bias(0)), state["weights"], rtol=1e-9)
    for key, vector in kernel.second(0)["vectors"].items():
        if key not in ("sum", "gains"):  # the rule with a matrix has no factors of it
            np.testing.assert_allclose(np.where(vector == 0, 1, vector), state[key][:-1], rtol=1e-9)


def test_a_second_order_rule_has_no_single_step():
    with pytest.raises(TypeError, match="each column"):
        Rule("arow", 1.0).implementation().step(RuleInput(1, 0, 1, 1, 0, 0))


# ---- worked examples -------------------------------------------------------------------------------------------------


def learned(rule, state, u, y=1.0, score=None, weight=1.0, mistake=None):
    """What a rule did with an example, whose score is that of the weights if none is given; the state is changed."""
    u = np.array(u)
    score = float(u @ state["weights"]) if score is None else score
    given = RuleInput(y, score, float(np.minimum(np.abs(u), 1e150) @ np.minimum(np.abs(u), 1e150)), weight, 0.0, 0.0)
    is_mistake = rule.is_mistake(y, score) if mistake is None else mistake
    return rule.learn(state, Example(np.arange(len(u)), u, given, is_mistake))


def rule_of(name, parameter=0.5, extra=0.0):
    return Rule(name, parameter, extra=extra).implementation()


def arow_state(*variances):
    return {"weights": np.zeros(len(variances)), "variances": np.array(variances)}


def test_an_example_of_arow_adds_its_loss_and_its_weight_to_the_inverse_variances():
    # with r = 1/2 and a weight of 1/2: sum s u^2 + r / weight = 2 + 1; the loss is 1 + 2
    state = arow_state(1.0, 0.25)
    outcome = learned(rule_of("arow"), state, [1.0, 2.0], -1.0, score=2.0, weight=0.5)
    np.testing.assert_allclose(state["weights"], [-1.0, -0.5], rtol=1e-15)
    assert state["variances"].tolist() == [0.5, 0.125]
    assert outcome == Outcome(True, True, sensitivity=pytest.approx(1.25**0.5 / 3, rel=1e-15))
    state = arow_state(1.0, 0.25)
    learned(rule_of("arow", extra=0.3), state, [1.0, 2.0], -1.0, score=2.0, weight=0.5)
    assert state["variances"].tolist() == [0.5, 0.3]  # the floor
    outcome = learned(rule_of("arow", 0.25), arow_state(1.0, 0.25), [1.0, 2.0], -1.0, score=2.0, weight=0.5)
    assert outcome.sensitivity == pytest.approx(1.25**0.5 / 2.5, rel=1e-15)


def test_arow_learns_from_margins_below_1_only():
    for margin, expected in ((1.0, False), (np.nextafter(1.0, 0.0), True), (math.nan, False), (2.0, False)):
        state = arow_state(1.0, 0.25)
        outcome = learned(rule_of("arow"), state, [1.0, 2.0], score=margin)
        assert (outcome.enters_sum, outcome.changes) == (expected, expected)
        assert (state["variances"].tolist() == [1.0, 0.25]) != expected


def test_numbers_of_arow_stay_finite_and_positive():
    state = arow_state(1.0, 1e-300)
    outcome = learned(rule_of("arow"), state, [1.0, 1e200], score=-math.inf, mistake=True)
    assert state["weights"].tolist() == [0.0, 0.0]
    assert state["variances"].tolist() == [pytest.approx(1 / 3), LEAST_VARIANCE]
    assert outcome == Outcome(True, True)


CONFIDENT = ("soft confidence I", "soft confidence II")


@pytest.mark.parametrize("name", CONFIDENT)
@pytest.mark.parametrize("phi", [0.5, 2.0])
@pytest.mark.parametrize("V", [0.25, 3.0])
@pytest.mark.parametrize("distance", [-4.0, -1.0, -0.1, 0.0, 0.2, 0.9])
def test_steps_of_soft_confidence_satisfy_their_optimality_conditions(name, phi, V, distance):
    """After the update, the margin is phi standard deviations, plus alpha / (2 C) with the squared loss.

    With alpha = C for the hinge loss, it is less. The inverse variance grows by alpha phi / (standard deviation).
    """
    for C, weight in ((1e6, 1.0), (0.75, 1.0), (0.75, 0.5), (0.01, 1.0)):
        state, margin = arow_state(V), distance * phi * math.sqrt(V)
        outcome = learned(rule_of(name, C, phi), state, [1.0], -1.0, score=-margin, weight=weight)
        after = float(state["variances"][0])
        alpha = -float(state["weights"][0]) / V
        assert (1 / after - 1 / V) * math.sqrt(after) == pytest.approx(alpha * phi, rel=1e-9)
        missing = phi * math.sqrt(after) - margin - alpha * V
        if name == "soft confidence II":
            assert missing == pytest.approx(alpha / (2 * C * weight), rel=1e-9, abs=1e-12)
        elif alpha == pytest.approx(C * weight, rel=1e-12):
            assert missing >= 0
        else:
            assert alpha < C * weight
            assert missing == pytest.approx(0.0, abs=1e-12)
        assert outcome == Outcome(True, True, sensitivity=pytest.approx(1.0, rel=1e-15))


@pytest.mark.parametrize("name", CONFIDENT)
def test_soft_confidence_learns_from_margins_below_phi_standard_deviations(name):
    rule = rule_of(name, 1.0, 1.5)
    for margin, expected in ((3.0, False), (3.0 - 1e-6, True), (4.0, False), (math.nan, False)):
        state = arow_state(4.0)
        outcome = learned(rule, state, [1.0], score=margin, mistake=False)
        assert (outcome.enters_sum, outcome.changes) == (expected, expected)
        assert (state["variances"].tolist() == [4.0]) != expected
    state = arow_state(4.0, 1.0)
    assert learned(rule, state, [0.0, 0.0], mistake=True) == Outcome(True, True)  # a mistake that moves nothing
    assert learned(rule, state, [0.0, 0.0], mistake=False) == Outcome(False, False)
    assert state["weights"].tolist() == [0.0, 0.0]
    outcome = learned(rule, state, [1.0, 3.0])
    assert outcome.sensitivity == pytest.approx(5 / 13, rel=1e-15)  # |(4, 3)| / (4 + 9)


@pytest.mark.parametrize("name", CONFIDENT)
def test_numbers_of_soft_confidence_stay_finite_and_positive(name):
    for variances, u, score in (
        ([1e-300], [1.0], -1e300),
        ([1e-300], [1e150], -1e10),
        ([LEAST_VARIANCE], [1e154], 0.0),
    ):
        state = arow_state(*variances)
        learned(rule_of(name, 1e10, 2.0), state, u, score=score, mistake=True)
        assert np.all(np.isfinite(state["weights"]))
        assert LEAST_VARIANCE <= state["variances"][0] <= variances[0]
    state = arow_state(1e-300)
    learned(rule_of(name, 1.0, 1.0), state, [1.0], score=-1e300)
    assert (state["weights"].tolist(), state["variances"].tolist()) == ([0.0], [1e-300])  # no finite step


ADAPTIVE = {"logistic": 0.25, "hinge": 0.0, "squared": 2.0}


@pytest.mark.parametrize("loss", ADAPTIVE)
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_slopes_are_the_derivatives_of_the_losses(loss, y):
    losses = {
        "logistic": lambda s: math.log1p(math.exp(-y * s)),
        "hinge": lambda s: max(0.0, 1 - y * s),
        "squared": lambda s: (s - y) ** 2,
    }
    rule, h = rule_of(f"normalized adaptive, {loss}"), 2.0**-12
    for score in (-3.0, -0.5, 0.0, 0.25, 2.0):
        first, second = rule.slope(y, score)
        value = losses[loss]
        assert first == pytest.approx((value(score + h) - value(score - h)) / (2 * h), abs=1e-6)
        assert second == pytest.approx((value(score + h) - 2 * value(score) + value(score - h)) / (h * h), abs=1e-6)


def test_slopes_at_the_ends_of_their_ranges():
    hinge, logistic = rule_of("normalized adaptive, hinge"), rule_of("normalized adaptive, logistic")
    assert hinge.slope(1.0, 1.0) == (0.0, 0.0)
    assert hinge.slope(-1.0, -1.0) == (0.0, 0.0)
    assert hinge.slope(-1.0, np.nextafter(-1.0, 0.0)) == (1.0, 0.0)
    assert logistic.slope(1.0, 1e6) == logistic.slope(1.0, 700.0)
    assert logistic.slope(1.0, 1e6)[0] == pytest.approx(-math.exp(-700), rel=1e-12)
    assert logistic.slope(1.0, 699.0)[0] == pytest.approx(-math.exp(-699), rel=1e-12)
    assert logistic.slope(-1.0, 1e6) == (1.0, 0.0)


def adaptive_state():
    return {
        "weights": np.array([1.0, -2.0]),
        "scales": np.array([2.0, 0.5]),
        "squares": np.array([3.0, 0.0]),
        "norms": 1.5,
        "time": 2.0,
    }


def test_an_adaptive_example_rescales_weights_and_steps_by_its_gradient():
    state = adaptive_state()
    outcome = learned(rule_of("normalized adaptive, squared", 0.5), state, [-1.0, 2.0], -1.0, weight=0.5)
    # the second column is four times as large as before: its weight becomes -1/2, and the score -2
    assert state["scales"].tolist() == [2.0, 2.0]
    assert state["norms"] == 1.5 + 0.5 * (0.25 + 1.0)
    assert state["time"] == 2.5
    gradient = np.array([1.0, -2.0])  # the slope is 0.5 * 2 * (-2 + 1)
    assert state["squares"].tolist() == [4.0, 4.0]
    steps = 0.5 * math.sqrt(2.5 / 2.125) * gradient / 2 / 2
    np.testing.assert_allclose(state["weights"], [1.0 - steps[0], -0.5 - steps[1]], rtol=1e-15)
    assert outcome.enters_sum is False
    assert outcome.changes is True
    assert outcome.sensitivity == pytest.approx(np.linalg.norm(steps), rel=1e-14)
    assert outcome.growth == 1.0


@pytest.mark.parametrize("loss", ADAPTIVE)
def test_the_growth_of_an_error_is_that_of_a_step_beyond_the_score(loss):
    # a rate of 10 in one column without a past: the step is 10 times the sign of the slope
    state = {"weights": np.zeros(1), "scales": np.ones(1), "squares": np.zeros(1), "norms": 0.0, "time": 0.0}
    outcome = learned(rule_of(f"normalized adaptive, {loss}", 10.0), state, [1.0], weight=0.5)
    slope = {"logistic": 0.5, "hinge": 1.0, "squared": 2.0}[loss] * 0.5
    assert state["weights"].tolist() == [10.0]
    assert outcome.growth == max(1.0, 10 / slope * 0.5 * ADAPTIVE[loss] - 1)
    assert outcome.sensitivity == 10 / slope
    assert outcome.enters_sum is True


@pytest.mark.parametrize("loss", ADAPTIVE)
def test_an_error_in_the_score_moves_the_weights_by_at_most_the_sensitivity(loss):
    rule, moved, h = rule_of(f"normalized adaptive, {loss}"), [], 2.0**-20
    for score in (0.25, 0.25 + h):
        state = {"weights": np.zeros(2), "scales": np.ones(2), "squares": np.full(2, 1e4), "norms": 3.0, "time": 2.0}
        outcome = learned(rule, state, [1.0, -0.5], score=score)
        moved.append(state["weights"])
    assert np.linalg.norm(moved[1] - moved[0]) <= outcome.sensitivity * h * (1 + 1e-5)


def test_adaptive_examples_without_a_finite_slope_change_scales_only():
    for score, name in ((1.0, "hinge"), (math.inf, "squared"), (math.nan, "squared")):
        for mistake in (False, True):
            state = adaptive_state()
            outcome = learned(rule_of(f"normalized adaptive, {name}"), state, [-1.0, 0.5], score=score, mistake=mistake)
            assert outcome == Outcome(mistake, True)
            assert state["weights"].tolist() == [1.0, -2.0]
            assert (state["norms"], state["time"]) == (1.5 + 0.25 + 1.0, 3.0)


def test_adaptive_columns_whose_squares_overflow_or_vanish_keep_their_weights():
    state = {"weights": np.zeros(3), "scales": np.zeros(3), "squares": np.zeros(3), "norms": 0.0, "time": 0.0}
    with np.errstate(invalid="ignore", divide="ignore"):
        learned(rule_of("normalized adaptive, hinge"), state, [1e200, 1e-200, 4.0], score=0.0)
    assert state["squares"].tolist() == [0.0, 0.0, 16.0]
    assert state["weights"].tolist() == [0.0, 0.0, 0.5 / 4 * math.sqrt(1 / 3)]


def test_the_margins_below_which_rules_learn():
    example = Example(np.array([0, 2]), np.array([1.0, -3.0]), RuleInput(1.0, 0.0, 10.0, 1.0, 0.0, 0.0), True)
    state = {"variances": np.array([4.0, 100.0, 5.0])}
    margins = {name: rule_of(name, 1.0, 2.0).needed_margin(state, example) for name in RULE_PARAMETERS}
    assert [margins[name] for name in CONFIDENT] == [14.0, 14.0]  # 2 sqrt(4 + 45)
    assert margins["arow"] == margins["normalized adaptive, hinge"] == 1.0


def test_scores_differ_by_twice_the_distance_of_the_weights_times_the_length():
    example = Example(np.array([0]), np.array([3.0]), RuleInput(1.0, 0.0, 9.0, 1.0, 0.0, 0.0), True)
    assert rule_of("arow").score_rounding({}, example, 0.25) == 2 * 0.25 * 3


def test_variances_are_the_inverse_of_the_diagonal():
    given = np.array([0.5, 0.0, 2.0])
    assert rule_of("arow").variances({"variances": given}) is given
    assert rule_of("soft confidence I").variances({"variances": given}) is given
    scales = np.array([0.5, 0.0, 4.0, 1e-160, 1e160])
    adaptive = rule_of("normalized adaptive, hinge").variances({"scales": scales})
    assert adaptive.tolist() == [4.0, 0.0, 1 / 16, 1e300, LEAST_VARIANCE]


def test_parameters_of_rules_are_positive_and_floors_at_most_1():
    above = math.nextafter(1.0, 2.0)
    for extra, expected in ((0.0, True), (1.0, True), (-1e-300, False), (above, False)):
        assert rule_of("arow", 5e-324, extra).has_valid_parameter() is expected
        assert rule_of("arow", 0.0, extra).has_valid_parameter() is False
    for name in (*CONFIDENT, "normalized adaptive, hinge"):
        assert rule_of(name, 5e-324, 5e-324).has_valid_parameter() is True
        assert rule_of(name, 0.0, 1.0).has_valid_parameter() is False
    assert [rule_of(name, 1.0, 0.0).has_valid_parameter() for name in CONFIDENT] == [False, False]
