"""HardMarginSVM: errors, warnings and interruption."""

import pickle
import signal
import statistics
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from machines import INTERCEPTS, fewer_examples, fit_and_listen
from strategies import make_separable, seeds

each_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)


def overlapping(seed=0, rows=60, columns=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), np.where(rng.random(rows) < 0.5, 1, -1)


def assert_shows(error, X, y, intercept):
    """The witness is a combination of rows that is nearly 0, with both classes alike if the intercept is free."""
    a = error.witness.dense(len(y))
    assert error.rows.tolist() == np.flatnonzero(a).tolist()
    assert np.all(a >= 0)
    assert a.sum() == pytest.approx(1)
    assert np.linalg.norm((a * y) @ X) <= 1e-5 * np.hypot(1, np.linalg.norm(X, axis=1).max())
    if intercept != "none":
        assert abs(a @ y) <= 1e-5


# ---- data that cannot be separated ----------------------------------------------------------------------------------


@each_intercept
@fewer_examples
@given(seed=seeds)
def test_overlap_is_refused_with_a_witness(intercept, seed):
    X, y = overlapping(seed)
    with pytest.raises(nk.NotSeparableError, match=r"^HardMarginSVM: no hyperplane separates class 1 from") as caught:
        nk.HardMarginSVM(**INTERCEPTS[intercept]).fit(X, y)
    assert_shows(caught.value, X, y, intercept)


@each_intercept
@pytest.mark.parametrize("X", [np.zeros((4, 2)), np.ones((4, 2)), sp.csr_array((4, 3))])
def test_equal_rows_are_refused(intercept, X):
    with pytest.raises(nk.NotSeparableError) as caught:
        nk.HardMarginSVM(**INTERCEPTS[intercept]).fit(X, [0, 1, 1, 0])
    assert_shows(caught.value, X if not sp.issparse(X) else X.toarray(), np.array([-1, 1, 1, -1]), intercept)


def test_one_row_with_both_labels_is_refused():
    data = make_separable(np.random.default_rng(0), 50, 3, 0.2, intercept=True)
    X, y = np.vstack([data.X, data.X[11:12]]), np.append(data.y, -data.y[11])
    with pytest.raises(nk.NotSeparableError) as caught:
        nk.HardMarginSVM().fit(X, y)
    assert_shows(caught.value, X, y, "free")


def test_hulls_that_touch_are_refused():
    X, y = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 3.0]]), np.array([0, 0, 1, 1])
    with pytest.raises(nk.NotSeparableError):
        nk.HardMarginSVM().fit(X, y)


def test_the_error_is_a_value_error_and_can_be_stored():
    X, y = overlapping()
    with pytest.raises(ValueError, match="Use LinearSVM") as caught:
        nk.HardMarginSVM().fit(X, y)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.rows.tolist() == caught.value.rows.tolist()


def test_a_refusal_leaves_the_last_fit_in_place_or_none():
    data = make_separable(np.random.default_rng(0), 50, 3, 0.2, intercept=True)
    model = nk.HardMarginSVM()
    with pytest.raises(nk.NotSeparableError):
        model.fit(*overlapping())
    assert not [name for name in vars(model) if name.endswith("_")]
    before = model.fit(data.X, data.y).coef_.tobytes()
    with pytest.raises(nk.NotSeparableError):
        model.fit(*overlapping())
    assert model.coef_.tobytes() == before


# ---- parameters and data that cannot be used ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters",
    [
        {"tol": 0},
        {"tol": 2.0},
        {"tol": "small"},
        {"max_iter": 0},
        {"max_iter": 1.5},
        {"max_time": 0.0},
        {"fit_intercept": "yes"},
        {"penalized_intercept": 2},
        {"n_jobs": 0},
        {"random_state": "x"},
        {"verbose": -1},
    ],
)
def test_bad_parameters_are_named(parameters):
    with pytest.raises(nk.InvalidInputError, match=rf"^\[?HardMarginSVM.*{next(iter(parameters))}"):
        nk.HardMarginSVM(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("scale", [1e-145, 1e145])
def test_rows_that_are_too_long_or_too_short_are_refused(scale):
    with pytest.raises(nk.InvalidInputError, match=r"^HardMarginSVM: rows of length .* Scale X"):
        nk.HardMarginSVM().fit([[scale], [-scale]], [0, 1])


def test_one_class_is_refused():
    with pytest.raises(nk.InvalidInputError, match="only one class"):
        nk.HardMarginSVM().fit([[0.0], [1.0]], [1, 1])


# ---- too few steps --------------------------------------------------------------------------------------------------


def hard_data():
    return make_separable(np.random.default_rng(1), 400, 30, 1e-3, intercept=True)


@each_intercept
@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_too_few_steps_give_one_warning_that_names_both_bounds(intercept, max_iter):
    data = hard_data()
    model = nk.HardMarginSVM(max_iter=max_iter, tol=1e-12, **INTERCEPTS[intercept])
    messages = fit_and_listen(model, data.X, data.y)
    assert len(messages) == 1
    certificate = model.certificate_
    assert not certificate.converged
    assert model.n_iter_ <= max_iter
    assert messages[0].startswith("HardMarginSVM: after ")
    assert f"{certificate.margin_lower_bound:.8g}" in messages[0]
    assert f"{certificate.margin_upper_bound:.8g}" in messages[0]
    assert "tol=1e-12" in messages[0]
    verification = certificate.verify(data.X, data.y)
    assert verification, str(verification)


def test_the_warning_points_to_the_line_that_called_fit():
    data = hard_data()
    with pytest.warns(ConvergenceWarning) as heard:
        nk.HardMarginSVM(max_iter=1).fit(data.X, data.y)
    assert [warning.filename for warning in heard] == [__file__]


def test_verbose_prints_progress(capfd):
    data = hard_data()
    nk.HardMarginSVM(verbose=1).fit(data.X, data.y)
    assert "[HardMarginSVM] " in capfd.readouterr().err


# ---- an interruption ------------------------------------------------------------------------------------------------

INTERRUPTED = """
import sys, time
import numpy as np
import novikoff as nk
model = nk.HardMarginSVM(max_iter=10**9)
rng = np.random.default_rng(0)
X = rng.normal(size=(60_000, 40))
y = rng.integers(int(sys.argv[1]), size=len(X))
X[np.arange(len(X)), y] += 3
print("ready", flush=True)
try:
    while True:
        model = nk.HardMarginSVM(max_iter=10**9)
        try:
            model.fit(X, y)
        except nk.NotSeparableError:  # it was quick: once more
            pass
except KeyboardInterrupt:
    print(time.monotonic(), [name for name in vars(model) if name.endswith("_")], flush=True)
"""


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize("classes", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_an_interruption_ends_a_fit_within_a_second_and_leaves_no_model(classes):
    def seconds():
        with subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", INTERRUPTED, str(classes)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.5)
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            heard, fitted = process.communicate(timeout=60)[0].split(maxsplit=1)
        assert process.returncode == 0
        assert fitted.strip() == "[]"
        return float(heard) - sent

    assert statistics.median(seconds() for _ in range(3)) < 1  # other programs may delay one of them


@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_a_time_limit_ends_in_bounds_that_hold(intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 40))
    y = (X @ rng.normal(size=40) > 0).astype(int)
    model = nk.HardMarginSVM(max_time=1e-9, tol=1e-12, **INTERCEPTS[intercept])
    with pytest.warns(ConvergenceWarning, match="Increase max_time, max_iter or tol"):
        model.fit(X, y)
    assert not model.certificate_.converged
    assert model.certificate_.verify(X, y)
