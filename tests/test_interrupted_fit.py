"""A fit that is interrupted, at any of many lines, leaves the estimator as it was, or all of the new model."""

import copy
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import novikoff as nk
from share import share_of

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

HERE = str(Path(nk.__file__).parent)
RNG = np.random.default_rng(0)
X, y = RNG.normal(size=(40, 3)), np.arange(40) % 3
X[np.arange(40), y] += 6

ESTIMATORS = {
    "LinearSVM": nk.LinearSVM,
    "LinearSVM, probability": partial(nk.LinearSVM, probability=True),
    "LinearSVM, warm": partial(nk.LinearSVM, warm_start=True),
    "HardMarginSVM": nk.HardMarginSVM,
    "LinearSVMPath": partial(nk.LinearSVMPath, Cs=3),
    "LinearSVMCV": partial(nk.LinearSVMCV, Cs=[0.1, 1.0], cv=2),
    "Perceptron": nk.Perceptron,
    "AveragedPerceptron": nk.AveragedPerceptron,
    "VotedPerceptron": nk.VotedPerceptron,
    "MarginPerceptron": nk.MarginPerceptron,
    "PassiveAggressive": nk.PassiveAggressive,
}
MANY = max(30, share_of(120))
QUICK = {"LinearSVM", "HardMarginSVM", "Perceptron"}  # the others run in the slow tier
each_estimator = pytest.mark.parametrize(
    ("make", "moments"),
    [pytest.param(ESTIMATORS[name], 12, id=name) for name in ESTIMATORS if name in QUICK]
    + [pytest.param(make, MANY, id=f"{name}, many lines", marks=pytest.mark.slow) for name, make in ESTIMATORS.items()],
)


class Interrupter:
    """Raises a KeyboardInterrupt at the n-th line of the package that is run; counts the lines.

    Lines under a lock are left out: tracing comes by a ``with`` line once more before the lock is given back, where no
    signal is ever heard, and would leave it locked.
    """

    def __init__(self, at=None):
        self.at, self.lines = at, 0

    def __call__(self, frame, event, arg):
        name = frame.f_code.co_filename
        if not name.startswith(HERE) or name.endswith(("one_core.py", "_draft.py")):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                raise KeyboardInterrupt
        return self

    def fit(self, model):
        before = sys.gettrace()
        sys.settrace(self)
        try:
            model.fit(X, y)
        finally:
            sys.settrace(before)


def lines_to_stop_at(model, moments):
    """Lines to stop the fit of a model at: a third of them among all lines, the others among the last 400."""
    copy.deepcopy(model).fit(X, y)  # what is imported is imported now
    counter = Interrupter()
    counter.fit(copy.deepcopy(model))
    last = counter.lines
    everywhere = np.linspace(1, last, moments // 3, dtype=int)
    at_the_end = np.linspace(max(1, last - 400), last, 2 * moments // 3, dtype=int)
    return sorted({*everywhere.tolist(), *at_the_end.tolist()})


def what_it_says(model):
    """All that must be about the same model."""
    if isinstance(model, nk.LinearSVMPath):
        certificates = [one for at_each in model.certificates_ for one in at_each]
        parts = (model.coefs_, model.intercepts_, model.objectives_, model.Cs_, model.screened_)
    else:
        certificates = model.certificate_
        parts = (model.coef_, model.intercept_, *(getattr(model, name, ()) for name in ("support_", "dual_coef_")))
    return [np.asarray(part).tolist() for part in parts], [one.to_json() for one in certificates]


@each_estimator
def test_an_interrupted_fit_leaves_no_model_or_all_of_one(make, moments):
    empty, whole = (set(vars(made)) - {"_use"} for made in (make(n_jobs=1), make(n_jobs=1).fit(X, y)))
    unfitted = 0
    for moment in lines_to_stop_at(make(n_jobs=1), moments):
        model = make(n_jobs=1)
        with pytest.raises(KeyboardInterrupt):
            Interrupter(moment).fit(model)
        left = set(vars(model)) - {"_use"}
        assert left in (empty, whole), (moment, left - empty)
        unfitted += left == empty
    assert unfitted > moments / 4


@each_estimator
def test_an_interrupted_fit_leaves_the_model_that_was_there_or_all_of_the_next(make, moments):
    there = make(n_jobs=1).fit(X[:, ::-1].copy(), y)
    before, after = what_it_says(there), what_it_says(copy.deepcopy(there).fit(X, y))
    assert before != after
    kept = 0
    for moment in lines_to_stop_at(there, moments)[::2]:
        model = copy.deepcopy(there)
        with pytest.raises(KeyboardInterrupt):
            Interrupter(moment).fit(model)
        assert what_it_says(model) in (before, after)
        kept += what_it_says(model) == before
    assert kept > moments / 8


def test_a_learner_learns_after_a_warm_fit_that_was_interrupted_anywhere():
    there = nk.Perceptron(n_jobs=1, max_iter=1, n_iter_no_change=None, warm_start=True).partial_fit(X, y)
    last = lines_to_stop_at(there, 3)[-1]
    for moment in range(last - 40, last):
        model = copy.deepcopy(there)
        with pytest.raises(KeyboardInterrupt):
            Interrupter(moment).fit(model)
        model.learn_one(X[0], 0)
        assert model.certificate_[0].examples in (41, 81)
