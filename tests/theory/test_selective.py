"""The certificate of labels that are asked for: honest ones verify, forged ones do not."""

import dataclasses
import math

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory.selective_bounds import selective_perceptron

rng = np.random.default_rng(61)
X = rng.normal(size=(120, 3))
Y = np.where(X @ [1.0, 0.5, -1.0] + 0.5 * rng.normal(size=120) > 0, "yes", "no")
WEIGHTS = rng.choice([0.0, 0.5, 1.0, 2.0], size=120)
MODELS = {
    "all asked": (nk.SelectivePerceptron(b=1e6), None),
    "some asked": (nk.SelectivePerceptron(b=0.5), None),
    "weights": (nk.SelectivePerceptron(b=0.5, random_state=4), WEIGHTS),
    "budget": (nk.SelectivePerceptron(b=0.5, budget=15), None),
    "budget and weights": (nk.SelectivePerceptron(b=0.5, budget=15), WEIGHTS),
    "unit length": (nk.SelectivePerceptron(b=0.5, normalize=True), None),
    "running scale": (nk.SelectivePerceptron(b=0.5, scale="running", fit_intercept=False), WEIGHTS),
}
FORGED = {
    "asked": [1.0, -1.0, 0.5],
    "unanswered": [1.0],
    "complete": [-1.0, 1.0],
    "missing_weight": [1.0],
    "positives": [1.0, -1.0],
    "mistakes": [1.0, -1.0],
    "estimate": [1.0, -1.0, 1e-6],
    "updates": [1, -1],
    "examples": [1.0],
    "radius": [0.01],
    "energy": [1.0],
    "b": [0.1, 1e-9],
    "seed": [1],
    "margin_upper_bound": [-0.01],
}


def made(name):
    model, weights = MODELS[name]
    return model.fit(X, Y, weights), weights


def forged(model, **values):
    """A model whose certificate states other numbers."""
    certificate = dataclasses.replace(model.certificate_, **values)

    class Forged(type(model)):
        def _certify(self, problem):
            return certificate

    other = Forged(**model.get_params())
    other.__dict__.update(vars(model))
    return other


@pytest.mark.parametrize("name", MODELS)
def test_honest_certificates_verify(name):
    model, weights = made(name)
    found = nk.verify(model, X, Y, sample_weight=weights)
    assert found, found
    assert "open" not in {check.status for check in found.checks}
    assert "estimate of the run" in {check.claim for check in found.checks}


@pytest.mark.parametrize("field", FORGED)
@pytest.mark.parametrize("name", MODELS)
def test_forged_certificates_do_not_verify(name, field):
    model, weights = made(name)
    for change in FORGED[field]:
        value = getattr(model.certificate_, field) + change
        assert not nk.verify(forged(model, **{field: value}), X, Y, sample_weight=weights), (field, change)
        certificate = dataclasses.replace(model.certificate_, **{field: value})
        if field not in ("b", "seed"):  # others may make the same decisions, and the run record shows which they were
            assert not certificate.verify(X, Y, weights), (field, change)


def test_another_budget_does_not_verify():
    model, _ = made("budget")
    assert not nk.verify(forged(model, budget=16), X, Y)
    assert not nk.verify(forged(model, budget=None), X, Y)


def test_labels_that_were_not_asked_for_may_be_any():
    model, asked = nk.SelectivePerceptron(b=0.5), np.zeros(120, dtype=bool)
    for t in range(120):
        asked[t] = model.wants_label(X[t])
        model.learn_one(X[t], Y[t])
    other = np.where(Y == "yes", "no", "yes")
    assert 20 < asked.sum() < 100
    assert nk.verify(model, X, np.where(asked, Y, other))
    assert not nk.verify(model, X, np.where(asked, other, Y))


def test_coins_of_another_seed_do_not_verify():
    model, _ = made("some asked")
    other = nk.SelectivePerceptron(b=0.5, random_state=1).fit(X, Y)
    assert not nk.verify(forged(model, **{name: getattr(other.certificate_, name) for name in FORGED}), X, Y)


@pytest.mark.parametrize(
    "values",
    [
        {"mistakes": 200.0},
        {"asked": -1.0},
        {"asked": math.nan},
        {"b": 0.0},
        {"b": math.inf},
        {"estimate": -1.0},
        {"estimate": math.nan},
        {"unanswered": 500.0},
        {"complete": 3.0},
        {"missing_weight": 1.0},  # without a label that was not given
        {"missing_weight": -1.0, "unanswered": 1.0},
        {"missing_weight": math.nan, "unanswered": 1.0},
        {"unanswered": 1.0},  # without a reason
        {"positives": 130.0},
        {"budget": 2},
    ],
)
def test_impossible_numbers_are_refuted_without_a_replay(values):
    model, _ = made("some asked")
    certificate = dataclasses.replace(model.certificate_, **values)
    assert certificate.verify(X, Y).failures
    assert not model.certificate_.verify(X, Y).failures


def test_an_estimate_below_the_mistakes_that_were_seen_is_refuted():
    certificate = made("some asked")[0].certificate_
    assert dataclasses.replace(certificate, estimate=certificate.mistakes - 0.5).verify(X, Y).failures


def test_the_bound_is_that_of_the_theorem():
    found = made("some asked")[0].certificate_
    assert found.bound(0.5) == pytest.approx(selective_perceptron(found.radius, 0.5, 1.0, 0.5, 0.0))
    assert found.bound(1.0, loss=7.0, length=3.0) == pytest.approx(
        selective_perceptron(found.radius, 0.5, 3.0, 1.0, 7.0)
    )
    assert found.bound(0.0) == found.bound(-1.0) == math.inf


def test_words_say_what_was_asked_and_where_the_estimate_ends():
    claims = dict(made("some asked")[0].certificate_.claims())
    assert "of 120 examples" in claims["labels asked for"]
    assert "mistakes, asked for or not, in all examples" in claims["estimate"]
    budget = made("budget")[0].certificate_
    assert dict(budget.claims())["labels asked for"].startswith("15 of 120 examples, 12.5 percent, budget 15")
    assert f"the first {budget.complete:.0f} examples, up to the last label of the budget" in budget.explain()
    assert "budget was used up" in budget.explain()
    assert "both numbers have the same expectation" in budget.explain()
    missing = dataclasses.replace(budget, missing_weight=3.5, estimate=10.0)
    assert "were not given or came after the budget was used up" in missing.explain()
    assert "what the missing label would add to it, 3.5" in missing.explain()
    assert dict(missing.claims())["estimate"].startswith(
        f"10 to 13.5 mistakes, asked for or not, in the first {budget.complete:.0f} examples, up to the first label"
    )
    assert "budget" not in made("all asked")[0].certificate_.explain()
