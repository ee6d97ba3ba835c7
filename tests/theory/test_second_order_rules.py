"""The rules that the verifier repeats against the compiled ones, one example at a time."""

import numpy as np
import pytest

import novikoff._core as _core
from novikoff.data.rows import as_rows
from novikoff.online._state import kernel_configuration
from novikoff.theory.rules import RULES, Rule, RuleInput
from novikoff.theory.second_order_rules import Example, SecondOrderRule

RULE_PARAMETERS = {
    "arow": (0.5, 0.0),
    "full arow": (0.5, 0.0),
    "full second-order perceptron": (0.5, 0.0),
    "second-order perceptron": (0.5, 0.0),
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


@pytest.mark.parametrize("name", RULE_PARAMETERS)
def test_rules_agree_with_the_kernel(name):
    parameter, extra = RULE_PARAMETERS[name]
    rule = Rule(name, parameter, extra=extra)
    kernel, plain = _core.OnlineLearner(*kernel_configuration(rule, 0)), rule.implementation()
    kernel.add_problem(1)
    random = np.random.default_rng(0)
    state, X = plain.start(4), random.normal(size=(50, 3))
    rows, codes = as_rows("test", X), (random.random(50) < 0.5).astype(np.int32)
    norms, _ = rows.squared_norms()
    for i, code in enumerate(codes.tolist()):
        y, u = 2.0 * code - 1, np.append(X[i], 1.0)
        score = float(u @ state["weights"])
        given = RuleInput(y, score, float(u @ u), 1.0, 0.0, 0.0)
        plain.learn(state, Example(np.arange(4), u, given, plain.is_mistake(y, score)))
        kernel.learn(0, rows, codes, None, norms, None, None, i, i + 1)
        np.testing.assert_allclose(np.append(kernel.last_weights(0), kernel.last_bias(0)), state["weights"], rtol=1e-9)
    for key, vector in kernel.second(0)["vectors"].items():
        if key not in ("sum", "gains"):  # the rule with a matrix has no factors of it
            np.testing.assert_allclose(np.where(vector == 0, 1, vector), state[key][:-1], rtol=1e-9)


def test_a_second_order_rule_has_no_single_step():
    with pytest.raises(TypeError, match="each column"):
        Rule("arow", 1.0).implementation().step(RuleInput(1, 0, 1, 1, 0, 0))
