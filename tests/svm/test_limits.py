"""Fits that end early: by a number of steps, a time, or an interruption."""

import re
import signal
import statistics
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from machines import INTERCEPTS, assert_says_how_far_it_came, each_machine, fit_and_listen
from strategies import make_separable

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2000, 26))
TWO, FOUR = (np.argmax(X[:, :classes] + RNG.normal(size=(2000, classes)), axis=1) for classes in (2, 4))
NARROW = make_separable(np.random.default_rng(1), 400, 30, 1e-3, intercept=True)
MODELS = [
    (nk.LinearSVM(C=100.0), X, TWO),
    (nk.LinearSVM(C=100.0), X, FOUR),
    (nk.LinearSVM(C=100.0, loss="hinge", multi_class="crammer_singer"), X, FOUR),
    (nk.LinearSVMPath(Cs=3), X[:300], TWO[:300]),
    (nk.LinearSVMCV(Cs=[1.0, 100.0], cv=3), X[:300], TWO[:300]),
    *((nk.HardMarginSVM(**more), NARROW.X, NARROW.y) for more in INTERCEPTS.values()),
]


@pytest.mark.filterwarnings("ignore:LinearSVMCV. no C is better:UserWarning")
@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"max_time": 1e-9}], ids=str)
def test_a_limit_gives_a_warning_at_the_line_that_called_fit_and_bounds_that_hold(limit):
    for model, rows, y in MODELS:
        model = clone(model).set_params(tol=1e-12, **limit)
        with pytest.warns(
            ConvergenceWarning, match=f"^{type(model).__name__}: .*Increase {next(iter(limit))}"
        ) as heard:
            model.fit(rows, y)
        assert {warning.filename for warning in heard} == {__file__}, model
        is_of_fold = ["in a fold" in str(warning.message) for warning in heard]
        assert (len(heard) > 1) == any(is_of_fold) == isinstance(model, nk.LinearSVMCV), model
        certificates = np.ravel(getattr(model, "certificates_", None) or model.certificate_)
        assert not all(certificate.converged for certificate in certificates), model
        assert nk.verify(model, rows, y), model


@each_machine
@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_too_few_steps_of_a_soft_margin_are_told_with_the_gap(make, max_iter):
    model = make(C=100.0, tol=1e-9, max_iter=max_iter)
    (message,) = fit_and_listen(model, X, TWO)
    assert_says_how_far_it_came(message, model)
    certificate = model.certificate_
    assert model.n_iter_ == model.history_.step[-1] == max_iter
    assert certificate.relative_gap > 1e-9
    assert certificate.dual >= 0  # no duals at all would prove as much
    verification = certificate.verify(X, TWO)
    assert verification, str(verification)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_too_few_steps_of_a_hard_margin_are_told_with_both_bounds(intercept, max_iter):
    model = nk.HardMarginSVM(max_iter=max_iter, tol=1e-12, **INTERCEPTS[intercept])
    (message,) = fit_and_listen(model, NARROW.X, NARROW.y)
    certificate = model.certificate_
    assert model.n_iter_ <= max_iter
    assert message.startswith("HardMarginSVM: after ")
    assert f"{certificate.margin_lower_bound:.8g}" in message
    assert f"{certificate.margin_upper_bound:.8g}" in message
    assert "tol=1e-12" in message
    verification = certificate.verify(NARROW.X, NARROW.y)
    assert verification, str(verification)


def test_more_steps_never_widen_the_gap():
    gaps, model = [], nk.LinearSVM(C=100.0, tol=1e-12)
    for max_iter in (1, 4, 16, 64):
        fit_and_listen(model.set_params(max_iter=max_iter), X, TWO)
        gaps.append(model.certificate_.relative_gap)
    assert gaps == sorted(gaps, reverse=True)


def test_a_time_limit_that_is_not_reached_changes_nothing():
    models = [nk.LinearSVM(C=1.0, tol=1e-6, max_time=max_time).fit(X, TWO) for max_time in (None, 1e6)]
    assert models[0].coef_.tobytes() == models[1].coef_.tobytes()


def test_verbose_prints_one_line_per_step_to_standard_error(capfd):
    model = nk.LinearSVM(verbose=1, tol=1e-6).fit(X, TWO)
    out, err = capfd.readouterr()
    lines, steps = err.splitlines(), model.history_.step.tolist()
    assert out == ""
    assert len(steps) - 1 <= len(lines) <= len(steps)
    for step, line in zip(steps, lines, strict=False):
        found = re.fullmatch(rf"\[LinearSVM\] gap (\S+), 1e-06 wanted, step {step}, (coordinate descent|Newton)", line)
        assert found, line
        assert 0 <= float(found[1]) <= 1
    nk.LinearSVM().fit(X, TWO)
    assert capfd.readouterr() == ("", "")
    nk.HardMarginSVM(verbose=1).fit(NARROW.X, NARROW.y)
    assert "[HardMarginSVM] " in capfd.readouterr().err


INTERRUPTED = """
import sys, time
import numpy as np
import novikoff as nk
model = nk.LinearSVM()
rng = np.random.default_rng(0)
X = rng.normal(size=(100_000, 40))
y = rng.integers(int(sys.argv[1]), size=len(X))
X[np.arange(len(X)), y] += 3 * ("HardMargin" in sys.argv[2])
print("ready", flush=True)
try:
    while True:
        model = eval("nk." + sys.argv[2])
        try:
            model.fit(X, y)
        except nk.NotSeparableError:  # it was quick: once more
            pass
except KeyboardInterrupt:
    print(time.monotonic(), *sorted(name for name in vars(model) if name.endswith("_")), flush=True)
"""


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        "LinearSVM(C=100.0, tol=1e-15, max_iter=10**9, loss='hinge')",
        "LinearSVM(C=100.0, tol=1e-15, max_iter=10**9, loss='squared_hinge')",
        "HardMarginSVM(max_iter=10**9)",
    ],
)
def test_an_interruption_ends_a_fit_within_a_second_and_leaves_no_model_or_a_complete_one(model, classes):
    whole = sorted(name for name in vars(nk.LinearSVM().fit([[0.0], [1.0]], [0, 1])) if name.endswith("_"))

    def seconds():
        command = [sys.executable, "-W", "ignore", "-c", INTERRUPTED, str(classes), model]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(1)  # in the middle of a fit
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            heard, *fitted = process.communicate(timeout=60)[0].split()
        assert process.returncode == 0
        assert fitted in ([], whole)
        return float(heard) - sent

    assert statistics.median(seconds() for _ in range(3)) < 1  # other programs may delay one of them
