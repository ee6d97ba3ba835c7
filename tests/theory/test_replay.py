"""A run that is made again in NumPy is the run that the kernels made."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nk
import novikoff._core as _core
from learners import CLASSES
from novikoff.theory.replay import learn_example, shuffles, with_doubt
from novikoff.theory.replayed_run import Replay
from novikoff.theory.verification import Check

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


@given(rows=st.integers(1, 40), seed=st.integers(0, 2**31 - 1), passes=st.integers(1, 3))
def test_the_orders_are_those_of_the_passes_of_fit(rows, seed, passes):
    random, order = _core.Random(seed), np.arange(rows)
    for again in shuffles(rows, seed, passes):
        random.shuffle(order)
        assert again.tolist() == order.tolist()


@st.composite
def streams(draw):
    rows, columns, classes = draw(st.integers(3, 25)), draw(st.integers(1, 4)), draw(st.integers(2, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = draw(st.sampled_from([1.0, 1e-5, 1e5]))
    X = (
        random.standard_normal((rows, columns)) * scale
        if draw(st.booleans())
        else random.integers(-2, 3, (rows, columns))
    )
    y = np.array([*range(classes), *random.integers(classes, size=rows - classes)])
    weights = draw(st.sampled_from([None, "halves", "counts"]))
    if weights is not None:
        weights = random.integers(0, 4, rows) * (0.5 if weights == "halves" else 1.0)
        weights[:classes] = 1.0
    return (sp.csr_array(X.astype(float)) if draw(st.booleans()) else X.astype(float)), y, weights


@pytest.mark.parametrize("cls", CLASSES)
@settings(max_examples=10)
@given(case=streams(), class_weight=st.sampled_from([None, "balanced"]), fit_intercept=st.booleans())
def test_a_stream_is_verified(cls, case, class_weight, fit_intercept):
    X, y, weights = case
    model = cls(class_weight=class_weight, fit_intercept=fit_intercept).partial_fit(X, y, sample_weight=weights)
    found = nk.verify(model, X, y, weights)
    assert not found.failures, found
    assert any(check.claim.endswith("run") for check in found.checks)


@pytest.mark.parametrize("cls", [nk.AveragedPerceptron, nk.VotedPerceptron])
@settings(max_examples=10)
@given(case=streams(), shuffle=st.booleans(), max_iter=st.integers(1, 3))
def test_a_fit_whose_average_or_vote_predicts_is_verified(cls, case, shuffle, max_iter):
    X, y, weights = case
    model = cls(shuffle=shuffle, max_iter=max_iter, random_state=3).fit(X, y, weights)
    found = nk.verify(model, X, y, weights)
    assert not found.failures, found
    assert any(check.claim.endswith(("average", "votes")) for check in found.checks)


@pytest.mark.parametrize("seed", [36, 42])
def test_a_mistake_that_rounding_decides_refutes_nothing(seed):
    """Tenths add up to scores that are 0 but for their last digits."""
    random = np.random.default_rng(seed)
    X, y = random.integers(-3, 4, (60, 4)) * 0.1, random.integers(0, 2, 60)
    found = nk.verify(nk.MarginPerceptron().partial_fit(X, y), X, y)
    assert not found.failures, found


def test_several_fits_are_left_open():
    X, y = np.array([[1.0], [2.0], [-1.0], [-3.0]]), np.array([1, 1, 0, 0])
    for model in (
        nk.Perceptron().fit(X, y).partial_fit(X, y),
        nk.AveragedPerceptron(warm_start=True).fit(X, y).fit(X, y),
        nk.VotedPerceptron(random_state=None).fit(X, y),
    ):
        found = nk.verify(model, X, y)
        assert not found
        assert not found.failures


@pytest.mark.parametrize("cls", CLASSES)
def test_rows_in_another_order_are_another_stream(cls):
    random = np.random.default_rng(1)
    X = random.standard_normal((60, 3))
    y = np.where(X[:, 0] + random.standard_normal(60) > 0, "up", "down")
    model = cls().partial_fit(X, y)
    assert nk.verify(model, X, y)
    assert nk.verify(model, X[::-1], y[::-1]).failures
    assert nk.verify(model, -X, y).failures


def test_parameters_that_were_set_later_are_not_those_that_it_learned_with():
    X, y = np.array([[1.0], [2.0], [-1.0], [-3.0]]), np.array([1, 1, 0, 0])
    for model, change in (
        (nk.LinearSVM(), {"C": 3.0}),
        (nk.LinearSVM(), {"loss": "hinge"}),
        (nk.HardMarginSVM(), {"fit_intercept": False}),
        (nk.PassiveAggressiveI(), {"C": 3.0}),
        (nk.Perceptron(), {"tie": "positive"}),
    ):
        model.fit(X, y)
        assert nk.verify(model, X, y)
        assert nk.verify(model.set_params(**change), X, y).failures


def test_weights_that_are_all_one_are_weights():
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 2))
    y = np.where(X[:, 0] + random.standard_normal(40) > 0, 1, 0)
    model = nk.LinearSVM().fit(X, y, np.where(np.arange(40) < 5, 10.0, 0.1))
    assert nk.verify(model, X, y).failures


def test_a_label_that_the_model_does_not_know_refutes_it_with_its_row():
    X, y = np.array([[1.0], [2.0], [-1.0], [-3.0]]), np.array([1, 1, 0, 0])
    model = nk.LinearSVM().fit(X, y)
    check, *_ = nk.verify(model, X, [1, 1, 0, 7]).failures
    assert check.row == 3


@pytest.mark.parametrize("rounding", [0.0, 25 * 2.0**-52])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_a_score_is_doubtful_within_its_rounding(scale, rounding):
    """Four times k + 8 last digits of two terms of size 1, and twice the rounding of the weights times |u| = 2."""
    rule = nk.Perceptron().partial_fit([[1.0], [-1.0]], [1, 0]).record_.problems[0].run.rule.implementation()
    limit, digit = 80 * 2.0**-52 + 4 * rounding, 2.0**-52
    for stored, doubtful in ((limit - digit, 5), (limit + digit, None)):
        run = Replay(np.array([1.0, -1.0 + stored]), rounding=rounding, scale=scale)
        learn_example(run, rule, 5, (np.arange(2), np.ones(2), 1.0, 0.0), 4.0, 1.0, 2.5)
        assert run.doubtful == doubtful
        assert (run.updates, run.mistaken, run.examples) == (0, [], 2.5)  # it is on the right side
    run = Replay(np.zeros(2), bias=1.0, rounding=rounding, scale=scale)  # a row of the intercept alone
    learn_example(run, rule, 5, (np.arange(2), np.zeros(2), 1.0, 1.0), 1.0, 1.0, 1.0)
    assert run.doubtful is None


def test_what_differs_is_open_if_a_row_is_doubtful():
    checks = [Check("run", "fails", "it differs"), Check("radius", "holds", "2"), Check("rule", "on trust", "own")]
    assert with_doubt(checks, None) == checks
    first, *others = with_doubt(checks, 0)
    assert (first.claim, first.status) == ("run", "open")
    assert first.detail == "it differs; row 0 is so close that rounding may have decided it"
    assert others == checks[1:]
