"""Online rules: the registry, rules from outside without a kernel, and compiled rules against their Python twins."""

import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
import novikoff._core as _core
from novikoff.online import OnlineClassifier
from novikoff.persistence import LEARNERS
from novikoff.testing import online_learner_checks
from novikoff.theory import bounds
from novikoff.theory.forgetting import Forgetting
from novikoff.theory.geometry import Geometry
from novikoff.theory.rules import RULES, OnlineRule, Rule, RuleInput
from snapshots import plain

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

# ---- a rule from outside -------------------------------------------------------------------------------------------


class FixedRateRule(OnlineRule):
    """The perceptron with a fixed learning rate: v += eta y u on a mistake. The parameter is eta."""

    def step(self, example):
        return self.parameter * example.weight if self.is_mistake(example.y, example.score) else 0.0

    def bound(self, radius, margin):
        return bounds.novikoff(radius, margin)

    def has_valid_parameter(self):
        return self.parameter > 0


@dataclass(kw_only=True, eq=False, repr=False)
class FixedRatePerceptron(OnlineClassifier):
    """A perceptron with a learning rate."""

    eta: float = 0.5

    _rule_names: ClassVar[tuple[str, ...]] = ("fixed rate",)

    def _rule(self):
        return Rule("fixed rate", self.eta, geometry=Geometry(self.fit_intercept))


class FailingRule(FixedRateRule):
    """Raises an error, or returns the step that it is told to, from the tenth example on."""

    calls = 0
    answer = None

    def step(self, example):
        type(self).calls += 1
        if self.calls > 10:
            if self.answer is None:
                raise ZeroDivisionError("in the rule")
            return self.answer
        return super().step(example)


@pytest.fixture
def registered():
    RULES.register("fixed rate", FixedRateRule)
    LEARNERS.register("FixedRatePerceptron", FixedRatePerceptron)
    yield
    RULES.unregister("fixed rate")
    LEARNERS.unregister("FixedRatePerceptron")


@pytest.fixture
def failing(monkeypatch):
    RULES.register("fixed rate", FailingRule)
    monkeypatch.setattr(FailingRule, "calls", 0)
    yield FailingRule
    RULES.unregister("fixed rate")


RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = np.digitize(X[:, 0] + 0.3 * RNG.normal(size=60), [-0.5, 0.5])


@pytest.mark.parametrize(("name", "check"), online_learner_checks())
def test_a_rule_from_outside_keeps_the_contract_of_online_learners(registered, name, check):
    check(FixedRatePerceptron())


def test_a_rule_from_outside_learns_what_its_update_says(registered):
    """A power of two scales all weights of the perceptron exactly."""
    model, perceptron = FixedRatePerceptron(eta=0.5).fit(X, Y), nk.Perceptron(max_iter=10).fit(X, Y)
    assert np.array_equal(model.coef_, 0.5 * perceptron.coef_)
    assert [c.mistakes for c in model.certificate_] == [c.mistakes for c in perceptron.certificate_]


def test_a_rule_from_outside_is_verified_saved_loaded_and_continued(registered, tmp_path):
    model = FixedRatePerceptron().partial_fit(X[:30], Y[:30])
    nk.save(model, tmp_path / "model.nvk")
    loaded = nk.load(tmp_path / "model.nvk").partial_fit(X[30:], Y[30:])
    whole = FixedRatePerceptron().partial_fit(X, Y)
    assert loaded.coef_.tobytes() == whole.coef_.tobytes()
    assert nk.verify(loaded, X, Y)
    assert nk.verify(loaded, X[::-1], Y[::-1]).failures
    assert nk.verify(FixedRatePerceptron().fit(X, Y), X, Y)


def test_the_bound_of_a_rule_from_outside_is_that_of_its_certificate_and_plot(registered):
    y = np.where(X[:, 0] > 0, 1, 0)
    separable = X + np.outer(2.0 * y - 1, [0.5, 0, 0, 0])
    model = FixedRatePerceptron(max_iter=100).fit(separable, y)
    certificate = model.certificate_
    assert certificate.separates
    assert certificate.bound(0.5) == (certificate.radius / 0.5) ** 2
    display = nk.plot.MistakesDisplay.measure(model, separable, y)
    assert list(display.bounds) == [FixedRateRule.bound_name]
    assert display.mistakes[-1] <= display.bounds[FixedRateRule.bound_name][-1]


def test_a_rule_without_a_bound_has_no_curve(registered, monkeypatch):
    monkeypatch.setattr(FixedRateRule, "bound", OnlineRule.bound)
    y = np.where(X[:, 0] > 0, 1, 0)
    assert nk.plot.MistakesDisplay.measure(FixedRatePerceptron(max_iter=100).fit(X, y), X, y).bounds == {}


def test_several_threads_may_call_a_rule_from_outside(registered):
    one = FixedRatePerceptron(n_jobs=1).fit(X, Y)
    assert FixedRatePerceptron(n_jobs=3).fit(X, Y).coef_.tobytes() == one.coef_.tobytes()


@pytest.mark.parametrize("method", ["fit", "partial_fit", "learn_one"])
def test_an_error_of_a_rule_is_raised_and_leaves_the_model_as_it_was(failing, method):
    model = FixedRatePerceptron().partial_fit(X[:3], Y[:3] * 0 + [0, 1, 2])
    data = (X[3], 1) if method == "learn_one" else (X, Y)
    failing.calls = {"fit": 0, "partial_fit": 9, "learn_one": 9}[method]  # in the middle of a batch or of an example
    before = model.coef_.tobytes(), [c.to_json() for c in model.certificate_]
    with pytest.raises(ZeroDivisionError, match="in the rule"):
        getattr(model, method)(*data)
    assert (model.coef_.tobytes(), [c.to_json() for c in model.certificate_]) == before


@pytest.mark.parametrize("answer", [-1.0, float("nan"), float("inf")])
def test_a_step_that_is_negative_or_not_finite_is_refused(failing, monkeypatch, answer):
    monkeypatch.setattr(failing, "answer", answer)
    with pytest.raises(ValueError, match="must be finite and not negative"):
        FixedRatePerceptron().fit(X, Y)


def test_a_saved_rule_that_is_not_registered_is_refused(registered, tmp_path):
    nk.save(FixedRatePerceptron().fit(X, Y), tmp_path / "model.nvk")
    RULES.unregister("fixed rate")
    try:
        with pytest.raises(nk.InvalidInputError, match="rule"):
            nk.load(tmp_path / "model.nvk")
    finally:
        RULES.register("fixed rate", FixedRateRule)


# ---- the compiled rules --------------------------------------------------------------------------------------------


FIRST_ORDER = sorted(
    name for name, rule in RULES.items() if not rule.is_second_order
)  # the others have a file of their own


@pytest.mark.parametrize("tie", ["mistake", "positive"])
@pytest.mark.parametrize("name", FIRST_ORDER)
def test_a_compiled_rule_is_the_same_bits_as_its_python_twin(name, tie):
    """Rows of small integers have scores of exactly 0 and margins exactly at the threshold."""
    values = RNG.integers(-2, 3, (80, 3)) * RNG.choice([1.0, 0.1], 80)[:, None]
    codes = (values.sum(axis=1) + RNG.normal(size=80) > 0).astype(np.int32)
    weights = RNG.choice([1.0, 2.0, 0.5], 80)
    rule, rows = RULES[name](0.25, tie), _core.dense(values)

    def learned(callback):
        learner = _core.OnlineLearner(rule.kernel, 0.25, True, False, 0.0, tie, "average", 0, callback)
        assert learner.is_compiled == (callback is None)
        learner.add_problem(1)
        for _ in range(3):
            learner.learn(0, rows, codes, weights, rows.squared_norms()[0], None, None, 0, 80)
        return plain(learner.__getstate__()[1])

    assert learned(rule) == learned(None)


numbers = st.floats(-3, 3) | st.sampled_from([0.0, 1.0, -1.0, 1 - 2**-50])


@given(
    name=st.sampled_from(FIRST_ORDER),
    y=st.sampled_from([-1.0, 1.0]),
    score=numbers,
    squared_norm=st.floats(0.01, 9),
    squared_length=st.floats(0, 9),
    steps=st.floats(0.5, 9),
)
def test_a_rule_updates_below_its_threshold_and_not_above(name, y, score, squared_norm, squared_length, steps):
    rule = RULES[name](0.25)
    example = RuleInput(y, score, squared_norm, 1.0, squared_length, steps)
    distance = example.margin - rule.threshold(example)
    if abs(distance) > 1e-6 and squared_length > 0:
        assert (rule.step(example) > 0) == (distance < 0)


def test_every_kernel_that_a_rule_names_is_compiled():
    for name, rule in RULES.items():
        assert name.removeprefix("multiclass ") == rule.kernel
        assert rule.is_joint == name.startswith("multiclass ")
        keep = "joint" if rule.is_joint else "last"
        assert _core.OnlineLearner(rule.kernel, 0.5, True, False, 0.0, "mistake", keep, 0).is_compiled
    with pytest.raises(ValueError, match="no compiled rule named 'winnow'"):
        _core.OnlineLearner("winnow", 0.5, True, False, 0.0, "mistake", "last", 0)


def test_a_rule_can_be_copied_with_its_learner():
    learner = _core.OnlineLearner("", 0.0, True, False, 0.0, "mistake", "last", 0, FixedRateRule(0.5))
    assert not copy.deepcopy(learner).is_compiled


# ---- what holds without being said ---------------------------------------------------------------------------------


class StillRule(OnlineRule):
    """Never makes an update."""

    def step(self, example):
        return 0.0


def test_a_rule_that_says_nothing_else_updates_on_mistakes_and_bounds_nothing():
    rule = StillRule()
    assert (rule.parameter, rule.tie, rule.extra) == (0.0, "mistake", 0.0)
    assert rule.threshold(RuleInput(1.0, 0.5, 1.0, 1.0, 1.0, 1.0)) == rule.required_margin() == 0.0
    assert rule.bound(1.0, 1.0) == rule.update_bound(1.0, 1.0) == np.inf
    assert rule.length_bound(1.0, 1.0, np.array([1.0, 2.0])).tolist() == [np.inf, np.inf]
    assert [StillRule(number).has_valid_parameter() for number in (-5e-324, 0.0, 0.5)] == [False, True, True]
    named = Rule("perceptron")
    assert (named.parameter, named.extra, named.tie, named.keep) == (0.0, 0.0, "mistake", "last")
    assert RuleInput(-1.0, 4.0, 1.0, 1.0, 1.0, 1.0).margin == -4.0


@pytest.mark.parametrize("y", [1.0, -1.0])
def test_a_score_of_0_is_a_mistake_or_a_positive_prediction(y):
    for tie in ("mistake", "positive"):
        rule = StillRule(tie=tie)
        assert not rule.is_mistake(y, 5e-324 * y)
        assert rule.is_mistake(y, -5e-324 * y)
        assert rule.is_mistake(y, 0.0) == (tie == "mistake" or y < 0)


def test_predictions_change_only_by_updates_unless_they_are_averaged_scaled_forgotten_or_of_second_order():
    assert Rule("perceptron").changes_only_by_updates
    for changes in (
        {"keep": "average"},
        {"geometry": Geometry(scale="std")},
        {"forgetting": Forgetting(0.5)},
        {"geometry": Geometry(scale="std"), "forgetting": Forgetting(0.5)},
    ):
        assert not Rule("perceptron", **changes).changes_only_by_updates
    assert not Rule("arow", 1.0).changes_only_by_updates
